# On the board that RAUC updates, at each of its starts, with BUNDLES to be installed one after the other: looks at the
# reader, and installs the next one, after which RAUC's handler restarts the board. It says where it is: the bench waits for
# that, and cuts the power.
. /out/environment
. /out/common.sh

lock_is() { [[ $(</run/lock-line) == "$1" ]]; }
# The lock's line follows an order of the control socket.
door_works() { readerd unlock && within 5 lock_is 1 && within 20 lock_is 0; }
confirmation() { systemctl show --property=ActiveState --value readerd-confirm; }
confirmation_has_ended() { [[ $(confirmation) =~ ^(active|failed)$ ]]; }
restart_waits() { journalctl --unit readerd-restart --output cat --no-pager | grep --quiet 'waits: not quiet: .*unlocked'; }
is_sound() { [[ $policy == *'"sound":true'* ]]; }
slot=$(sed 's/.*rauc\.slot=\([A-Z]\).*/\1/' /proc/cmdline)
release=$(</etc/board-release)

echo "started $slot $release"
within 60 test -S /run/readerd/control.sock
within 60 confirmation_has_ended
# A slot that is not confirmed restarts into the other.
if [[ $(confirmation) != active ]]; then
    journalctl --no-pager >/out/journal
    exit 0
fi
check "the door works, slot $slot" door_works
check "the log is sound" readerd events --verify
policy=$(readerd policy show --json)
check "the policy is sound" is_sound
echo "revoked $(sed 's/.*"blacklist":\([0-9]*\).*/\1/' <<<"$policy")"
echo "loader $(grub-editenv /grub/grubenv list | tr '\n' ';')"
echo "settled $slot $release"

# Those that were handled before this start have a line each in /out/handled.
touch /out/handled
mkdir -p /stick
mount -t squashfs -o ro /dev/vdb /stick
read -r -a bundles <<<"$BUNDLES"
for bundle in "${bundles[@]:$(wc -l </out/handled)}"; do
    echo "installing $bundle"
    rauc install "/stick/$bundle.raucb" >"/out/rauc-$bundle" 2>&1 &
    install=$!
    if [[ $OPENS == "$bundle" ]]; then
        # While it is written.
        within 60 grep --quiet 'Copying image' "/out/rauc-$bundle"
        check "the door works during the installation" door_works
        check "the installation was still going on" kill -0 "$install"
        readerd unlock office-on
    fi
    wait "$install"
    result=$?
    echo "$bundle" >>/out/handled
    if [[ $result -eq 0 ]]; then
        echo "installed $bundle"
        if [[ $OPENS == "$bundle" ]]; then
            check "the restart waits while the door is open to everybody" within 60 restart_waits
            readerd unlock office-off
        fi
        exit 0
    fi
    echo "refused $bundle $(grub-editenv /grub/grubenv list | tr '\n' ';')"
done
echo "at the end"
