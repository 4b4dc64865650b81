# In the machine: a reader on hci0 by the user channel, and a phone on BlueZ at hci1.
. Tests/Kernel/guest/common.sh
export PYTHONPATH=$PHONE_PACKAGES:Tests/Kernel/bluetooth PYTHONDONTWRITEBYTECODE=1

start_adapters 2
# btvirt's controllers do not report support for reading RSSI: with the default modes all access would be denied.
"$READERD" run --hci hci-socket:0 --state /tmp/gated >/out/gated 2>&1 &
reader=$!
check "without RSSI it says that links of gated modes are refused" \
    says /out/gated "the controller cannot read RSSI: links of gated modes are refused"
finish "$reader"
printf '[proximity]\ngate = []\n' >/tmp/readerd.toml
"$READERD" run --config /tmp/readerd.toml --hci hci-socket:0 --state /tmp/state --log-level debug --btsnoop /out/readerd.btsnoop \
    >/out/readerd 2>&1 &
reader=$!
check "the reader takes hci0 and advertises" says /out/readerd "advertising on"
check "bluetoothd runs beside it" start_bluez
"$PYTHON" Tests/Kernel/bluetooth/access_phone.py
check "the lock is released" says /out/readerd "door: unlocked"
check "and secured again after its pulse" says /out/readerd "door: secured" 20
check "the link's end is told" says /out/readerd ": disconnected, reason"
check "bluetoothd never had hci0" bash -c '! busctl --no-pager tree --list org.bluez | grep hci0'
finish "$reader"
check "the reader ends in order" test $? -eq 0
"$READERD" events --state /tmp/state
check "the grant is on record" bash -c '"$READERD" events --state /tmp/state --kind granted --json | grep --quiet "\"channel\":\"ble\""'
check "and the log verifies" "$READERD" events --state /tmp/state --verify
