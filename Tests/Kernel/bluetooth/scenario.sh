# In the machine: one scenario on the virtual air, and at three adapters by the user channel.
. Tests/Kernel/guest/common.sh
export PYTHONDONTWRITEBYTECODE=1

modprobe -a hci_vhci cmac ecb algif_hash algif_skcipher ccm
adapter=0
airs=
for port in $PORTS; do
    "$PYTHON" Tests/Kernel/bluetooth/vhci.py "$HOST:$port" &
    check "adapter $adapter is there" within 20 test -e "/sys/class/bluetooth/hci$adapter"
    airs+=${airs:+,}hci-socket:$adapter
    adapter=$((adapter + 1))
done
"$READERLAB" scenario "$SCENARIO" --seeds 3 --air virtual --air "hci:$airs" --json >/out/airs 2>/out/scenario
check "the results are as expected" test $? -eq 0
"$READERLAB" scenario "$SCENARIO" --seeds 3 --air virtual --air "hci:$airs" >/out/table 2>&1
check "a second run has the adapters again" test $? -eq 0
cat /out/scenario /out/table
