#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Confirms the running system to RAUC once the reader works, and returns to the other one if it does not.
#
# A confirmed slot stays confirmed: the reader reports a part that fails later, such as the NFC front end, and an older
# system would not repair it. The confirmation is therefore recorded; a slot that was written since counts as a new one.
#
# Exits with 0 if the slot is marked good; otherwise with 1, and the device restarts if there is a good slot to return
# to.
set -u

readonly STATE="${STATE_DIRECTORY:-/var/lib/readerd-confirm}"
readonly RECORD="$STATE/confirmed"
# A reader that has just started may still be looking for its controller.
readonly TRIES="${READERD_CONFIRM_TRIES:-3}"
readonly PAUSE_SECONDS="${READERD_CONFIRM_PAUSE:-20}"
readonly TIMEOUT_SECONDS=60

say() { printf 'readerd-confirm: %s\n' "$*" >&2; }

# The value of $1 in RAUC's status, which is lines of NAME='value'.
field() {
    printf '%s\n' "$status" | sed -n "s/^$1='\{0,1\}\([^']*\)'\{0,1\}\$/\1/p" | head -n 1
}

mark_good() {
    rauc status mark-good booted >&2 || { say "RAUC could not mark slot $1 good"; return 1; }
}

# Whether the reader runs and reports that all of it works.
self_test() {
    report=$(timeout "$TIMEOUT_SECONDS" readerd self-test --json)
    result=$?
    if [ "$result" -ne 0 ]; then
        say "self-test ended with $result: $report"
        return 1
    fi
    # Without a reader that runs, the test is one of the parts alone, and not of the service.
    if ! printf '%s' "$report" | grep -q '"reader-runs" *: *true'; then
        say "the parts work, but no reader runs: systemctl status readerd"
        return 1
    fi
}

status=$(rauc status --detailed --output-format=shell) || { say "rauc status failed; nothing is confirmed"; exit 1; }

booted="" other=""
for number in $(field RAUC_SLOTS); do
    name=$(field "RAUC_SLOT_BOOTNAME_$number")
    [ -n "$name" ] || continue
    if [ "$(field "RAUC_SLOT_STATE_$number")" = booted ]; then
        booted=$number
    elif [ "$(field "RAUC_SLOT_BOOT_STATUS_$number")" = good ]; then
        other=$name
    fi
done
[ -n "$booted" ] || { say "RAUC does not know which slot is running; nothing is confirmed"; exit 1; }

slot=$(field "RAUC_SLOT_BOOTNAME_$booted")
# A slot that RAUC has not written has no checksum and no time: it came with the device.
written="$slot $(field "RAUC_SLOT_STATUS_CHECKSUM_SHA256_$booted") $(field "RAUC_SLOT_STATUS_INSTALLED_TIMESTAMP_$booted")"

if [ "$(cat "$RECORD" 2>/dev/null)" = "$written" ]; then
    mark_good "$slot"
    exit
fi

try=1
while ! self_test; do
    if [ "$try" -ge "$TRIES" ]; then
        if [ -z "$other" ]; then
            say "slot $slot is not confirmed, and there is no good one to go back to: it goes on as it is"
            exit 1
        fi
        say "slot $slot is not confirmed: back to slot $other"
        rauc status mark-bad booted >&2 || say "RAUC could not mark slot $slot bad; its boot counter will"
        systemctl reboot
        exit 1
    fi
    try=$((try + 1))
    sleep "$PAUSE_SECONDS"
done

mark_good "$slot" || exit 1
# Never half a record: a new name for a whole file.
if mkdir -p "$STATE" && printf '%s\n' "$written" >"$RECORD.new" && sync && mv "$RECORD.new" "$RECORD"; then
    say "slot $slot is confirmed"
else
    say "slot $slot is marked good, but that is not on record in $RECORD: it will be tested again at the next start"
fi
