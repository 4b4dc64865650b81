# On the virtual board: its chip, its adapters, and the reader; then the shell, or the command.
. Tests/Kernel/guest/common.sh
. board/virt/chip.sh
export PYTHONPATH=$PHONE_PACKAGES:Tests/Kernel/bluetooth PYTHONDONTWRITEBYTECODE=1

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
