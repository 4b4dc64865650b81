/// The help of `readerd self-test`.
enum SelfTestHelp {
    static let selfTest = """
        readerd self-test [--config FILE] [--hci NAME] [--state DIR] [--control SOCKET] [--only LIST]
                          [--timeout SECONDS] [--json]

        Looks at what a reader needs, and prints a line for each part: ok, failed, or not configured, and what to do.
        It ends with 0 if nothing has failed, with 1 if something has, and with 2 if it was used wrongly, so an
        updater can let it decide whether a new version stays. The lock does not move.

          controller   The controller is reset and started; it reads RSSI if a mode needs that.
          advertising  Each configured mode goes on the air once, and off again.
          nfc          The NFC front end answers.
          gpio         The lines are there and free. Inputs are read; of outputs the kernel is only asked.
          keys         The identity loads, nobody else can read or change it, and it belongs to the service. The
                       published demo identity counts as not configured.
          disk         A file is written, synchronised, renamed and removed in the state directory within
                       events.max-wait-ms; the newest events are verified.
          clock        The reader's is set: not before this version was built, and not before the last event.

        While a reader runs on the state directory, it has all of that. Then it is asked how it is, by its control
        socket, and the lines say what it says; a first line tells so, and its faults.

        --config FILE      The configuration, as for readerd run.
        --hci NAME         The controller, before what the configuration says, as for readerd run.
        --state DIR        The state directory, \(RunOptions.defaultStateDirectory) by default. One that is missing
                           is made for the trial, and removed. In one that is there, missing addresses are made, as
                           readerd run makes them.
        --control SOCKET   Where a running reader listens, before what the configuration says.
        --only LIST        Only these parts, such as controller,advertising.
        --timeout SECONDS  How long the controller may take, and then the NFC chip: 1 to 600,
                           \(SelfTestOptions.defaultTimeoutSeconds) by default. Where a name service has to be asked for a
                           tcp-client, its time comes on top.
        --json             One object of JSON: ok, version, reader-runs, and parts, each with part, result (ok,
                           failed or not-configured) and detail.

        The controller alone, on a bench:
            readerd self-test --state ./state --hci tcp-client:127.0.0.1:6402 --only controller,advertising
        Root may do more than the service. As the service would, with the Debian package's user:
            systemctl stop readerd
            systemd-run --wait --pipe --uid=readerd -p AmbientCapabilities=CAP_NET_ADMIN \\
                -p SupplementaryGroups="gpio dialout" readerd self-test
        """
}
