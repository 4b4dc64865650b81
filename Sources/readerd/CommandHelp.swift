/// The texts of `--help`.
enum CommandHelp {
    /// Returns the help on one command, or the overview.
    static func text(_ command: CommandName?) -> String {
        switch command {
        case nil: overview
        case .run: run
        case .checkConfig: checkConfig
        case .events: events
        case .provision: ProvisionHelp.provision
        case .reset: ProvisionHelp.reset
        case .policy: PolicyCommand.help
        case .selfTest: SelfTestHelp.selfTest
        case .lockOff: LockOffCommand.help
        case .status: status
        case .unlock: unlock
        case .lockdown: lockdown
        case .tamperReset: tamperReset
        case .setTime: setTime
        case .provisioning: provisioning
        case .metrics: metrics
        }
    }

    private static let overview = """
        readerd turns a board with a Bluetooth LE controller into a door reader.

        readerd run [--config FILE] [--hci NAME] [--state DIR] [--control SOCKET] [--btsnoop FILE]
                    [--btsnoop-with-secrets] [--log-level LEVEL]
            Be the reader, until SIGTERM or SIGINT.
        readerd check-config FILE [--state DIR] [--json]
            Say what is wrong with a configuration, line by line.
        readerd events [--state DIR] [--since N|DATE | --last N] [--kind KIND] [--json] [--follow | --verify | --export FILE]
            Show what happened at the door, or check that nobody has changed the record of it.
        readerd provision [--state DIR] [--signature-key FILE] [--site-id N --door-id N] [--json] …
            Make the reader's identity, or change its keys.
        readerd reset [--state DIR] --yes
            Back to what the factory delivers: identity, keys and events are gone.
        readerd policy show [--state DIR] [--json] | begin --yes [--state DIR]
            What decides about people, the blacklist above all: whether it is sound, or begin it anew.
        readerd self-test [--config FILE] [--hci NAME] [--state DIR] [--only LIST] [--json]
            Look at what a reader needs, a line for each part; for updaters and benches.
        readerd lock-off [--config FILE]
            Take the current off the lock, after a reader that was killed.
        readerd status [--json]
        readerd unlock [pulse | extended | office-on | office-off] [--id ID]
        readerd lockdown on | off
        readerd tamper-reset
        readerd set-time TIME
        readerd provisioning open [SECONDS] | close
        readerd metrics
            Ask a running reader; each takes --control SOCKET and --json.
        readerd COMMAND --help
            More on one command.
        readerd --version

        A first try, without a lock and without root, on a controller that speaks H4 on a TCP port:
            readerd run --hci tcp-client:127.0.0.1:6402 --state ./state

        It ends with 0 if all went well, 1 if it ran and failed, and 2 if it was used wrongly.
        """

    private static let run = """
        readerd run [--config FILE] [--hci NAME] [--state DIR] [--control SOCKET] [--btsnoop FILE]
                    [--btsnoop-with-secrets] [--log-level LEVEL]

        Is the reader, until SIGTERM or SIGINT. Without a configuration it is a safe one: the adapter hci0, the
        published demo identity, and a lock that is only simulated.

        --config FILE      The configuration. Without the option it is \(RunOptions.defaultConfiguration), if there
                           is such a file. Every key, its default and its meaning: docs/readerd.toml.
        --hci NAME         The Bluetooth controller, before what the configuration says:
                             hci-socket:N                      adapter hciN of Linux; it must be down
                             serial:DEVICE,BAUD[,rtscts]       H4 on a serial line
                             tcp-client:HOST:PORT              H4 on a TCP connection
                             unix:PATH                         H4 on a Unix socket.
        --state DIR        Where keys and addresses are kept, \(RunOptions.defaultStateDirectory) by default. It is
                           made if it is missing. The identity in it is what readerd provision has made; without
                           one, the demo identity.
        --control SOCKET   Where readerd status, unlock and so on reach it, before what the configuration says. Without
                           either it is \(ControlListener.defaultPath), if that directory is there.
        --btsnoop FILE     A capture of all traffic with the controller, for Wireshark (mode 0600). A file that is
                           there is overwritten, and it grows without end: for finding faults only. With
                           [provisioning] it is refused, since it would hold link keys and Wi-Fi passphrases.
        --btsnoop-with-secrets
                           Has it taken nevertheless.
        --log-level LEVEL  trace, debug, info, notice, warning, error or critical, before what the
                           configuration says. The log goes to standard error.

        SIGHUP has it read the configuration again: distances, links, the door's times and the log level change at
        once, and the log names what takes effect with a restart. A file with a fault changes nothing.

        On a controller of an emulator, with a state directory and a control socket of one's own, without root:
            readerd run --hci tcp-client:127.0.0.1:6402 --state ./state --control ./control.sock
            readerd status --control ./control.sock
        """

    private static let asking = """
        --control SOCKET  Where the reader listens, \(ControlListener.defaultPath) by default.
        --json            The answer as the reader gives it, for programs: docs/control.md.
        """

    private static let once = """
        --id ID           The same ID is carried out once within a minute, however often it is asked for.
        """

    private static let status = """
        readerd status [--control SOCKET] [--json]

        Shows how the running reader is: door, links, controller, events, clock, and what does not work.
            readerd status --json | jq .faults

        \(asking)
        """

    private static let unlock = """
        readerd unlock [pulse | extended | office-on | office-off] [--id ID] [--control SOCKET] [--json]

        Opens the door of the running reader: for a pulse if nothing else is said, for the extended time, or until
        office-off, which also ends the others. Who asked is on record.
            readerd unlock
            readerd unlock office-on

        \(once)
        \(asking)
        """

    private static let lockdown = """
        readerd lockdown on | off [--id ID] [--control SOCKET] [--json]

        Secures the door at once and lets nobody in until the lockdown is over; exits and fire stay free. It does not
        outlast the reader's end.
            readerd lockdown on

        \(once)
        \(asking)
        """

    private static let tamperReset = """
        readerd tamper-reset [--id ID] [--control SOCKET] [--json]

        Lets people in again after the housing was opened and closed, where door.tamper is "block".
            readerd tamper-reset

        \(once)
        \(asking)
        """

    private static let setTime = """
        readerd set-time TIME [--id ID] [--control SOCKET] [--json]

        Sets the reader's own clock; the system's clock is not touched. A system clock that is synchronised holds, and
        this is refused then. TIME has its offset from UTC, or is in seconds since 1970-01-01 UTC.
            readerd set-time 2026-11-22T13:00:00+01:00
            readerd set-time $(date -Is)

        \(once)
        \(asking)
        """

    private static let provisioning = """
        readerd provisioning open [SECONDS] | close [--id ID] [--control SOCKET] [--json]

        Lets phones name the Wi-Fi network that the running reader's device is to join, for SECONDS, 30 to 3600, or 300;
        close ends that at once. The configuration has to name a Wi-Fi: provisioning.wifi.
            readerd provisioning open 600

        \(once)
        \(asking)
        """

    private static let metrics = """
        readerd metrics [--control SOCKET] [--json]

        Prints the reader's counters as Prometheus collects them. docs/control.md has each.
            readerd metrics | grep openings

        \(asking)
        """

    private static let events = """
        readerd events [--state DIR] [--since N|DATE | --last N] [--kind KIND] [--cleared] [--json] [--follow]
        readerd events [--state DIR] --verify [--anchor PLACE] [--json]
        readerd events [--state DIR] --export FILE

        Shows what happened at the door: who was let in and who was not, and what else concerns it. It reads the log
        in the state directory, whether or not the reader runs, and never changes it.

        --state DIR     Where the reader keeps its state, \(RunOptions.defaultStateDirectory) by default.
        --since N       From event number N on. Numbers are never given twice.
        --since DATE    From the first event on that has this local time or a later one: 2026-11-22, or
                        2026-11-22T18:00.
        --last N        The newest N; \(EventsOptions.defaultLast) by default.
        --kind KIND     Only this kind, such as denied; several with commas. docs/events.md has all of them.
        --cleared       Also those from before the log was last cleared.
        --json          An object of JSON in each line, for programs.
        --follow        Goes on with what happens from now on, until it is ended.

        --verify        Checks that every record is the one that this reader wrote, and that none is missing. It ends
                        with 0 if so, and else with 1 and a line for each fault. At the end it prints an anchor, a
                        place in the log.
        --anchor PLACE  Checks also that an anchor that was noted earlier, anywhere but on this device, still fits.
                        That alone shows a state directory that was put back as a whole.
        --export FILE   Writes every record with its octets and its chain value to FILE, as lines of JSON.

        Who came in since that day, and was it so:
            readerd events --since 2026-11-22 --kind granted,denied
            readerd events --verify
        """

    private static let checkConfig = """
        readerd check-config FILE [--state DIR] [--json]

        Reads FILE as `readerd run` would, and prints each fault with its line on standard error:
            readerd.toml:7: door.puls-s: unknown key; did you mean door.pulse-s?
        Warnings and notices are printed as well. It ends with 0 if there is no fault, and with 1 otherwise.
            readerd check-config /etc/readerd/readerd.toml

        --state DIR  Looks also at what a backend has pushed, which is kept in the state directory and comes before
                     the file: each value, the key that it comes before, and what the file has there.
        --json       All of it as one object of JSON, on standard output: docs/configuration.md.
        """
}
