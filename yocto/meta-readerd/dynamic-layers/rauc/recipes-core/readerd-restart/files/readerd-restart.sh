#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Restarts the device after an update, once that disturbs nobody at the door.
#
#   readerd-restart         RAUC's post-install handler, which RAUC waits for: has the service do it, and is done
#   readerd-restart wait    as that service: waits until the reader is quiet, and restarts by the service manager, so that
#                           the reader secures the door and writes its last events
set -u

# The program that asked for the installation reports its end first: rauc-hawkbit-updater gives that 60 s.
readonly PAUSE_SECONDS="${READERD_RESTART_PAUSE:-90}"
readonly POLL_SECONDS="${READERD_RESTART_POLL:-10}"
# A reader that restarts answers again after some of them. One that does not serves nobody, and the update may mend it.
readonly SILENT_POLLS="${READERD_RESTART_SILENT_POLLS:-30}"
# The longest time for which a door in use holds an update back: whoever is at the door must not do so for ever. A lockdown
# and a tamper block do, since they end with the process: an operator ends them.
readonly LIMIT_SECONDS="${READERD_RESTART_LIMIT:-14400}"
readonly TIMEOUT_SECONDS=10

say() { printf 'readerd-restart: %s\n' "$*" >&2; }

case ${1:-} in
    "") exec systemctl start --no-block readerd-restart.service ;;
    wait) ;;
    *) say "usage: readerd-restart [wait]"; exit 2 ;;
esac

sleep "$PAUSE_SECONDS"
silent=0 told="" waited=0
until answer=$(timeout "$TIMEOUT_SECONDS" readerd quiet 2>&1); do
    case $answer in
        "not quiet: "*lockdown* | "not quiet: "*tamper*) silent=0 ;;
        "not quiet: "*)
            silent=0
            if [ "$waited" -ge "$LIMIT_SECONDS" ]; then
                say "has waited for $waited s, and does not wait any longer: $answer"
                break
            fi
            ;;
        *)
            silent=$((silent + 1))
            if [ "$silent" -ge "$SILENT_POLLS" ]; then
                say "no reader answers: $answer"
                break
            fi
            ;;
    esac
    [ "$answer" = "$told" ] || say "waits: $answer"
    told=$answer
    sleep "$POLL_SECONDS"
    waited=$((waited + POLL_SECONDS))
done
say "restarts the device into the new slot"
exec systemctl reboot
