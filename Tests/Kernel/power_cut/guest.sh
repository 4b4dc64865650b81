# In the machine, for each power cut: what has the last one left on the disk? Then everything that writes to it writes,
# until the power goes. What was acknowledged goes out at once, to /out. With CHECK_ONLY it only looks.
modprobe -a virtio_blk ext4
mkdir -p /state
mount -t ext4 /dev/vda /state || exit 90
dmesg | grep EXT4-fs >/out/mount
mkdir -p /state/reader

for log in log ring reader; do
    [[ -e /state/$log/events.db ]] || continue
    "$READERD" events --state "/state/$log" --verify --json >"/out/verified-$log" 2>&1
done
[[ ! -e /state/policy/policy.count ]] ||
    "$READERD" policy show --state /state/policy --json >/out/shown-policy 2>&1
cp --archive /state/identity /out/identity
ls -l --almost-all --recursive --time-style=+ /state >/out/files
echo ready
[[ -z $CHECK_ONLY ]] || exit 0

# The log, by the program that the tests on the host kill.
"$EVENT_WRITER" /state/log 100000 >/out/told-log 2>/out/event-writer &
# The same where the oldest go all the time.
"$EVENT_WRITER" /state/ring 40 >/out/told-ring 2>>/out/event-writer &

# The policy: one credential called back after the other.
"$EVENT_WRITER" /state/policy policy >/out/told-policy 2>>/out/event-writer &

# The reader itself, with a controller that never responds; its control socket unlocks the door repeatedly.
sleep infinity | busybox nc -l -p 6402 >/dev/null &
"$READERD" run --hci tcp-client:127.0.0.1:6402 --state /state/reader --control /run/control >/out/readerd 2>&1 &
"$PYTHON" Tests/Kernel/power_cut/unlocker.py /run/control >/out/told-reader 2>/out/unlocker &

# The identity: a new key, again and again.
while "$READERD" provision --state /state/identity --rotate-terminal-key --json >>/out/told-identity; do :; done \
    2>/out/provision
echo "rotation failed"
wait
