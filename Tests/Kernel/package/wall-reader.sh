# In a Debian system that systemd has started: a board becomes the reader of a door by the commands of
# docs/operate/wall-reader.md, and says on its console what it lacks until then.
. Tests/Kernel/package/board.sh

missing() { /usr/libexec/readerd/missing; }
missing_has() { missing | grep --quiet --fixed-strings -- "$1"; }
console_has() { grep --quiet --fixed-strings -- "$1" /etc/issue.d/readerd.issue; }
phone() { PYTHONPATH=$PHONE_PACKAGES:Tests/Kernel/bluetooth on_host "$PYTHON" Tests/Kernel/bluetooth/name_phone.py "$@"; }
# As long as five numbers of one flash take; each level as it begins, with its time.
watch_light() {
    local level former="" end=$((SECONDS + 13))
    : >/tmp/light
    while [[ $SECONDS -lt $end ]]; do
        read -r level <"$lines/sim_gpio2/value"
        [[ $level == "$former" ]] || echo "$EPOCHREALTIME $level" >>/tmp/light
        former=$level
        # No separate process for the time.
        read -r -t 0.02 <>/tmp/never
    done
}
# The number of flashes in each group that is over: they begin half a second apart, and groups 2.5 s after the last of them.
flashes() {
    watch_light
    awk '$2 == 1 { if (count && $1 - last > 1) { print count; count = 0 } count++; last = $1 }' /tmp/light
}
flashes_once_again_and_again() { [[ $(flashes | sort | uniq --count | tr --squeeze-repeats ' ') =~ ^\ [3-9]\ 1$ ]] || { cat /tmp/light; return 1; }; }
light_stays_off() { watch_light; is "$(cut -d' ' -f2 /tmp/light)" 0; }
lock_was_released() { grep --quiet 1 /tmp/lock; }

borrow readerlab "$READERLAB"
make_chip LOCK REX LED_RED

check "the page's command installs the package" carry_out package
check "it is not started" property_is readerd.service ActiveState inactive
check "udev gives the chip to the group gpio" start_chip
check "it lacks an enabled service" missing_has "service      not enabled     systemctl enable --now readerd readerd-console"
check "a lock" missing_has "gpio         not configured  no lines: the lock is simulated"
check "and an identity" missing_has "make one: readerd provision"
systemctl start readerd-console.service
check "its console says so" console_has "make one: readerd provision"
check "who logs in is told the same" is "$(/etc/update-motd.d/60-readerd)" "$(missing)"
check "the same is in the prompt's text" bash -c \
    'script --quiet --command "agetty --show-issue" /dev/null </dev/null | grep --quiet "make one: readerd provision"'

# Without a console: by the red light and the Bluetooth name.
mkfifo /tmp/never
printf '%s\n' '[gpio]' 'led-denied = "LED_RED"' >/etc/readerd/readerd.d/light.toml
systemctl start readerd
check "a reader that lacks something advertises" journal_says "advertising on"
check "bluetoothd runs beside it, for the phone" start_bluez
phone "NEED IL"
check "its red light flashes once, again and again: an identity" flashes_once_again_and_again
systemctl stop readerd

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

phone "$(sed 's/.*"device-id":"\([^"]*\)".*/\1/' "$work/front.json")"
check "its red light stays off" light_stays_off
# The phone of the page takes the adapter.
busctl set-property org.bluez /org/bluez/hci1 org.bluez.Adapter1 Powered b false

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
