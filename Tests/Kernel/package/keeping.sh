# In a Debian system that systemd has started: a board is given its keys, and serves in a fleet and as a Matter lock, by the
# commands of docs/operate/provisioning.md, fleet.md, matter-lock.md, control.md, web.md and policy.md.
. Tests/Kernel/package/board.sh

# A day on which the dates of the pages are ahead.
date --set "2026-11-26 12:00" >/dev/null
borrow readerlab "$READERLAB"
borrow openssl openssl
borrow curl curl
borrow nc nc
# shellcheck disable=SC2086
check "dpkg installs the packages" dpkg --install $PACKAGES

# factory DIRECTORY: a reader as new, and the backend in its own directory.
factory() {
    work=$1
    mkdir -p "$work"
    systemctl stop readerd
    readerd reset --yes >/dev/null
}
# The member of that name in the reader's own data.
told() { sed "s/.*\"$1\":\"\([^\"]*\)\".*/\1/" "$work/front.json"; }
keys_are_sound() { readerd self-test --only keys | grep --quiet "^keys  *ok  *reader $(told device-id), site 1, door 7"; }
public_key() { told terminal-public-key | sed 's/-----[^-]*-----//g; s/\\u000a//g'; }
backend_has_key() { grep --quiet --fixed-strings "$(public_key)" "$work/site.json"; }
backend_shows() { (cd "$work" && readerlab credentials show site.json) | grep --quiet "$1"; }
has_key() { cmp /var/lib/readerd/identity/signature-key.pem "$work/$1.pem"; }
# A section whose lines are looked at.
answered() { carry_out "$1" >"/out/$1.answer"; }

echo "note: $(cut -d' ' -f1 /proc/uptime) s: keys"
factory /tmp/board/two-trips
check "docs/operate/provisioning.md: from the factory to the first token" carry_out two-trips
check "the reader serves" property_is readerd.service ActiveState active
check "with the identity that it told" status_has "\"device\":\"$(told device-id)\",\"demo-identity\":false"
check "the backend has its key" backend_has_key
factory /tmp/board/one-trip
(cd "$work" && readerlab credentials site new --site site.json --id 1 >/dev/null)
check "docs/operate/provisioning.md: one trip" carry_out one-trip
check "its keys are sound" keys_are_sound
check "its signature key is the backend's" has_key front-signature
check "both show the same fingerprint of it" backend_shows "$(told signature-key-fingerprint)"
check "docs/operate/provisioning.md: another signature key" carry_out signature-key
check "it is the reader's" has_key new-signature
check "the old one counts until the end of that day" is \
    "$(head -n 1 /var/lib/readerd/identity/signature-key-old.pem)" "accepted-until 2026-12-31T23:59"
former=$(told fingerprint)
check "docs/operate/provisioning.md: another terminal key" carry_out terminal-key
check "it is another one" not is "$(told fingerprint)" "$former"
check "the backend has it" backend_has_key
check "the keys are sound" keys_are_sound

echo "note: $(cut -d' ' -f1 /proc/uptime) s: a fleet"
# The page's reader.
factory /tmp/board/desk
(
    cd "$work" || exit
    readerd provision --device-id wa0y1YwS --site-id 1 --door-id 7 --json >front.json
    readerlab credentials site new --site site.json --id 1
    readerlab credentials reader add "Front door" --site site.json --public-key front.json >signature.pem
    readerd provision --add-signature-key signature.pem
) >/dev/null
check "docs/operate/fleet.md: a key for orders" carry_out command-key
# The page shows the parts of a section apart.
{ echo "[link]"; grep --invert-match --fixed-strings "[link]" /out/link-configuration.sh; } >/etc/readerd/readerd.d/link.toml
cp /out/matter-configuration.sh /etc/readerd/readerd.d/matter.toml
check "the pages' configurations are sound" readerd check-config /etc/readerd/readerd.toml
check "the reader starts with them" systemctl start readerd
check "docs/operate/fleet.md: the request, as readerd-link" \
    runuser -u readerd-link -- bash -e -u -o pipefail /out/request.sh
cp /etc/readerd-link/reader.csr "$work"
check "docs/operate/fleet.md: the certificate, at the desk" carry_out enrolment

# The others of the page, by openssl: their own authority is the readers'.
issue() {
    openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$1" -keyout "$2-key.pem" -out "$2.csr"
    echo "subjectAltName=DNS:$1" >extensions
    openssl x509 -req -in "$2.csr" -CA ca/ca.pem -CAkey ca/ca-key.pem -extfile extensions -days 30 -out "$2.pem"
}
(
    cd "$work" || exit
    issue mqtt.example broker
    issue collector collector
    issue desk desk
    cp ca/ca.pem ca.pem
) 2>/dev/null
echo "127.0.0.1 mqtt.example" >>/etc/hosts
mkdir /etc/mosquitto
for place in hosts mosquitto; do mount --bind "/etc/$place" "/host/etc/$place"; done
cp "$work"/{ca,broker,broker-key}.pem /etc/mosquitto
cp /out/broker.sh /etc/mosquitto/mosquitto.conf
{ cat /out/access.sh; echo "topic write acc/v1/+/down/desired/#"; } >/etc/mosquitto/access
chroot /host chown -R mosquitto: /etc/mosquitto
chroot /host /usr/sbin/mosquitto -c /etc/mosquitto/mosquitto.conf >/out/mosquitto 2>&1 &
check "a broker with the page's configuration runs" says /out/mosquitto running
cp /out/link-options.sh /etc/default/readerd-link
check "docs/operate/fleet.md: the link starts with its certificate" carry_out certificate
check "the broker serves it" within 60 status_has '"link":{"process":true,"connected":true'

carry_out collector >/out/collector 2>&1 &
collector=$!
check "docs/operate/fleet.md: the collector and its page" says /out/collector "page: http" 60
check "docs/operate/fleet.md: the desk opens the door" answered command
check "it was told so" grep --quiet "^Front door: pulse granted" /out/command.answer
check "the opening is the desk's" bash -c 'readerd events --last 9 | grep --quiet "unlocked *remote *pulse"'
cp /out/state.sh "$work/state.json"
check "docs/operate/fleet.md: the desired state" answered desired
check "it was told so" grep --quiet "^Front door: version .* is in force" /out/desired.answer
check "its setting is on record" bash -c 'readerd events --last 9 | grep --quiet "configuration-changed *remote.*desired"'
delivered() { (cd "$work" && readerlab fleet status --database fleet.db) | grep --quiet "^Front door  *there.*-changed"; }
check "the collector has it" within 60 delivered
page=$(sed -n 's/^page: //p' /out/collector)
check "its page has the reader" bash -c 'curl --silent --fail "$0" | grep --quiet "<html"' "$page"
# The next page is at the same port.
kill "$(grep --files-with-matches --line-regexp readerlab /proc/[0-9]*/comm | cut -d/ -f3)"
wait "$collector"

echo "note: $(cut -d' ' -f1 /proc/uptime) s: a Matter lock"
# With multicast, which a dummy interface has not.
ip link add lan type veth peer name far
ip address add 192.168.9.1/24 dev lan
ip link set lan up
ip link set far up
echo 'READERD_MATTER_OPTIONS="--interface lan"' >/etc/default/readerd-matter
check "docs/operate/matter-lock.md: the attestation, and the start" carry_out matter
check "the reader knows the lock" within 60 status_has '"matter":{"connected":true,"fabrics":0,"commissionable":false'
check "docs/operate/matter-lock.md: the window" carry_out matter-window
check "it can be commissioned" within 20 status_has '"commissionable":true'

echo "note: $(cut -d' ' -f1 /proc/uptime) s: in service"
check "docs/operate/control.md: a line of shell asks the socket" answered socket
check "and is told" grep --quiet '^{"ok":true,"version":' /out/socket.answer
mkdir -p /var/lib/prometheus/node-exporter
check "docs/operate/control.md: the metrics" carry_out metrics
check "are where they are collected" grep --quiet "^readerd_info" /var/lib/prometheus/node-exporter/readerd.prom
carry_out watch >/out/watch 2>&1 &
carry_out watch-page >/out/watch-page 2>&1 &
check "docs/emulators/web.md: a look by the terminal" within 30 test -s /out/watch
check "docs/emulators/web.md: and by a page" says /out/watch-page "page: http" 30
# All but the restart itself.
systemctl() { if [[ $* == reboot ]]; then touch /tmp/restarted; else command systemctl "$@"; fi; }
export -f systemctl
readerd unlock
carry_out restart &
restart=$!
check "the look shows the opening" says /out/watch "unlocked"
check "docs/operate/control.md: no restart while somebody opens" test ! -e /tmp/restarted
check "but once the door is secured" within 60 test -e /tmp/restarted
wait "$restart"
unset -f systemctl

echo "note: $(cut -d' ' -f1 /proc/uptime) s: the policy"
systemctl stop readerd
rm /var/lib/readerd/policy.*
systemctl start readerd
check "a reader without its policy says so" within 20 status_has '"code":"policy-lost"'
check "docs/operate/policy.md: another policy" carry_out policy
check "it is sound" within 20 not status_has '"code":"policy-lost"'
check "it is on record" within 20 bash -c 'readerd events --last 20 | grep --quiet policy-begun'
check "and the self-test finds the disk in order" bash -c 'readerd self-test | grep --quiet "^disk  *ok"'
echo "note: $(cut -d' ' -f1 /proc/uptime) s: done"
journalctl --no-pager >/out/journal
