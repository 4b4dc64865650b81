# In the machine: each condition that keeps readerd from an adapter, its message, and that the named remedy helps.
. Tests/Kernel/guest/common.sh

# reader FILE [OPTION…]: readerd in the background, its log in FILE; its process is in $reader.
reader() {
    local log=$1
    shift
    "$READERD" run --state /tmp/state "$@" >"$log" 2>&1 &
    reader=$!
}

# refused TEXT MESSAGE OPTION…: readerd logs MESSAGE and does not serve.
refused() {
    local text=$1 message=$2
    shift 2
    reader /tmp/refused "$@"
    check "$text: $message" says /tmp/refused "$message"
    check "$text: it is said in one line" test "$(grep -c ' error ' /tmp/refused)" -eq 1
    finish "$reader"
}

# serves TEXT OPTION…: readerd advertises.
serves() {
    local text=$1
    shift
    reader /tmp/serves --log-level debug "$@"
    check "$text" says /tmp/serves "$READY"
    finish "$reader"
}
READY="advertising on"

# No module may be loaded automatically, as on a board without it.
echo /bin/false >/proc/sys/kernel/modprobe
refused "no Bluetooth in the kernel" "no Bluetooth in this kernel; load the module (modprobe bluetooth)"
echo /sbin/modprobe >/proc/sys/kernel/modprobe

modprobe bluetooth
refused "no adapter" "hci-socket:0: no such adapter; connect it, or use one listed in /sys/class/bluetooth"
start_adapters 1
refused "no adapter of that number" "hci-socket:7: no such adapter" --hci hci-socket:7
serves "an adapter that is down is taken"
address=$(hciconfig hci0 | sed -n 's/.*BD Address: \([0-9A-F:]*\).*/\1/p')
refused "no adapter of that address" "hci-socket:00:1A:7D:DA:71:13: no such adapter" --hci hci-socket:00:1A:7D:DA:71:13
refused "no adapter at that USB port" "hci-socket:usb-1-1.4: no such adapter" --hci hci-socket:usb-1-1.4
serves "an adapter is taken by its address, $address" --hci "hci-socket:$address"

hciconfig hci0 up
refused "the adapter is up" "the adapter is up and in use by the kernel; stop bluetooth.service and take the adapter down, or set hci-take = true"
printf 'hci-take = true\n' >/tmp/take.toml
serves "hci-take = true takes it" --config /tmp/take.toml
hciconfig hci0 down

# One process has it, and another comes. Each has its own state directory.
reader /tmp/first --log-level debug
says /tmp/first "$READY" >/dev/null
"$READERD" run --state /tmp/other >/tmp/second 2>&1 &
second=$!
check "taken by another process" says /tmp/second "another process holds the adapter's user channel; stop that process, or use another adapter"
finish "$second"
"$READERD" run --state /tmp/other --config /tmp/take.toml >/tmp/second 2>&1 &
second=$!
check "not even with hci-take = true" says /tmp/second "another process holds the adapter's user channel; stop that process, or use another adapter"
finish "$second"
check "the one that has it goes on" test -e "/proc/$reader"
finish "$reader"
serves "it is free when that process has ended"

rfkill=$(echo /sys/class/rfkill/rfkill*)
echo 1 >"$rfkill/soft"
refused "the radio is blocked" "the radio is blocked; run: rfkill unblock bluetooth, or use the hardware switch"
echo 0 >"$rfkill/soft"
serves "it serves when the radio is unblocked"

# Without rights, and with the one capability that is needed.
install -d -o 65534 -g 65534 -m 700 /tmp/nobody
setpriv --reuid 65534 --regid 65534 --clear-groups "$READERD" run --state /tmp/nobody >/tmp/nobody.log 2>&1 &
second=$!
check "not permitted" says /tmp/nobody.log "not permitted to take the adapter; run with CAP_NET_ADMIN in the initial user namespace"
finish "$second"
setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps +net_admin --ambient-caps +net_admin \
    "$READERD" run --state /tmp/nobody --log-level debug >/tmp/ambient.log 2>&1 &
second=$!
check "CAP_NET_ADMIN is enough, without root" says /tmp/ambient.log "$READY"
finish "$second"

# The adapter is unplugged under a reader that serves, and comes back.
reader /tmp/unplugged --log-level debug --control /tmp/control
check "it serves before the adapter is unplugged" says /tmp/unplugged "$READY"
lines=$(wc -l </tmp/unplugged)
kill "$adapters"
wait "$adapters"
check "an adapter that is unplugged is told" says /tmp/unplugged "hci-socket:0: "
check "the door goes on meanwhile" "$READERD" unlock --control /tmp/control
check "and the state says so" bash -c '"$READERD" status --control /tmp/control --json | grep --fixed-strings "\"ready\":false"'
sleep 3
tail -n "+$((lines + 1))" /tmp/unplugged >/tmp/lost
echo "--- unplugged"
cat /tmp/lost
lines=$(wc -l </tmp/unplugged)
start_adapters 1
back() { tail -n "+$((lines + 1))" /tmp/unplugged | grep --fixed-strings "$READY"; }
check "it advertises again when the adapter is back" within 20 back
check "the reader is the same process" test -e "/proc/$reader"
finish "$reader"
tail -n "+$((lines + 1))" /tmp/unplugged
"$READERD" events --state /tmp/state
kinds() {
    "$READERD" events --state /tmp/state --kind controller-failed,controller-restored --last 2 --json |
        grep --only-matching '"kind":"[a-z-]*"' | tr '\n' ' '
}
check "both are on record" test "$(kinds)" = '"kind":"controller-failed" "kind":"controller-restored" '
