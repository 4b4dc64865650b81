# In the machine: the steps of the pages for an access point of an emulated device, on the first simulated radio, and a
# phone on the second one, in its own network namespace so that its packets go through the air.
. Tests/Kernel/guest/common.sh
. Tests/Kernel/wifi/air.sh
export PYTHONPATH=Tests/Interop PYTHONDONTWRITEBYTECODE=1

# The lines of a page, as root in their own directory; the first that fails ends them.
carry_out() { (cd "$work" && bash -e -c "$1"); }
phone() { ip netns exec phone "$@"; }
# Whether the access point of that network gives the phone an address that begins with $1: joins ADDRESS LINES…
joins() {
    local address=$1
    shift
    printf '%s\n' "ctrl_interface=/run/phone" "network={" "$@" "}" >/tmp/phone.conf
    phone wpa_supplicant -B -P /tmp/phone.pid -t -i wlan1 -c /tmp/phone.conf -f /out/phone || return
    within 40 phone_is_in || return
    phone busybox udhcpc -n -q -f -i wlan1 -s /tmp/address -t 20 -T 1 >>/out/udhcpc 2>&1 || return
    phone ip address show dev wlan1 | grep -q "inet $address"
}
phone_is_in() { phone wpa_cli -p /run/phone -i wlan1 status | grep -q '^wpa_state=COMPLETED'; }
leaves() {
    kill "$(</tmp/phone.pid)"
    phone ip address flush dev wlan1
}

modprobe mac80211_hwsim radios=2
ip netns add phone
iw phy phy1 set netns name phone
phone ip link set lo up
make_address_script
printf '%s' "$NETWORKS" >/tmp/home.json

work=$(mktemp -d)
check "the camera's access point starts as the page says" carry_out "$CAMERA_STEPS"
"$READERLAB" emulate bandit --json >/out/bandit 2>&1 &
camera=$!
check "the camera listens at its own address" says /out/bandit "listening at" 60
check "a phone joins, and gets its address" joins 192.168.1.1 'ssid="Bandit-0001"' 'psk="action camera"'
phone "$PYTHON" -B - <<'PY' >/out/viewfinder 2>&1
import socket

from bandit.client import Camera, Viewfinder

camera = Camera("192.168.1.101", 80)
assert camera.ask("GET", "version").json["version"] == "2"
with socket.create_connection((camera.address, camera.port)) as stream:
    own = stream.getsockname()[0]
frames = Viewfinder(own).start(camera).take(3)
print("pictures of", [len(frame.jpeg) for frame in frames], "octets")
PY
check "the app has its version and its viewfinder" grep -q "pictures of" /out/viewfinder
finish "$camera"
leaves
check "the access point ends as the page says" carry_out "$CAMERA_END"
check "its address is gone" bash -c '! ip address show dev wlan0 | grep -q 192.168.1.101'

work=$(mktemp -d)
check "the device's access point starts as the page says" carry_out "$CHIP_STEPS"
"$READERLAB" emulate nordic-softap --listen 192.168.0.1:443 --wifi-sim /tmp/home.json --state /tmp/chip --json >/out/softap 2>&1 &
chip=$!
check "the device listens at its own address" says /out/softap '"event":"access-point-up"' 60
check "a phone joins, and gets its address" joins 192.168.0. 'ssid="nrf-wifiprov"' 'key_mgmt=NONE'
phone "$PYTHON" -B -m softap.app android 192.168.0.1 443 /tmp/chip/softap-certificate.pem Home "open sesame" >/out/app 2>&1
check "the app configures it" grep -q '"status": 200' /out/app
finish "$chip"
leaves
check "the access point ends as the page says" carry_out "$CHIP_END"
