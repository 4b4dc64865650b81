# The processes next to the reader, with package.sh: readerd-link and readerd-matter are installed, reach the reader,
# are restarted, and go with their packages.

link=readerd-link.service
matter=readerd-matter.service

# Whether this start of the unit $1 has logged $2.
unit_holds() {
    journalctl --output cat --no-pager "_SYSTEMD_INVOCATION_ID=$(property_of "$1" InvocationID)" | grep --quiet --fixed-strings -- "$2"
}
unit_says() { within "${3:-30}" unit_holds "$1" "$2" || { journalctl --unit "$1" --output cat --no-pager --lines 4; return 1; }; }
replaced() { [[ $(property_of "$1" MainPID) != 0 && $(property_of "$1" MainPID) != "$2" ]]; }
reader_tells() { [[ $(readerd status --json) == *"$1"* ]]; }

companions() {
    local name
    echo "note: $(cut -d' ' -f1 /proc/uptime) s: companions"
    check "apt would install them: what they depend on is there" \
        apt-get install --simulate --no-install-recommends "$LINK_PACKAGE" "$MATTER_PACKAGE"
    check "dpkg installs them" dpkg --install "$LINK_PACKAGE" "$MATTER_PACKAGE"
    for name in link matter; do
        check "readerd-$name is not started" property_is "readerd-$name.service" ActiveState inactive
        check "readerd-$name is not enabled" property_is "readerd-$name.service" UnitFileState disabled
        check "the place of readerd-$name's socket is the reader's, and open to it" \
            is "$(stat --format='%U %G %a' "/run/readerd-$name")" "readerd readerd-$name 750"
    done
    check "the link's certificate is for the link alone" \
        is "$(stat --format='%U %G %a' /etc/readerd-link)" "readerd-link readerd-link 700"
    check "so is what the Matter lock keeps" \
        is "$(stat --format='%U %G %a' /var/lib/readerd-matter)" "readerd-matter readerd-matter 700"

    printf '%s\n' '[link]' 'socket = "/run/readerd-link/reader.sock"' 'name = "Front door"' \
        '[matter]' 'socket = "/run/readerd-matter/reader.sock"' >>/etc/readerd/readerd.toml
    systemctl restart readerd.service
    # A network for the lock, with multicast, which a dummy interface has not; for the link a broker that is not there.
    ip link add lan type veth peer name far
    ip address add 192.168.9.1/24 dev lan
    ip link set lan up
    ip link set far up
    printf 'READERD_LINK_OPTIONS="--broker 127.0.0.1:1 --plain"\n' >/etc/default/readerd-link
    printf 'READERD_MATTER_OPTIONS="--interface lan"\n' >/etc/default/readerd-matter
    on_host "$READERLAB" credentials attestation /tmp/attestation
    chown -R readerd-matter: /tmp/attestation
    check "the lock takes its attestation, and makes its code" \
        runuser -u readerd-matter -- readerd-matter init --attestation /tmp/attestation
    for name in link matter; do
        check "readerd-$name starts" systemctl start "readerd-$name.service"
        check "readerd-$name reaches the reader" unit_says "readerd-$name.service" "readerd 0"
    done
    check "the reader knows the link" within 20 reader_tells '"link":{"process":true,"connected":false'
    check "and the Matter lock" within 20 reader_tells '"matter":{"connected":true'
    check "the lock is on its network" unit_says "$matter" "Matter on UDP port 5540, lan"
    for name in link matter; do hardened "readerd-$name"; done
    for name in link matter; do failing "readerd-$name"; done

    check "systemctl stop ends the link in order" systemctl stop "$link"
    check "as a success" property_is "$link" Result success
    check "the reader knows that" within 20 reader_tells '"link":{"process":false'
    systemctl start "$link"
    for name in link matter; do
        check "apt remove ends readerd-$name" dpkg --remove "readerd-$name"
        check "no process of readerd-$name is left" is "$(named "readerd-$name")" ""
    done
    check "the lock's fabrics and attestation are still there" test -e /var/lib/readerd-matter/label.json
    check "apt purge" dpkg --purge readerd-link readerd-matter
    check "has certificate, fabrics and attestation removed" \
        bash -c '! ls -d /etc/readerd-link /var/lib/readerd-matter 2>&1 | grep "^/"'
    check "the reader has gone on" unit_is ActiveState active
    sed --in-place '/^\[link\]/,$d' /etc/readerd/readerd.toml
}

# The hardening of a companion, as it is in force.
hardened() {
    local status
    status=$(cat "/proc/$(property_of "$1.service" MainPID)/status")
    check "$1 runs as its user" is "$(stat --format=%U "/proc/$(property_of "$1.service" MainPID)")" "$1"
    check "$1 has no capability, gets no privileges, and a filter has its calls" is \
        "$(sed -n -E 's/^(CapEff|CapBnd|CapAmb|NoNewPrivs|Seccomp):\t*//p' <<<"$status" | tr '\n' ' ')" \
        "0000000000000000 0000000000000000 0000000000000000 1 2 "
    check "systemd finds the exposure of $1 at most 2.0" systemd-analyze security --no-pager --threshold=20 "$1.service"
    echo "note: $(systemd-analyze security --no-pager "$1.service" | tail -n 1)"
}

# A companion that is killed: back, and with the reader.
failing() {
    local process
    process=$(property_of "$1.service" MainPID)
    kill -KILL "$process"
    check "after SIGKILL $1 is back" within 40 replaced "$1.service" "$process"
    check "and reaches the reader again" unit_says "$1.service" "readerd 0"
}
