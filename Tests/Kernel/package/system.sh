# shellcheck shell=bash
# A Debian system that systemd has started, for the scripts in it: the reader's unit, adapters, a simulated chip, and the
# programs of PROGRAMS, /host, or / where the system has them itself, since it is of another architecture.
. Tests/Kernel/guest/common.sh
export PYTHONDONTWRITEBYTECODE=1
readonly unit=readerd.service

is() { [[ $1 == "$2" ]] || { echo "it is $1"; return 1; }; }
not() { ! "$@"; }
property_of() { systemctl show --property="$2" --value "$1"; }
property_is() { is "$(property_of "$1" "$2")" "$3"; }
journal() { journalctl --unit "$unit" --output cat --no-pager "$@"; }
# This start of the reader.
journal_of_start() { journal "_SYSTEMD_INVOCATION_ID=$(property_of "$unit" InvocationID)"; }
# journal_says TEXT [SECONDS]: this start of the reader has logged it.
journal_says() { within "${2:-60}" journal_holds "$1" || { journal --lines 4; return 1; }; }
journal_holds() { journal_of_start | grep --quiet --fixed-strings -- "$1"; }
# A program of the host, where Python is, and the controllers.
on_host() { chroot "$PROGRAMS" /bin/bash -c 'cd "$0" && exec "$@"' "$DIRECTORY" "$@"; }

if [[ $PROGRAMS != / ]]; then
    for place in proc sys dev run tmp; do mount --rbind "/$place" "$PROGRAMS/$place"; done
fi

# hci0, the reader's, and hci1, a phone's.
start_controllers() {
    modprobe -a hci_vhci cmac ecb algif_hash algif_skcipher ccm uhid
    chroot "$PROGRAMS" btvirt -L -l2 >/out/btvirt 2>&1 &
    # shellcheck disable=SC2034
    controllers=$!
    within 30 test -e /sys/class/bluetooth/hci1
}

# make_chip NAME…: a chip with lines of these names, the lock's first, which exists after start_chip.
make_chip() {
    local name number=0
    modprobe configfs
    insmod "$KERNEL/extra/irq_sim.ko"
    insmod "$KERNEL/extra/gpio-sim.ko"
    # systemd mounts it.
    within 20 test -d /sys/kernel/config/gpio-sim
    chip=/sys/kernel/config/gpio-sim/door
    mkdir -p "$chip/bank"
    echo $# >"$chip/bank/num_lines"
    for name in "$@"; do
        mkdir "$chip/bank/line$number"
        echo "$name" >"$chip/bank/line$number/name"
        number=$((number + 1))
    done
}
# It is udev that gives it to its group.
start_chip() {
    echo 1 >"$chip/live"
    lines=/sys/devices/platform/$(cat "$chip/dev_name")/$(cat "$chip/bank/chip_name")
    within 20 bash -c '[[ $(stat --format="%G %a" /dev/gpiochip0) == "gpio 660" ]]'
}
lock_is() { [[ $(cat "$lines/sim_gpio0/value") == "$1" ]]; }
