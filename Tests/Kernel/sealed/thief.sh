# The card in another board: with another TPM, without any, without the stick.
. Tests/Kernel/sealed/board.sh

# stays_shut TEXT WHY: a start opens no volume, for the reason in systemd's log, and creates none.
stays_shut() {
    check "$1: the reader does not start" not systemctl start readerd
    check "$1: it is not active" unit_is ActiveState inactive
    check "$1: the volume was tried, and is not open" test ! -e /dev/mapper/readerdstate
    check "$1: $2" bash -c 'journalctl --unit systemd-cryptsetup@readerdstate --output cat | grep --quiet --fixed-strings "$0"' "$2"
    check "$1: provisioning by hand fails" not readerd provision --site-id 1 --door-id 7
    check "$1: nobody has been in the bare directory" bare
    systemctl reset-failed
}

echo "note: $(cut -d' ' -f1 /proc/uptime) s: tpm"
take_system tpm
stays_shut "another TPM" "Failed to load HMAC key in TPM: tpm:parameter(1):integrity check failed"
basename "$(readlink /sys/class/tpm/tpm0/device)" >/sys/class/tpm/tpm0/device/driver/unbind
check "now it has none" within 20 test ! -e /dev/tpmrm0
stays_shut "no TPM" "Timed out for waiting devices being initialized"
drop_system
echo "note: $(cut -d' ' -f1 /proc/uptime) s: stick"
take_system stick
stays_shut "no stick" "readerd-state.key' missing"
drop_system
echo "note: $(cut -d' ' -f1 /proc/uptime) s: done"
journalctl --no-pager >/out/journal
