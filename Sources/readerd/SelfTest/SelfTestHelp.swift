// SPDX-License-Identifier: Apache-2.0

/// The help of `readerd self-test`.
enum SelfTestHelp {
    static let selfTest = """
        readerd self-test [--config FILE] [--hci NAME] [--state DIR] [--control SOCKET] [--only LIST]
                          [--timeout SECONDS] [--board FILE] [--json]

        Tests the parts of a reader, and prints a line for each: ok, failed, or not configured, with the remedy. Exit
        status: 0 without a failure, 1 with one, 2 after wrong usage; for updaters that accept or revert a version. The
        lock does not move.

          controller   The controller is reset and initialized; it reads RSSI if a mode needs that.
          advertising  Each configured mode is advertised once.
          nfc          The NFC front end answers.
          gpio         The lines exist and are free. Inputs are read; outputs are only looked up in the kernel.
          keys         The identity loads, is inaccessible to other users, and is owned by the service's user.
                       The published demo identity counts as not configured.
          disk         A file is written, synchronised, renamed and removed in the state directory within
                       events.max-wait-ms; the newest events are verified.
          clock        The reader's clock is set: not before this version's build, not before the last event.

        A reader that runs on the state directory holds these parts. Its own report is then printed, obtained by the
        control socket; a first line says so, and lists its faults.

        --config FILE      The configuration, as for readerd run.
        --hci NAME         The controller; has precedence over the configuration, as for readerd run.
        --state DIR        The state directory, \(RunOptions.defaultStateDirectory) by default. A missing one is
                           created for the test, and removed. In an existing one, missing addresses are
                           generated as by readerd run.
        --control SOCKET   The socket of a running reader; has precedence over the configuration.
        --only LIST        Only these parts, such as controller,advertising.
        --timeout SECONDS  The time-out of the controller, and of the NFC chip: 1 to 600,
                           \(SelfTestOptions.defaultTimeoutSeconds) by default. The look-up of a tcp-client's host name is not
                           included.
        --board FILE       Also asks on the terminal about what only a person sees of a running reader's hardware:
                           relay, lights, buzzer, contact, button, NFC card, phone; it opens the door for that.
                           All goes into FILE, a new one, as text or with --json. What is not answered is not
                           shown; exit status 0 only if all that is configured was shown.
        --json             One JSON object: ok, version, reader-runs, and parts, each with part, result (ok,
                           failed or not-configured) and detail.

        The controller alone, on a bench:
            readerd self-test --state ./state --hci tcp-client:127.0.0.1:6402 --only controller,advertising
        Root has more rights than the service. As the user of the Debian package's service:
            systemctl stop readerd
            systemd-run --wait --pipe --uid=readerd -p AmbientCapabilities=CAP_NET_ADMIN \\
                -p SupplementaryGroups="gpio dialout" readerd self-test
        """
}
