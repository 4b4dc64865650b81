# On the virtual board: its chip, its adapters, and the reader; then the shell, or the command.
. Tests/Kernel/guest/common.sh
export PYTHONPATH=$PHONE_PACKAGES:Tests/Kernel/bluetooth PYTHONDONTWRITEBYTECODE=1

LINES_OF_CHIP=(LOCK LED_GREEN LED_RED BUZZER DOOR REX TAMPER)
chip=/sys/kernel/config/gpio-sim/board

make_chip() {
    modprobe configfs
    mount -t configfs configfs /sys/kernel/config
    insmod "$KERNEL/extra/irq_sim.ko"
    insmod "$KERNEL/extra/gpio-sim.ko"
    mkdir "$chip" "$chip/bank"
    echo "${#LINES_OF_CHIP[@]}" >"$chip/bank/num_lines"
    local number
    for number in "${!LINES_OF_CHIP[@]}"; do
        mkdir "$chip/bank/line$number"
        echo "${LINES_OF_CHIP[number]}" >"$chip/bank/line$number/name"
    done
    echo 1 >"$chip/live"
    LEVELS=/sys/devices/platform/$(cat "$chip/dev_name")/$(cat "$chip/bank/chip_name")
}

# The file of a line's other side: `value` as it is, `pull` as it is set.
line() {
    local number
    for number in "${!LINES_OF_CHIP[@]}"; do
        [[ ${LINES_OF_CHIP[number]} == "$1" ]] && { echo "$LEVELS/sim_gpio$number/$2"; return; }
    done
    echo "there is no line $1; there are ${LINES_OF_CHIP[*]}" >&2
    return 1
}
lines() {
    local name
    for name in "${LINES_OF_CHIP[@]}"; do printf '%-10s %s\n' "$name" "$(cat "$(line "$name" value)")"; done
}
set_line() {
    local file
    file=$(line "$1" pull) || return
    case $2 in
        1) echo pull-up >"$file" ;;
        0) echo pull-down >"$file" ;;
        *) echo "set_line LINE 0 or 1" >&2; return 2 ;;
    esac
}
press() { set_line "$1" 1 && sleep 0.3 && set_line "$1" 0; }
phone() {
    [[ -e /run/dbus/system_bus_socket ]] || start_bluez || return
    "$PYTHON" Tests/Kernel/bluetooth/access_phone.py
}
journal() { cat /out/readerd; }
readerd() { "$READERD" "$@"; }

echo "the board starts" >&2
make_chip
start_adapters 2
mkdir -p /run/readerd
"$READERD" run --config board/virt/readerd.toml >/out/readerd 2>&1 &
if ! says /out/readerd "advertising on"; then
    echo "the reader does not come up" >&2
    exit 1
fi
awk '{ printf "the reader is up, %.1f s after the kernel began\n", $1 }' /proc/uptime >&2

export -f lines line set_line press phone journal readerd start_bluez within
export LEVELS
if [[ -n $COMMAND ]]; then
    # Functions, so that the commands above are there.
    eval "$COMMAND"
    exit
fi
cat >/tmp/bashrc <<BASH
$(declare -p LINES_OF_CHIP)
$(declare -f set_line)
PS1='board# '
echo 'readerd status | unlock | events; lines; press REX; set_line DOOR 1; phone; journal; exit'
BASH
setsid --ctty bash --rcfile /tmp/bashrc -i </dev/ttyS0 >/dev/ttyS0 2>&1
