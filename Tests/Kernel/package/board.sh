# A board in a Debian system that systemd has started, for the scripts of the flavours: its packages and adapters, and the
# host's programs.
. Tests/Kernel/guest/common.sh
export PYTHONDONTWRITEBYTECODE=1

# A program of the host, where Python is, and the controllers.
on_host() { chroot /host /bin/bash -c 'cd "$0" && exec "$@"' "$DIRECTORY" "$@"; }
is() { [[ $1 == "$2" ]] || { echo "it is $1"; return 1; }; }
not() { ! "$@"; }
property_is() { is "$(systemctl show --property="$2" --value "$1")" "$3"; }
journal_says() { within "${2:-60}" journal_holds "$1" || { journalctl --unit readerd --output cat --no-pager --lines 4; return 1; }; }
journal_holds() { journalctl --unit readerd --output cat --no-pager | grep --quiet --fixed-strings -- "$1"; }
status_has() { [[ $(readerd status --json) == *"$1"* ]]; }
# A section of the page, as root, in the directory with the packages; the first command that fails ends it.
carry_out() { (cd "$work" && bash -e -u -o pipefail "/out/$1.sh"); }

for place in proc sys dev run tmp; do mount --rbind "/$place" "/host/$place"; done
work=/tmp/board
mkdir -p "$work"
# shellcheck disable=SC2086
cp $PACKAGES "$work"
# The virtual controllers do not report support for reading RSSI.
mkdir -p /etc/readerd/readerd.d
printf '%s\n' '[proximity]' 'gate = []' >/etc/readerd/readerd.d/bench.toml
modprobe -a hci_vhci cmac ecb algif_hash algif_skcipher ccm uhid
chroot /host btvirt -L -l2 >/out/btvirt 2>&1 &
within 30 test -e /sys/class/bluetooth/hci1
