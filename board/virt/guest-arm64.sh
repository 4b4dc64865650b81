# On the virtual board for arm64, a Debian system that systemd has started: the package is installed, with the adapter and
# the chip of readerd.toml; then the command.
. Tests/Kernel/package/board.sh
. board/virt/chip.sh

# A phone on BlueZ, at the second adapter, walks up and opens.
phone() {
    [[ -n ${bluez:-} ]] || start_bluez || return
    PYTHONPATH=$PHONE_PACKAGES:Tests/Kernel/bluetooth on_host "$PYTHON" Tests/Kernel/bluetooth/access_phone.py | tee /tmp/phone
    ! grep --quiet '^check: FAILED' /tmp/phone
}
lock_is() { [[ $(<"$(line LOCK value)") == "$1" ]]; }
lock_was_released() { grep --quiet 1 /tmp/lock; }
process_is() { is "$(of_process "$1")" "$2"; }
# The reader's own resident memory, in kB: without the pages of files.
own_memory_is_at_most() { [[ $(of_process RssAnon | tr -dc 0-9) -le $1 ]] || { of_process RssAnon; return 1; }; }
of_process() { sed -n "s/^$1:[[:space:]]*//p" "/proc/$(systemctl show --property=MainPID --value readerd)/status"; }
# A phone and the button open, and the unit is in force as it is on x86-64.
door() {
    check "the adapter is the kernel's, by its user channel" bash -c 'readerd status | grep --quiet "hci-socket:0, ready, advertising"'
    check "the lock is secured" lock_is 0
    # The phone takes its time to leave: by then the pulse is over.
    (while :; do cat "$(line LOCK value)" >>/tmp/lock; sleep 0.2; done) &
    watcher=$!
    phone
    check "the lock's line was released" lock_was_released
    kill "$watcher"
    check "and is secured after its pulse" within 20 lock_is 0
    press REX
    check "the button releases the lock" within 5 lock_is 1
    check "and it is secured after that" within 20 lock_is 0
    check "the reader may take adapters, and nothing else: capabilities" process_is CapEff 0000000000001000
    check "it gets no new privileges" process_is NoNewPrivs 1
    check "and a filter has its calls" process_is Seccomp 2
    check "systemd finds its exposure at most 2.0" systemd-analyze security --no-pager --threshold=20 readerd.service
    check "the log is whole" setpriv --reuid readerd --regid readerd --init-groups readerd events --verify
    check "its own resident memory is at most $OWN_MEMORY_KB kB" own_memory_is_at_most "$OWN_MEMORY_KB"
    echo "note: readerd resident: at most $(of_process VmHWM), now $(of_process RssAnon) of its own and $(of_process RssFile) of files"
    check "systemctl stop ends it in order" systemctl stop readerd
    check "as a success" property_is readerd.service Result success
    check "with the lock secured" lock_is 0
}
stop_with() { echo "check: FAILED $*"; journalctl --no-pager --lines 30; exit 1; }

dpkg --install "$work"/readerd_*.deb || stop_with "dpkg installs the package"
make_chip
# The machine's own chip is from before the package's rule, and names are looked for on every chip.
udevadm trigger --action=add --subsystem-match=gpio --settle
# As readerd.toml has it, with the unit's own control socket.
sed '/^control = /d' board/virt/readerd.toml >/etc/readerd/readerd.toml
systemctl start readerd || stop_with "the service starts"
journal_says "advertising on" 120 || stop_with "the reader advertises"
awk '{ printf "the reader is up, %.1f s after the kernel began\n", $1 }' /proc/uptime
eval "$COMMAND"
