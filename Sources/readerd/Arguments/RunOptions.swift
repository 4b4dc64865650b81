// SPDX-License-Identifier: Apache-2.0

import Logging
import Peripheral
import System

/// The arguments of `readerd run`.
struct RunOptions: Equatable {
    /// The default path of the configuration; if the file is missing, the default settings apply.
    static let defaultConfiguration = "/etc/readerd/readerd.toml"
    /// The default state directory.
    static let defaultStateDirectory = "/var/lib/readerd"

    /// `--config`; nil for the default path.
    var configuration: String?
    /// `--hci`; takes precedence over the configuration.
    var hci: TransportName?
    var stateDirectory = RunOptions.defaultStateDirectory
    /// `--btsnoop`: the path of a capture of the controller's traffic; nil for none.
    var capture: String?
    /// `--btsnoop-with-secrets`: permits keys and passphrases in the capture.
    var capturesSecrets = false
    /// `--rssi-trace`: the path of a trace of the links' RSSI; nil for none.
    var trace: String?
    /// `--control`: the path of the control socket; takes precedence over the configuration.
    var control: String?
    /// `--tell-missing`: shows what the board lacks by its red light and its Bluetooth name.
    var tellsMissing = false
    /// `--log-level`; takes precedence over the configuration.
    var logLevel: Logger.Level?
}

extension RunOptions: ReaderdArguments {
    var command: CommandName { .run }

    var options: [CommandOption<RunOptions>] {
        [
            .value("--config") { $0.configuration = $1 },
            .value("--hci") { run, value throws(ReaderdError) in run.hci = try TransportName(option: value) },
            .value("--state") { $0.stateDirectory = $1 },
            .value("--control") { $0.control = $1 },
            .value("--btsnoop") { $0.capture = $1 },
            .flag("--btsnoop-with-secrets") { $0.capturesSecrets = true },
            .value("--rssi-trace") { $0.trace = $1 },
            .flag("--tell-missing") { $0.tellsMissing = true },
            .word("--log-level", "levels") { $0.logLevel = $1 },
        ]
    }

    func check(_ seen: Set<String>) throws(ReaderdError) {
        guard capture != nil || !capturesSecrets else { throw .usage("--btsnoop-with-secrets needs --btsnoop") }
    }
}
