// SPDX-License-Identifier: Apache-2.0

/// The texts of `--help`.
enum CommandHelp {
    /// Returns the help on one command, or the overview.
    static func text(_ command: CommandName?) -> String {
        switch command {
        case nil: overview
        case .run: run
        case .checkConfig: checkConfig
        case .checkUpdate: CheckUpdateCommand.help
        case .events: events
        case .provision: ProvisionHelp.provision
        case .reset: ProvisionHelp.reset
        case .policy: PolicyCommand.help
        case .selfTest: SelfTestHelp.selfTest
        case .lockOff: LockOffCommand.help
        case .aliro: AliroCommand.help
        case .pkoc: PKOCCommand.help
        case .adapter: AdapterCommand.help
        case .status: status
        case .quiet: quiet
        case .unlock: unlock
        case .lockdown: lockdown
        case .tamperReset: tamperReset
        case .revoke: revoke
        case .unrevoke: unrevoke
        case .setTime: setTime
        case .provisioning: provisioning
        case .osdp: osdp
        case .matter: matter
        case .metrics: metrics
        case .calibrate: CalibrateOptions.helpText
        }
    }

    private static let overview = """
        readerd turns a board with a Bluetooth LE controller into a door reader.

        readerd run [--config FILE] [--hci NAME] [--state DIR] [--control SOCKET] [--btsnoop FILE]
                    [--btsnoop-with-secrets] [--rssi-trace FILE] [--tell-missing] [--log-level LEVEL]
            Run the reader until SIGTERM or SIGINT.
        readerd check-config FILE [--state DIR] [--print] [--holidays YEAR] [--json]
            Check a configuration; print each fault with its line, or the configuration in force.
        readerd check-update VERSION [--state DIR]
            Say whether firmware of this version may be installed.
        readerd events [--state DIR] [--since N|DATE | --last N] [--kind KIND] [--json] [--follow | --verify | --export FILE]
            Show the event log, or verify its integrity.
        readerd provision [--state DIR] [--signature-key FILE] [--site-id N --door-id N] [--json] …
            Create the reader's identity, or change its keys.
        readerd reset [--state DIR] --yes
            Restore the factory state: deletes identity, keys and events.
        readerd policy show [--state DIR] [--json] | begin --yes [--state DIR]
            Show the policy (who is revoked, pushed settings) and its integrity, or begin a new one.
        readerd self-test [--config FILE] [--hci NAME] [--state DIR] [--only LIST] [--board FILE] [--json]
            Test the parts of a reader, one line each; for updaters and benches. --board: ask a person, too.
        readerd lock-off [--config FILE]
            De-energise the lock after an abnormal end of the reader.
        readerd aliro [--state DIR] [--json]
            Show the public key of the Aliro reader, for phones or for its certificate.
        readerd pkoc [--state DIR] [--json]
            Show the public key of the site, for phones with PKOC credentials over Bluetooth LE.
        readerd adapter [--config FILE]
            Take the adapter for a reader without CAP_NET_ADMIN; started by readerd-adapter.socket.
        readerd status [--json]
        readerd quiet
        readerd unlock [pulse | extended | office-on | office-off] [--id ID]
        readerd lockdown on | off
        readerd tamper-reset
        readerd revoke CREDENTIAL [--until DATE]
        readerd unrevoke CREDENTIAL
        readerd set-time TIME
        readerd provisioning open [SECONDS] | close
        readerd osdp install [SECONDS] | close
        readerd matter open [SECONDS] | close
        readerd metrics
            Query or control a running reader; each takes --control SOCKET and --json.
        readerd calibrate [--traces FILE] [--door N] [--away N] [--seconds N] [--share PERCENT] [--json]
            Measure the site with a running reader and a phone, and propose the proximity gate.
        readerd COMMAND --help
            Show the help of a command.
        readerd --version

        Example without a lock and without root, with a controller that speaks H4 on a TCP port:
            readerd run --hci tcp-client:127.0.0.1:6402 --state ./state

        Exit status: 0 success, 1 failure, 2 wrong usage.
        """

    private static let run = """
        readerd run [--config FILE] [--hci NAME] [--state DIR] [--control SOCKET] [--btsnoop FILE]
                    [--btsnoop-with-secrets] [--rssi-trace FILE] [--tell-missing] [--log-level LEVEL]

        Runs the reader until SIGTERM or SIGINT. Without a configuration: the adapter hci0, the published demo
        identity, and a simulated lock.

        --config FILE      The configuration; by default \(RunOptions.defaultConfiguration), if that exists. Keys,
                           defaults and meanings: docs/readerd.toml.
        --hci NAME         The Bluetooth controller; has precedence over the configuration:
                             hci-socket:N                      adapter hciN of Linux; it must be down
                             hci-socket:00:1A:7D:DA:71:13      the adapter with this address
                             hci-socket:usb-1-1.4              the adapter at this USB port
                             serial:DEVICE,BAUD[,rtscts]       H4 on a serial line
                             tcp-client:HOST:PORT              H4 on a TCP connection
                             unix:PATH                         H4 on a Unix socket
                             netsim[:INSTANCE]                 the HCI port of the Android Emulator's netsim.
        --state DIR        The directory of keys and addresses, \(RunOptions.defaultStateDirectory) by default;
                           created if missing. Without an identity of readerd provision in it, the demo
                           identity is used.
        --control SOCKET   The socket for readerd status, unlock and so on; has precedence over the configuration.
                           By default \(ControlListener.defaultPath), if its directory exists.
        --btsnoop FILE     A capture of all traffic with the controller, for Wireshark (mode 0600). An existing file
                           is overwritten; the size is not limited: for debugging only. Refused with
                           [provisioning], since it would contain link keys and Wi-Fi passphrases.
        --btsnoop-with-secrets
                           Permits such a capture.
        --rssi-trace FILE  Records the signal strength of each link, by a number, for readerlab gate (mode 0600, at
                           most 64 MB). An existing file is overwritten. docs/operate/gate.md says what for.
        --tell-missing     Shows what a board lacks to be the reader of a door, until it lacks nothing: by flashes of
                           the red light, 1 for an identity, 2 for a lock, 3 for a controller, 4 for a network, and
                           by the Bluetooth name, such as NEED IL. The package's service has this option.
        --log-level LEVEL  trace, debug, info, notice, warning, error or critical; has precedence over the
                           configuration. The log goes to standard error.

        SIGHUP reloads the configuration: distances, links, the door's times and the log level change at once; the
        log names the keys that need a restart. A file with a fault changes nothing.

        With an emulated controller, an own state directory and control socket, without root:
            readerd run --hci tcp-client:127.0.0.1:6402 --state ./state --control ./control.sock
            readerd status --control ./control.sock
        """

    private static let asking = """
        --control SOCKET  The reader's control socket, \(ControlListener.defaultPath) by default.
        --json            The reader's answer as JSON: docs/operate/control.md.
        """

    private static let once = """
        --id ID           Repeated requests with the same ID are executed once within a minute.
        """

    private static let status = """
        readerd status [--control SOCKET] [--json]

        Shows the state of the running reader: door, links, controller, events, clock, faults.
            readerd status --json | jq .faults

        \(asking)
        """

    private static let quiet = """
        readerd quiet [--control SOCKET] [--json]

        Tells whether a restart would disturb anybody now: for an updater, before it restarts the reader or the device.
        The exit status is 0 if not. It is 1 with the reasons (links, opening, unlocked, open, lockdown, tamper, orders,
        events), and also if no reader answers.
            until readerd quiet; do sleep 10; done

        \(asking)
        """

    private static let unlock = """
        readerd unlock [pulse | extended | office-on | office-off] [--id ID] [--control SOCKET] [--json]

        Unlocks the door of the running reader: for a pulse (default), for the extended time, or until office-off,
        which also ends the others. The user is recorded.
            readerd unlock
            readerd unlock office-on

        \(once)
        \(asking)
        """

    private static let lockdown = """
        readerd lockdown on | off [--id ID] [--control SOCKET] [--json]

        Locks the door at once and refuses access until the lockdown ends; exits and fire stay free. It ends with the
        reader's process.
            readerd lockdown on

        \(once)
        \(asking)
        """

    private static let tamperReset = """
        readerd tamper-reset [--id ID] [--control SOCKET] [--json]

        Permits access again after the housing was opened and closed, with door.tamper = "block".
            readerd tamper-reset

        \(once)
        \(asking)
        """

    private static let revoke = """
        readerd revoke CREDENTIAL [--until DATE] [--id ID] [--control SOCKET] [--json]

        Refuses a credential at this reader from now on, as when a phone is lost. In force at once, also during a
        lockdown; kept over restarts and power cuts. The user is recorded. A revocation is never shortened: unrevoke it
        first.
            readerd revoke ALICE04711
            readerd revoke ALICE04711 --until 2027-06-30
            readerd policy show

        Other readers of the site have their own list: docs/operate/a-phone-is-lost.md.

        --until DATE      Until this minute of the reader's clock, 2027-06-30T18:00, or this day; else for ever. Needs a
                          clock that is set.
        \(once)
        \(asking)
        """

    private static let unrevoke = """
        readerd unrevoke CREDENTIAL [--id ID] [--control SOCKET] [--json]

        Accepts a revoked credential again, as when a phone is found, once that is on the disk. The user is recorded. A
        phone, a credential or a fleet that brings the revocation again later revokes it again.
            readerd policy show
            readerd unrevoke ALICE04711

        \(once)
        \(asking)
        """

    private static let setTime = """
        readerd set-time TIME [--id ID] [--control SOCKET] [--json]

        Sets the reader's own clock, not the system clock; refused while the system clock is synchronised. TIME has an
        offset from UTC, or is in seconds since 1970-01-01 UTC.
            readerd set-time 2026-11-22T13:00:00+01:00
            readerd set-time $(date -Is)

        \(once)
        \(asking)
        """

    private static let provisioning = """
        readerd provisioning open [SECONDS] | close [--id ID] [--control SOCKET] [--json]

        Opens the window in which phones may provision the Wi-Fi of the running reader's device, for SECONDS, 30 to
        3600, by default 300; close ends it at once. Needs provisioning.wifi in the configuration.
            readerd provisioning open 600

        \(once)
        \(asking)
        """

    private static let osdp = """
        readerd osdp install [SECONDS] | close [--id ID] [--control SOCKET] [--json]

        Lets the access panel set the key of its line for SECONDS, 1 to 3600, by default 300, under the
        published default key: who listens to the line meanwhile has the new key. The first key, or close, ends it. Needs
        osdp.line in the configuration: docs/operate/osdp.md.
            readerd osdp install 120

        \(once)
        \(asking)
        """

    private static let matter = """
        readerd matter open [SECONDS] | close [--id ID] [--control SOCKET] [--json]

        Lets an app commission the reader as a Matter lock for SECONDS, 180 to 900, by default 900, with the code that
        readerd-matter init has printed. The first app, or close, ends it. Needs matter.socket in the configuration:
        docs/operate/matter-lock.md.
            readerd matter open 300

        \(once)
        \(asking)
        """

    private static let metrics = """
        readerd metrics [--control SOCKET] [--json]

        Prints the reader's metrics in Prometheus format: docs/operate/control.md.
            readerd metrics | grep openings

        \(asking)
        """

    private static let events = """
        readerd events [--state DIR] [--since N|DATE | --last N] [--kind KIND] [--cleared] [--json] [--follow]
        readerd events [--state DIR] --verify [--anchor PLACE] [--json]
        readerd events [--state DIR] --export FILE

        Shows the event log of the door. Reads the log in the state directory, with or without a running reader, and
        never changes it.

        --state DIR     The reader's state directory, \(RunOptions.defaultStateDirectory) by default.
        --since N       From event number N on. Numbers are unique.
        --since DATE    From the first event at or after this local time: 2026-11-22, or 2026-11-22T18:00.
        --last N        The newest N; \(EventsOptions.defaultLast) by default.
        --kind KIND     Only this kind, such as denied; several with commas. List: docs/operate/events.md.
        --cleared       Also events from before the last clearing of the log.
        --json          One JSON object per line.
        --follow        Continues with new events until terminated.

        --verify        Checks that every record is as this reader wrote it, and that none is missing. Exit status 0 if
                        so, else 1 and a line per fault. Prints an anchor, a position in the log, at the end.
        --anchor PLACE  Also checks an anchor noted earlier outside this device. Only that detects the restoration of
                        an older state directory as a whole.
        --export FILE   Writes every record with its octets and chain value to FILE, as lines of JSON.

        Grants and denials since a day, and verification:
            readerd events --since 2026-11-22 --kind granted,denied
            readerd events --verify
        """

    private static let checkConfig = """
        readerd check-config FILE [--state DIR] [--print] [--holidays YEAR] [--json]

        Reads FILE as `readerd run` does, and prints each fault with its line on standard error:
            readerd.toml:7: door.puls-s: unknown key; did you mean door.pulse-s?
        Fragments beside it are read with it, for readerd.toml those of readerd.d/*.toml.
        Also prints warnings and notices. Exit status: 0 without a fault, else 1.
            readerd check-config /etc/readerd/readerd.toml

        --state DIR  Also shows the pushed configuration in the state directory, which has precedence over the file:
                     each value, its key, and the file's value.
        --print      The configuration in force instead, as TOML: each key with its value and, in a comment, the source of
                     it: default, file and line, identity, pushed by phones, or desired by a back end. The last three
                     need --state.
        --holidays YEAR  Also prints the days of reader.holidays in this year, with their names.
        --json       All results as one JSON object on standard output: docs/operate/configuration.md.
        """
}
