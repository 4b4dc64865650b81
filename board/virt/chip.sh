# The simulated chip of the virtual boards (gpio-sim), and its lines from outside.

LINES_OF_CHIP=(LOCK LED_GREEN LED_RED BUZZER DOOR REX TAMPER)
chip=/sys/kernel/config/gpio-sim/board

make_chip() {
    modprobe configfs
    mountpoint --quiet /sys/kernel/config || mount -t configfs configfs /sys/kernel/config
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
