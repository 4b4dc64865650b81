# On the virtual board for arm64, a Debian system that systemd has started: the package is installed, with the chip's
# first line as its lock and its controller on the host's radio; then the command.
. Tests/Kernel/guest/common.sh
unit=readerd.service

# The lock's level, 0 or 1, as the kernel has it.
lock() { sed -n 's/.*|readerd.*) out \(hi\|lo\).*/\1/p' /sys/kernel/debug/gpio | sed 's/hi/1/; s/lo/0/' | head -n 1; }
lock_is() { [[ $(lock) == "$1" ]]; }
lines() { cat /sys/kernel/debug/gpio; }
journal() { journalctl --unit "$unit" --output cat --no-pager; }
journal_holds() { journal | grep --quiet --fixed-strings -- "$1"; }
# A phone of the host walks up and opens; it ends with the phone's result.
phone() {
    rm -f /out/phone-said
    touch /out/phone-wanted
    within 300 test -e /out/phone-said || return 1
    cat /out/phone-said
    [[ $(</out/phone-said) == "phone: opened"* ]]
}
# shows COMMAND…: its line, and whether it succeeds.
shows() {
    if "$@" >/tmp/shown 2>&1; then echo "ok     $*"; else echo "FAILED $*: $(tail -n 4 /tmp/shown)"; return 1; fi
}
status() { sed -n "s/^$1:[[:space:]]*//p" "/proc/$(systemctl show --property=MainPID --value "$unit")/status"; }
status_is() { [[ $(status "$1") == "$2" ]] || { echo "$1 is $(status "$1")"; return 1; }; }
# A phone opens; and the unit is in force as it is on x86-64.
door() {
    local failed=0
    shows lock_is 0 && phone && shows within 5 lock_is 1 && shows within 20 lock_is 0 || failed=1
    shows status_is CapEff 0000000000001000 || failed=1
    shows status_is NoNewPrivs 1 || failed=1
    shows status_is Seccomp 2 || failed=1
    shows setpriv --reuid readerd --regid readerd --init-groups readerd events --verify || failed=1
    echo "note   most memory resident: $(status VmHWM), of it in files $(status RssFile)"
    shows systemctl stop "$unit" || failed=1
    return "$failed"
}
stop_with() { echo "board/virt/run: $*"; journalctl --no-pager --lines 30; exit 1; }

# The port of the lock, of the machine's own chip.
modprobe gpio_pl061 2>/dev/null
within 60 test -e /dev/gpiochip0 || stop_with "the kernel has no GPIO chip"
dpkg --install "$PACKAGE" || stop_with "dpkg does not install $PACKAGE"
# A GPIO chip from before the package's rule.
udevadm trigger --action=add --subsystem-match=gpio --settle
cat >/etc/readerd/readerd.toml <<TOML
hci = "tcp-client:$HOST:$READER_PORT"
allow-demo-identity = true
[gpio]
lock = "gpiochip0:0"
TOML
mkdir -p /etc/systemd/system/$unit.d
cat >/etc/systemd/system/$unit.d/network.conf <<UNIT
[Service]
RestrictAddressFamilies=AF_INET
IPAddressAllow=$HOST
UNIT
systemctl daemon-reload
systemctl start "$unit" || stop_with "the service does not start"
within 120 journal_holds "advertising on" || stop_with "the reader does not advertise"
awk '{ printf "the reader is up, %.1f s after the kernel began\n", $1 }' /proc/uptime
eval "$COMMAND"
