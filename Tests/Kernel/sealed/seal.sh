# The page's own commands, for a volume of each kind; what is then in it goes to /out.
. Tests/Kernel/sealed/board.sh

# seal WAY VOLUME: as the page has it.
seal() {
    export volume=$2 stick=/dev/vdc signature_key=/run/signature-key.pem
    for section in volume "$1" directory; do
        check "$1: the commands of docs/operate/sealed-state.md, $section" bash -e -u -o pipefail "/out/$section.sh"
    done
    check "$1: no key is left beside it" test ! -e /run/readerd-state.key
    check "$1: the reader serves" unit_is ActiveState active
    check "$1: from the volume" is \
        "$(findmnt --noheadings --output SOURCE,FSTYPE /var/lib/readerd | tr -s ' ')" "/dev/mapper/readerdstate ext4"
    systemctl stop readerd
}

# enter WAY: credentials get on record.
enter() {
    install -d -m 700 /var/lib/readerd/entrances
    mount --bind /var/lib/readerd /host/mnt
    check "$1: entrances are on record" on_host "$DIRECTORY/.build/debug/event-writer" /mnt/entrances 40 3
    umount /host/mnt
}

# hand_out WAY: what is in the volume, for the search of the card.
hand_out() {
    public_key >"/out/$1.public"
    cp /var/lib/readerd/identity/terminal-key.pem "/out/$1.private"
    cp /var/lib/readerd/event-log-key "/out/$1.log-key"
    umount /var/lib/readerd
    dd if=/dev/mapper/readerdstate "of=/out/$1.opened" bs=1M status=none
}

mkfs.ext4 -q /dev/vdc
install -m 644 /out/signature-key.pem /run/signature-key.pem
for number in 0 1; do
    way=${ways[number]}
    echo "note: $(cut -d' ' -f1 /proc/uptime) s: $way"
    seal "$way" "/dev/vd$(tr 01 ab <<<"$number")"
    enter "$way"
    hand_out "$way"
    keep_system "$way"
    drop_system
    check "$way: nothing was made beside the volume" bare
done
echo "note: $(cut -d' ' -f1 /proc/uptime) s: done"
journalctl --no-pager >/out/journal
