# The board comes up again, with its TPM and its stick; then without its volume.
. Tests/Kernel/sealed/board.sh

# refused TEXT: a start ends at the unit's assertion, and nothing is made.
refused() {
    check "$1: it does not start" not systemctl start readerd
    check "$1: for the unit's assertion" unit_is AssertResult no
    check "$1: nothing is made" is "$(ls --almost-all /var/lib/readerd)" ""
}

for way in "${ways[@]}"; do
    echo "note: $(cut -d' ' -f1 /proc/uptime) s: $way"
    take_system "$way"
    check "$way: the start of the reader opens the volume" systemctl start readerd
    check "$way: it is active" unit_is ActiveState active
    check "$way: and has the identity that it had" is "$(public_key)" "$(<"/out/$way.public")"
    check "$way: the log is there, and whole" runuser -u readerd -- readerd events --verify
    systemctl stop readerd var-lib-readerd.mount
    check "$way: the bare directory is as the package wants it" systemd-tmpfiles --create readerd.conf

    # Its line is lost, the unit's drop-in is not.
    mv /etc/fstab /etc/fstab.lost
    systemctl daemon-reload
    refused "$way, not mounted"
    mount -t tmpfs clear /var/lib/readerd
    refused "$way, something mounted that is not encrypted"
    umount /var/lib/readerd
    check "$way: nobody has been in the bare directory" bare
    drop_system
done
echo "note: $(cut -d' ' -f1 /proc/uptime) s: done"
journalctl --no-pager >/out/journal
