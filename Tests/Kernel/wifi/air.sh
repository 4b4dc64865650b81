# In the machine: access points and a station on simulated radios (mac80211_hwsim), for the scripts of this directory.
#
# The first radio has the access points, each with its own network: "Home" (WPA2), "Office" (WPA3), "Cafe" (open),
# one whose name is not text (WPA2), "Hidden", which hides its name (WPA2), all of which assign addresses, and "Silent"
# (WPA2), which does not. The second radio is the station's, in a separate network namespace so that its packets pass
# through the air; its supplicant's control socket is $STATION_SOCKET, and a DHCP client follows it.

STATION_SOCKET=/run/wpa_supplicant/wlan1
PASSPHRASE="correct horse"
# A quote, a line's end, a backslash, a zero, an e with an accent, an octet that is no UTF-8, an apostrophe.
ODD_SSID=220a5c00c3a9ff27
STATION_CONFIGURATION=/tmp/wpa_supplicant.conf

# One more network on the first radio: network INTERFACE SSID_HEX LINES…
network() {
    printf '%s\n' "bss=$1" "ssid2=$2" "ctrl_interface=/run/hostapd" "${@:3}"
}

start_access_points() {
    modprobe mac80211_hwsim radios=2
    local secured=(wpa=2 wpa_key_mgmt=WPA-PSK rsn_pairwise=CCMP "wpa_passphrase=$PASSPHRASE")
    {
        printf '%s\n' interface=wlan0 driver=nl80211 hw_mode=g channel=6 ssid=Home ctrl_interface=/run/hostapd \
            "${secured[@]}" bridge=air
        network office "$(printf Office | od -An -tx1 | tr -d ' \n')" wpa=2 wpa_key_mgmt=SAE rsn_pairwise=CCMP \
            ieee80211w=2 "sae_password=$PASSPHRASE" bridge=air
        network cafe "$(printf Cafe | od -An -tx1 | tr -d ' \n')" bridge=air
        network odd "$ODD_SSID" "${secured[@]}" bridge=air
        network hidden "$(printf Hidden | od -An -tx1 | tr -d ' \n')" "${secured[@]}" ignore_broadcast_ssid=1 bridge=air
        network silent "$(printf Silent | od -An -tx1 | tr -d ' \n')" "${secured[@]}"
    } >/tmp/hostapd.conf
    ip link add air type bridge
    ip address add 192.168.77.1/24 dev air
    ip link set air up
    hostapd -t /tmp/hostapd.conf >/out/hostapd 2>&1 &
    says /out/hostapd "AP-ENABLED" 20
    printf '%s\n' "start 192.168.77.100" "end 192.168.77.120" "interface air" "lease_file /tmp/leases" \
        "option subnet 255.255.255.0" >/tmp/udhcpd.conf
    touch /tmp/leases
    busybox udhcpd -f /tmp/udhcpd.conf >/out/udhcpd 2>&1 &
}

# The DHCP client's script for an address, as busybox calls it.
make_address_script() {
    cat >/tmp/address <<'SH'
#!/bin/bash
case $1 in
    deconfig) ip address flush dev "$interface" ;;
    bound | renew) ip address replace "$ip/${mask:-24}" dev "$interface" ;;
esac
SH
    cat >/tmp/follow <<'SH'
#!/bin/bash
# By wpa_cli: INTERFACE CONNECTED|DISCONNECTED
[[ -e /tmp/udhcpc.pid ]] && kill "$(</tmp/udhcpc.pid)" 2>/dev/null
ip address flush dev "$1"
[[ $2 == CONNECTED ]] && busybox udhcpc -b -q -i "$1" -s /tmp/address -p /tmp/udhcpc.pid -t 10 -T 1 >>/out/udhcpc 2>&1
SH
    chmod +x /tmp/address /tmp/follow
}

# The supplicant writes passphrases to its file, with the existing mode: no other user may read them.
start_supplicant() {
    (umask 077 && exec ip netns exec station wpa_supplicant -t -i wlan1 -c "$STATION_CONFIGURATION") >>/out/supplicant 2>&1 &
    supplicant=$!
    within 20 test -S "$STATION_SOCKET" || return
    ip netns exec station wpa_cli -i wlan1 -a /tmp/follow >>/out/follow 2>&1 &
    follower=$!
}

# Without a supplicant wpa_cli does nothing else than to look for it.
stop_supplicant() {
    kill "$follower" "$supplicant"
    wait "$follower" "$supplicant"
}

start_station() {
    ip netns add station
    iw phy phy1 set netns name station
    ip netns exec station ip link set lo up
    # The supplicant writes passphrases to it.
    install -m 600 /dev/null "$STATION_CONFIGURATION"
    printf '%s\n' "ctrl_interface=/run/wpa_supplicant" "update_config=1" >"$STATION_CONFIGURATION"
    make_address_script
    start_supplicant
}
