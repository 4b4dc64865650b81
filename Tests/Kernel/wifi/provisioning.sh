# In the machine: a reader on hci0 that is also a gateway with a Wi-Fi station, access points for it, and a phone on
# BlueZ at hci1 that provisions it with their networks.
. Tests/Kernel/guest/common.sh
. Tests/Kernel/wifi/air.sh
export PYTHONPATH=$PHONE_PACKAGES:Tests/Kernel/bluetooth:Tests/Kernel/wifi PYTHONDONTWRITEBYTECODE=1

phone() { "$PYTHON" Tests/Kernel/wifi/phone.py "$@"; }
control() { "$READERD" "$@" --control /tmp/control.sock; }
# status_has TEXT: whether the reader's status has it now.
status_has() { [[ $(control status --json) == *"$1"* ]]; }
stations() { hostapd_cli -p /run/hostapd -i wlan0 all_sta; }
has_station() { [[ $(stations) == *02:00:00:00:01:00* ]]; }

check "access points are up" start_access_points
check "a supplicant is up" start_station
start_adapters 2
printf '%s\n' '[proximity]' 'gate = []' '[provisioning]' "wifi = \"wpa-supplicant:$STATION_SOCKET\"" 'window-s = 200' \
    >/tmp/readerd.toml
"$READERD" run --config /tmp/readerd.toml --hci hci-socket:0 --state /tmp/state --control /tmp/control.sock \
    --log-level debug --btsnoop /out/readerd.btsnoop --btsnoop-with-secrets >/out/readerd 2>&1 &
reader=$!
check "the reader takes hci0 and advertises" says /out/readerd "advertising on"
check "it finds the supplicant" says /out/readerd "wifi: the supplicant is connected, and knows 0 networks"
check "bluetoothd runs beside it" start_bluez
check "what the phone's adapter receives is recorded" start_monitor

phone absent
check "the window is opened" control provisioning open 200
check "the status says so" status_has '"provisioning":{"open":true,"opened-by":"control"'
phone joins /out/joins
kill "$monitor"
check "before it has paired it is answered with Insufficient Authentication" phone_was_refused
check "the access point has the station" within 5 has_station
check "the reader is in the network, with an address of its DHCP server" status_has '"wifi":"connected","network":"Home"'
check "the station reaches the access point" ip netns exec station busybox ping -c 1 -W 5 192.168.77.1
check "the window closes by itself once the phone is gone" says /out/readerd "provisioning: closed, the network works"
check "the supplicant has written the network" grep -q 'ssid="Home"' "$STATION_CONFIGURATION"
check "its file is for its owner alone" test "$(stat -c %a "$STATION_CONFIGURATION")" = 600
phone absent

check "the window is opened again" control provisioning open 200
phone fails /out/fails
check "the station is back in the network before" within 30 has_station
check "the reader knows that" within 30 status_has '"wifi":"connected","network":"Home"'
check "the failed network is not written" bash -c "! grep -q -e Office -e Nowhere '$STATION_CONFIGURATION'"
check "the window is closed by hand" control provisioning close
check "and can't be closed twice" bash -c '! "$READERD" provisioning close --control /tmp/control.sock'

# A supplicant that starts again knows the network, and is found again.
stop_supplicant
check "the end of the supplicant is told" says /out/readerd "wifi: the supplicant has disconnected"
check "the status says so" status_has '"wifi":"no-supplicant"'
check "it starts again" start_supplicant
check "it is found again" says /out/readerd "wifi: the supplicant is connected, and knows 1 networks" 30
check "and joins what it knows" within 30 status_has '"wifi":"connected","network":"Home"'

# The door has kept working meanwhile.
check "the door opens" control unlock
check "the reader says so" says /out/readerd "door: unlocked"
check "no passphrase is in the log" bash -c "! grep -r -e 'correct horse' -e 'wrong horse' -e '636f727265637420686f727365' /out/readerd /tmp/state"
"$READERD" events --state /tmp/state --kind command
check "what was done is on record" bash -c '"$READERD" events --state /tmp/state --kind command | grep --quiet "in \"Home\""'
finish "$reader"
check "the reader ends in order" test $? -eq 0
check "its own name at the supplicant is gone" test ! -e /tmp/control.sock.wifi
