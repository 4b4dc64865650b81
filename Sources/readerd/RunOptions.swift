// SPDX-License-Identifier: Apache-2.0

import Logging
import Peripheral

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
