# In the machine: reader and BlueZ at adapters whose controllers are on the host, which sets how far they are apart.
. Tests/Kernel/guest/common.sh
export PYTHONPATH=$PHONE_PACKAGES:Tests/Kernel/bluetooth PYTHONDONTWRITEBYTECODE=1

modprobe -a hci_vhci cmac ecb algif_hash algif_skcipher ccm
"$PYTHON" Tests/Kernel/bluetooth/vhci.py "$HOST:$READER_PORT" &
reader_adapter=$!
check "the reader's adapter is there" within 20 test -e /sys/class/bluetooth/hci0
"$PYTHON" Tests/Kernel/bluetooth/vhci.py "$HOST:$PHONE_PORT" &
check "the phone's adapter is there" within 20 test -e /sys/class/bluetooth/hci1
"$READERD" run --hci hci-socket:0 --state /tmp/state --log-level debug >/out/readerd 2>&1 &
reader=$!
check "the reader takes hci0 and advertises" says /out/readerd "advertising on"
check "bluetoothd runs beside it" start_bluez

# The host has set the phone far away. It notifies when the phone has come near.
"$PYTHON" Tests/Kernel/bluetooth/distance_phone.py
check "the reader measured both" bash -c 'grep --quiet "refused" /out/readerd && grep --quiet ": near, median" /out/readerd'
check "it opened once" test "$(grep --count "door: unlocked" /out/readerd)" -eq 1

# The radio chip goes away and comes back, with its own address.
kill "$reader_adapter"
check "the adapter's end is told" says /out/readerd "hci-socket:0: "
"$PYTHON" Tests/Kernel/bluetooth/vhci.py "$HOST:$READER_PORT" &
again() { [[ $(grep --count "advertising on" /out/readerd) -ge 2 ]]; }
check "the reader takes it again, and advertises" within 30 again
finish "$reader"
