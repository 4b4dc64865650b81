# In a Debian system that systemd has started: the package is installed, serves, fails, and is removed; and its companions
# with it.
. Tests/Kernel/package/system.sh
. Tests/Kernel/package/companions.sh

of_unit() { property_of "$unit" "$1"; }
unit_is() { property_is "$unit" "$1" "$2"; }
# journal_count TEXT NUMBER: this start has logged it at least NUMBER times.
journal_count() { [[ $(journal_of_start | grep --count --fixed-strings -- "$1") -ge $2 ]]; }
# Whether systemd, or any start of the service, has logged it.
ever_said() { journal | grep --quiet --fixed-strings -- "$1"; }
# The processes with this name; a small Debian has no pgrep.
named() { grep --files-with-matches --line-regexp --fixed-strings "$1" /proc/[0-9]*/comm 2>/dev/null | cut -d/ -f3; }
press_exit() { echo pull-up >"$lines/sim_gpio1/pull"; sleep 0.2; echo pull-down >"$lines/sim_gpio1/pull"; }
# Whether any start of the units with this prefix has logged it.
ever_said_of() { journalctl --no-pager "--unit=$1*" | grep --quiet --fixed-strings -- "$2"; }

# A process with the rights of the service, which tries to change a network interface by ioctl(2), as a reader that was
# taken over could; and a process with CAP_NET_ADMIN, which does.
interfaces() {
    ip link add probe0 type veth peer name probe1
    ip link set probe0 up
    cat >/usr/local/bin/probe <<'PERL'
#!/usr/bin/perl
use Socket;
socket(my $socket, AF_UNIX, SOCK_DGRAM, 0) or die "socket: $!";
# struct ifreq; SIOCSIFMTU, SIOCSIFFLAGS without IFF_UP, SIOCSIFNAME
my %changes = (
    mtu => [0x8922, pack("a16i x20", "probe0", 1280)], down => [0x8914, pack("a16s x22", "probe0", 0)],
    name => [0x8923, pack("a16a16 x8", "probe0", "taken0")],
);
for my $change ("mtu", "down", "name") {
    my ($request, $octets) = @{$changes{$change}};
    print "$change: ", (ioctl($socket, $request, $octets) ? "done" : "$!"), "\n";
}
PERL
    chmod +x /usr/local/bin/probe
    local right
    for right in none CAP_NET_ADMIN; do
        sed -e '/^Exec/d; /^Restart/d; /^Watchdog/d; /^NotifyAccess/d; /Directory/d; /^Wants/d; /^After/d' \
            -e 's/^Type=.*/Type=oneshot/' /lib/systemd/system/readerd.service >"/run/systemd/system/probe-$right.service"
        printf '[Service]\nExecStart=/usr/local/bin/probe\nStandardOutput=file:/run/probe-%s\n' "$right" \
            >>"/run/systemd/system/probe-$right.service"
    done
    printf 'CapabilityBoundingSet=CAP_NET_ADMIN\nAmbientCapabilities=CAP_NET_ADMIN\n' >>/run/systemd/system/probe-CAP_NET_ADMIN.service
    systemctl daemon-reload
    systemctl start probe-none.service
    check "a process with its rights changes no network interface" is "$(</run/probe-none)" \
        $'mtu: Operation not permitted\ndown: Operation not permitted\nname: Operation not permitted'
    check "the interface is as it was" bash -c '[[ $(cat /sys/class/net/probe0/mtu) == 1500 && $(cat /sys/class/net/probe0/flags) == *3 ]]'
    systemctl start probe-CAP_NET_ADMIN.service
    check "with CAP_NET_ADMIN it would" is "$(</run/probe-CAP_NET_ADMIN)" $'mtu: done\ndown: done\nname: done'
    ip link delete taken0
}
# restarted PROCESS: the service has another process than this one, and is ready.
restarted() { within 60 another_than "$1"; }
another_than() { [[ $(of_unit MainPID) != 0 && $(of_unit MainPID) != "$1" && $(of_unit ActiveState) == active ]]; }

check "systemd is the first process" is "$(cat /proc/1/comm)" systemd

echo "note: $(cut -d' ' -f1 /proc/uptime) s: installing"
check "apt would install it: what it depends on is there" apt-get install --simulate --no-install-recommends "$PACKAGE"
check "dpkg installs it" dpkg --install "$PACKAGE"
check "it is not started" unit_is ActiveState inactive
check "it is not enabled" unit_is UnitFileState disabled
check "its user has no shell, and the groups of the hardware" bash -c \
    '[[ $(getent passwd readerd) == *:/usr/sbin/nologin && " $(id -nG readerd) " == *" gpio "* && " $(id -nG readerd) " == *" dialout "* ]]'
check "its state is its own" is "$(stat --format='%U %G %a' /var/lib/readerd)" "readerd readerd 700"

# As a board comes up: adapters, of which bluetoothd takes hold, and a chip.
make_chip LOCK REX
check "udev gives the chip to the group gpio" start_chip
start_controllers
check "bluetoothd has the adapters, as on any Debian" within 60 systemctl --quiet is-active bluetooth.service

cat >/etc/readerd/readerd.toml <<TOML
allow-demo-identity = true
[gpio]
lock = "LOCK"
rex = "REX"
# The virtual controllers do not report support for reading RSSI.
[proximity]
gate = []
TOML
echo "note: $(cut -d' ' -f1 /proc/uptime) s: starting"
# bluetoothd has had its time to take the adapters up.
within 20 bash -c 'hciconfig hci0 | grep --quiet "UP RUNNING"'
check "systemctl start returns when it is ready" systemctl start "$unit"
check "it is active" unit_is ActiveState active
check "bluetoothd was ended first" is "$(systemctl is-active bluetooth.service)" inactive
check "it takes hci0 and advertises" journal_says "advertising on"
check "and did not have to wait for bluetoothd" not journal_holds "fault controller"
check "its status tells the controller" unit_is StatusText "serving on hci-socket:0"

# The hardening, as it is in force.
process=$(of_unit MainPID)
inside() { nsenter --target "$process" --mount "$@"; }
proc_status() { sed -n "s/^$1:\t*//p" "/proc/$process/status"; }
check "it runs as its user" is "$(stat --format=%U "/proc/$process")" readerd
check "it has no capability, and can get none" is "$(proc_status CapEff) $(proc_status CapBnd) $(proc_status CapAmb)" "0000000000000000 0000000000000000 0000000000000000"
check "the adapter was taken for it" ever_said_of readerd-adapter@ "Started"
check "by a process that has ended" is "$(systemctl list-units --no-legend --state=running 'readerd-adapter@*')" ""
check "the socket for that is the reader's alone" is "$(stat --format='%U %G %a' /run/readerd-adapter.sock)" "readerd readerd 600"
check "its backtracer is off" bash -c "tr '\\0' '\\n' </proc/$process/environ | grep --line-regexp SWIFT_BACKTRACE=enable=no"
interfaces
check "it gets no new privileges, and a filter has its calls" is "$(proc_status NoNewPrivs) $(proc_status Seccomp)" "1 2"
check "the system is read-only for it" not inside touch /usr/bin/written
check "so is the configuration" not inside touch /etc/readerd/written
check "its state is not" inside setpriv --reuid readerd --regid readerd --clear-groups touch /var/lib/readerd/written
touch /home/secret
check "it sees no home" not inside test -e /home/secret
check "and no other process" not inside setpriv --reuid readerd --regid readerd --clear-groups test -e /proc/1
in_group() { bash -c 'echo $$ >/sys/fs/cgroup/system.slice/readerd.service/cgroup.procs; exec "$@"' group "$@"; }
check "the chip is open to it" in_group bash -c ': <>/dev/gpiochip0'
check "other devices are not, even to root" not in_group bash -c ': <>/dev/uhid'
check "not even those for everybody else" bash -c ': <>/dev/uhid'
check "systemd finds its exposure at most 2.0" systemd-analyze security --no-pager --threshold=20 "$unit"
echo "note: $(systemd-analyze security --no-pager "$unit" | tail -n 1)"

# A phone.
echo "note: $(cut -d' ' -f1 /proc/uptime) s: a phone"
check "bluetoothd runs beside it, for the phone" start_bluez
export PYTHONPATH=$PHONE_PACKAGES:Tests/Kernel/bluetooth
on_host "$PYTHON" Tests/Kernel/bluetooth/access_phone.py
check "the lock's line is released" within 5 lock_is 1
check "and secured after its pulse" within 10 lock_is 0

# The users who may command it.
check "root asks it by its socket" bash -c 'readerd status | grep --quiet .'
check "the group's members may" setpriv --reuid nobody --regid readerd --clear-groups readerd status
check "others may not" not setpriv --reuid nobody --regid nogroup --clear-groups readerd status
check "an operator opens" readerd unlock
check "the line is released" within 5 lock_is 1
check "and secured" within 10 lock_is 0

echo "note: $(cut -d' ' -f1 /proc/uptime) s: failures"
press_exit
within 5 lock_is 1
check "the exit releases the lock" lock_is 1
kill -KILL "$process"
check "after SIGKILL nothing holds the lock" within 2 lock_is 0
check "and the service is back" restarted "$process"
check "lock-off was run for it" ever_said "de-energised"
check "it advertises again" journal_says "advertising on"

process=$(of_unit MainPID)
press_exit
within 5 lock_is 1
kill -STOP "$process"
check "a reader that hangs is ended by the watchdog" within 40 ever_said "Watchdog timeout"
check "and the service is back" restarted "$process"
check "the lock is secured" lock_is 0
check "it advertises again" journal_says "advertising on"

process=$(of_unit MainPID)
printf '[door]\npulse-s = 2\n' >>/etc/readerd/readerd.toml
check "systemctl reload has the configuration read again" systemctl reload "$unit"
check "it says what has changed" journal_says "reload: changed door.pulse-s"
check "by the same process" unit_is MainPID "$process"
printf '[doors]\n' >>/etc/readerd/readerd.toml
systemctl reload "$unit"
check "one with a fault is not taken" journal_says "nothing changed"
sed --in-place '/doors/d' /etc/readerd/readerd.toml
check "and ends nothing" unit_is MainPID "$process"

# An adapter that comes has systemd start bluetooth.service, which would take it up.
kill "$bluez"  # first: it starts bluetoothd again
for process_of in $(named bluetoothd); do kill "$process_of"; done
kill "$controllers"
within 20 test ! -e /sys/class/bluetooth/hci0
chroot /host btvirt -L -l2 >/out/btvirt 2>&1 &
controllers=$!
check "an adapter that comes back is taken again" within 40 journal_count "controller ready" 2
check "by the same process" unit_is MainPID "$process"
systemctl start bluetooth.service
check "bluetoothd stays away, whoever asks for it" is "$(systemctl is-active bluetooth.service)" inactive
check "and the reader goes on" unit_is MainPID "$process"

companions

echo "note: $(cut -d' ' -f1 /proc/uptime) s: packages"
check "the same version again keeps the configuration" dpkg --install --force-confdef "$PACKAGE"
check "and has the reader restarted" restarted "$process"
check "what was configured is in force" grep --quiet 'pulse-s = 2' /etc/readerd/readerd.toml
check "it advertises again" journal_says "advertising on"
readerd unlock
within 5 lock_is 1
check "systemctl stop ends it in order" systemctl stop "$unit"
check "with the lock secured" lock_is 0
check "as a success" unit_is Result success
systemctl --quiet enable "$unit"
systemctl start bluetooth.service
check "bluetoothd stays away where the reader is enabled" is "$(systemctl is-active bluetooth.service)" inactive
systemctl --quiet disable "$unit"
systemctl start bluetooth.service
check "and comes where it is not, and does not run" is "$(systemctl is-active bluetooth.service)" active
check "the log is whole" setpriv --reuid readerd --regid readerd --init-groups readerd events --verify
systemctl start "$unit"
readerd unlock
within 5 lock_is 1
setpriv --reuid readerd --regid readerd --clear-groups touch /var/lib/readerd/kept; ls -l /var/lib/readerd
check "apt remove ends it" dpkg --remove readerd
check "with the lock secured" lock_is 0
check "no process of it is left" is "$(named readerd)" ""
check "state, keys and configuration are still there" test -e /var/lib/readerd/kept -a -e /etc/readerd/readerd.toml
check "apt purge" dpkg --purge readerd
check "has the configuration removed, state and keys" bash -c '! ls -d /etc/readerd /var/lib/readerd /run/readerd 2>&1 | grep "^/"'
check "no unit is left" bash -c '! systemctl cat readerd.service'
check "its user stays, so that nobody gets its number" getent passwd readerd
echo "note: $(cut -d' ' -f1 /proc/uptime) s: done"
journalctl --no-pager >/out/journal
