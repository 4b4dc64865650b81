# In a Debian system that systemd has started: a board becomes the reader of a door by the commands of docs/wall-reader.md,
# and says on its console what it lacks until then.
. Tests/Kernel/package/board.sh

missing() { /usr/libexec/readerd/missing; }
missing_has() { missing | grep --quiet --fixed-strings -- "$1"; }
console_has() { grep --quiet --fixed-strings -- "$1" /etc/issue.d/readerd.issue; }
lock_is() { [[ $(cat "$lines/sim_gpio0/value") == "$1" ]]; }
lock_was_released() { grep --quiet 1 /tmp/lock; }

# readerlab, by the host: its package is for a bench.
cat >/usr/local/bin/readerlab <<SH
#!/bin/bash
exec chroot /host /bin/bash -c 'cd "\$0" && exec "\$@"' "\$PWD" "$READERLAB" "\$@"
SH
chmod +x /usr/local/bin/readerlab
modprobe configfs
within 20 test -d /sys/kernel/config/gpio-sim || { insmod "$KERNEL/extra/irq_sim.ko"; insmod "$KERNEL/extra/gpio-sim.ko"; }
chip=/sys/kernel/config/gpio-sim/door
mkdir -p "$chip/bank/line0" "$chip/bank/line1"
echo 2 >"$chip/bank/num_lines"
echo LOCK >"$chip/bank/line0/name"
echo REX >"$chip/bank/line1/name"

check "the page's command installs the package" carry_out package
check "it is not started" property_is readerd.service ActiveState inactive
echo 1 >"$chip/live"
lines=/sys/devices/platform/$(cat "$chip/dev_name")/$(cat "$chip/bank/chip_name")
within 20 bash -c '[[ $(stat --format="%G %a" /dev/gpiochip0) == "gpio 660" ]]'
check "it lacks an enabled service" missing_has "service      not enabled     systemctl enable --now readerd readerd-console"
check "a lock" missing_has "gpio         not configured  no lines: the lock is simulated"
check "and an identity" missing_has "make one: readerd provision"
systemctl start readerd-console.service
check "its console says so" console_has "make one: readerd provision"
check "who logs in is told the same" is "$(/etc/update-motd.d/60-readerd)" "$(missing)"
check "the same is in the prompt's text" bash -c \
    'script --quiet --command "agetty --show-issue" /dev/null </dev/null | grep --quiet "make one: readerd provision"'

check "the page's commands name the door" carry_out door
check "no lock is lacking any more" not missing_has "gpio  "
check "the page's commands make the identity" carry_out identity
check "nor an identity" not missing_has "keys  "
check "the page's commands start it" carry_out start
check "the reader advertises" journal_says "advertising on"
check "the console's unit is enabled with it" systemctl --quiet is-enabled readerd-console.service
check "nothing is lacking" is "$(missing)" ""
systemctl restart readerd-console.service
check "nor on the console" is "$(cat /etc/issue.d/readerd.issue)" ""

(while :; do cat "$lines/sim_gpio0/value" >>/tmp/lock; sleep 0.2; done) &
watcher=$!
check "the page's commands open the door" carry_out phone
check "the lock's line was released" within 5 lock_was_released
check "and is secured after its pulse" within 20 lock_is 0
kill "$watcher"
check "the event names the credential" bash -c 'readerd events --last 9 | grep --quiet ALICE04711'

systemctl stop readerd
systemctl start readerd-console.service
check "a reader that does not run is told" console_has "service      does not run    journalctl --unit readerd"
journalctl --no-pager >/out/journal
