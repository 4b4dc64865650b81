# For the scripts that run in the machine: looking at things, and waiting for them.

# check TEXT COMMAND…: notes whether the command succeeds; bench.py reads the line.
check() {
    local text=$1
    shift
    if "$@" >/tmp/checked 2>&1; then
        echo "check: ok $text"
    else
        echo "check: FAILED $text | $* | $(tail -n 4 /tmp/checked | tr '\n' ' ')"
    fi
}

# within SECONDS COMMAND…: whether it succeeds in that time.
within() {
    # No separate processes for the time: in the machine they cost more than the wait.
    local seconds=$1 end
    shift
    end=$((${EPOCHREALTIME/./} + seconds * 1000000))
    until "$@" >/dev/null 2>&1; do
        if [[ ${EPOCHREALTIME/./} -gt $end ]]; then
            # Once more, for its output.
            "$@"
            return
        fi
        sleep 0.1
    done
}

# says FILE TEXT [SECONDS]: whether TEXT appears in FILE in time; shows the end of FILE if not.
says() { within "${3:-20}" holds "$1" "$2" || { tail -n 4 "$1"; return 1; }; }
holds() { [[ -e $1 && $(<"$1") == *"$2"* ]]; }

# ends PROCESS [SECONDS]: whether it ends; SIGKILL if not.
ends() {
    within "${2:-20}" is_gone "$1" && return
    kill -KILL "$1"
    echo "still runs"
    return 1
}
is_gone() { [[ ! -e /proc/$1 || $(<"/proc/$1/stat") == *") Z "* ]]; }

# finish PROCESS: SIGTERM, and its end; a process that does not end in time is a fault.
finish() {
    kill -TERM "$1" 2>/dev/null
    ends "$1" || echo "check: FAILED $(tr '\0' ' ' </proc/$1/cmdline) ends on SIGTERM"
    wait "$1"
}

# Two Linux adapters, hci0 and hci1, on virtual controllers that hear each other.
start_adapters() {
    modprobe -a hci_vhci cmac ecb algif_hash algif_skcipher ccm uhid
    btvirt -L "-l${1:-2}" >/out/btvirt 2>&1 &
    # shellcheck disable=SC2034
    adapters=$!
    within 20 test -e "/sys/class/bluetooth/hci$((${1:-2} - 1))" || echo "check: FAILED btvirt makes adapters | $(cat /out/btvirt)"
    sleep 0.5
}

# BlueZ, which powers the phone's adapter hci1 up, and no other: hci0 stays down when the device there ends.
start_bluez() {
    mkdir -p /run/dbus
    [[ -e /run/dbus/system_bus_socket ]] || dbus-daemon --system --fork
    printf '[Policy]\nAutoEnable=false\n' >/run/bluetooth.conf
    # 5.66 falls over a link that is reset at its beginning (att_connect_cb). A phone starts it again.
    while :; do /usr/libexec/bluetooth/bluetoothd --nodetach --debug --configfile /run/bluetooth.conf; done >>/out/bluetoothd 2>&1 &
    # shellcheck disable=SC2034
    bluez=$!
    within 20 busctl set-property org.bluez /org/bluez/hci1 org.bluez.Adapter1 Powered b true
}

# Records what the phone's adapter sends and receives.
start_monitor() {
    btmon --write /out/phone.btsnoop >/dev/null 2>&1 &
    # shellcheck disable=SC2034
    monitor=$!
    within 20 test -s /out/phone.btsnoop
}

# Whether the phone learned that it has to pair first: the answer to its request, as it was on the air.
phone_was_refused() { btmon --read /out/phone.btsnoop 2>/dev/null | grep --quiet "Error: Insufficient Authentication (0x05)"; }
