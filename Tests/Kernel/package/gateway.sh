# In a Debian system that systemd has started: a board becomes a gateway by the commands of docs/operate/gateway.md, and
# a phone on BlueZ at hci1 names the network of an access point.
. Tests/Kernel/package/board.sh

phone() { PYTHONPATH=$PHONE_PACKAGES:Tests/Kernel/bluetooth:Tests/Kernel/wifi on_host "$PYTHON" Tests/Kernel/wifi/phone.py "$@"; }
lacks_network() { /usr/libexec/readerd/missing | grep --quiet '^network  *not connected .*readerd provisioning open 300$'; }
networks=/var/lib/readerd-gateway/networks.conf
address_is_theirs() { ip -4 address show dev wlan0 | grep --quiet 'inet 192\.168\.77\.1[0-9][0-9]/24'; }

# The access points in their own network namespace, on the second radio; the first one, wlan0, is the board's.
modprobe mac80211_hwsim radios=2
ip netns add air
chroot "$PROGRAMS" iw phy phy1 set netns name air
ip -n air link set wlan1 name wlan0
ip -n air link set lo up
check "access points are up" ip netns exec air bash Tests/Kernel/package/access_points.sh

check "the page's commands install the packages" carry_out install
for service in readerd wpa_supplicant@wlan0 systemd-networkd; do
    check "$service is not started by that" property_is "$service.service" ActiveState inactive
done
check "the networks' file is for root alone" is "$(stat --format='%U %a' "$networks")" "root 600"
check "the fragment is a part of the configuration" bash -c \
    'readerd check-config /etc/readerd/readerd.toml 2>&1 | grep --quiet "readerd.d/gateway.toml: notice"'
check "the page's commands start it" carry_out start
check "the reader advertises" journal_says "advertising on"
check "it finds the supplicant, by its group" journal_says "wifi: the supplicant is connected, and knows 0 networks"
check "the board says that it lacks a network, and how it gets one" lacks_network
check "bluetoothd runs beside it, for the phone" start_bluez
check "what the phone's adapter receives is recorded" start_monitor
phone absent
check "the page's command opens the window" carry_out open
phone joins /out/joins
kill "$monitor"
check "before it has paired it is answered with Insufficient Authentication" phone_was_refused
check "the reader is in the network, with an address" within 20 status_has '"wifi":"connected","network":"Home"'
check "and lacks none any more" not lacks_network
check "it is of the access point's DHCP server, by systemd-networkd" address_is_theirs
check "the access point is reached" chroot "$PROGRAMS" busybox ping -c 1 -W 5 192.168.77.1
check "the supplicant has written the network" grep --quiet 'ssid="Home"' "$networks"
check "its file is for root alone" is "$(stat --format='%U %a' "$networks")" "root 600"
check "no passphrase is in the journal" bash -c '! journalctl --no-pager | grep --quiet -e "correct horse"'
phone absent

# As after a start of the board.
systemctl stop wpa_supplicant@wlan0 readerd
check "the address goes with the network" within 20 not address_is_theirs
systemctl start wpa_supplicant@wlan0 readerd
check "the board is in its network again" within 60 address_is_theirs
check "and the reader knows it" within 30 status_has '"wifi":"connected","network":"Home"'
check "all three are enabled" systemctl --quiet is-enabled readerd wpa_supplicant@wlan0 systemd-networkd

systemctl disable --now wpa_supplicant@wlan0
check "apt purge" dpkg --purge readerd-gateway
check "has networks, fragment and units removed" bash -c \
    '! ls -d /var/lib/readerd-gateway /etc/readerd/readerd.d/gateway.toml /lib/systemd/system/wpa_supplicant@wlan0* 2>&1 | grep "^/"'
check "a reload goes without it" systemctl reload readerd
check "the door goes on" readerd unlock
journalctl --no-pager >/out/journal
