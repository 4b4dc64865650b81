# In the machine: a device with a protected characteristic on hci0, and a phone on BlueZ at hci1 that pairs with it.
. Tests/Kernel/guest/common.sh
export PYTHONPATH=$PHONE_PACKAGES:Tests/Kernel/bluetooth PYTHONDONTWRITEBYTECODE=1

start_adapters 2
# The device takes hci0 before bluetoothd powers it up.
device() {
    local name=$1 security=$2
    shift 2
    cat >"/tmp/$name.json" <<JSON
{"name": "$name", "services": [{"uuid": "FF00", "characteristics": [
    {"uuid": "FF01", "properties": ["read"], "security": "$security", "text": "secret"}]}]}
JSON
    "$READERLAB" emulate gatt --table "/tmp/$name.json" --hci hci-socket:0 --bonds "/tmp/$name.bonds" --json \
        --security-policy sc-only "$@" >"/out/$name" 2>&1 &
    device=$!
    check "$name: it takes hci0 and advertises" says "/out/$name" '"event":"ready"'
}
phone() { "$PYTHON" Tests/Kernel/bluetooth/pairing_phone.py "$@"; }
# told NAME EVENT TEXT…: whether a line of that event contains all of the texts.
told() {
    local lines
    lines=$(grep --fixed-strings "\"event\":\"$2\"" "/out/$1")
    local text
    for text in "${@:3}"; do lines=$(grep --fixed-strings -- "$text" <<<"$lines"); done
    [[ -n $lines ]] || { tail -n 5 "/out/$1"; return 1; }
}

device passkey authenticated --io display-only --mitm
check "bluetoothd runs beside it" start_bluez
phone passkey /out/passkey
check "passkey: encrypted and authenticated, by LE Secure Connections with 16 octets" \
    told passkey security '"encrypted":true' '"authenticated":true' '"secure-connections":true' '"key-size":16'
check "passkey: bonded" told passkey paired
cp /out/passkey /out/passkey.first
finish "$device"

# The same device after a restart, the phone with its key.
device passkey authenticated --io display-only --mitm
phone passkey /out/passkey again
check "passkey: after a restart the bond is known" told passkey security '"bonded":true' '"authenticated":true'
check "passkey: and nothing is paired anew" bash -c '! grep "\"event\":\"pass\|\"event\":\"paired" /out/passkey'
finish "$device"

# Without anything to show or type it just works, which is enough to be encrypted.
device plain encrypted --io none
phone plain /out/plain
check "plain: encrypted, not authenticated, by LE Secure Connections with 16 octets" \
    told plain security '"encrypted":true' '"authenticated":false' '"secure-connections":true' '"key-size":16'
finish "$device"
device plain encrypted --io none
phone plain /out/plain again
check "plain: after a restart the bond is known" told plain security '"bonded":true'
finish "$device"

# And not enough for an attribute that requires authentication.
device stern authenticated --io none
phone stern /out/stern refused
check "stern: the read is answered with Insufficient Authentication" told stern refused '"error":5' '"uuid":"FF01"'
check "stern: the pairing was not authenticated" bash -c '! grep "\"authenticated\":true" /out/stern'
finish "$device"
