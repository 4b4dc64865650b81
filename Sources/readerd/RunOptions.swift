import Logging
import Peripheral

/// The arguments of `readerd run`.
struct RunOptions: Equatable {
    /// The default configuration; without such a file, the default settings hold.
    static let defaultConfiguration = "/etc/readerd/readerd.toml"
    /// The default state directory.
    static let defaultStateDirectory = "/var/lib/readerd"

    /// `--config`; nil for the default place.
    var configuration: String?
    /// `--hci`; it comes before the configuration's.
    var hci: TransportName?
    var stateDirectory = RunOptions.defaultStateDirectory
    /// `--btsnoop`: where a capture of the controller's traffic goes; nil for none.
    var capture: String?
    /// `--btsnoop-with-secrets`: there may be keys and passphrases in the capture.
    var capturesSecrets = false
    /// `--control`: where the control socket is; it comes before the configuration's.
    var control: String?
    /// `--log-level`; it comes before the configuration's.
    var logLevel: Logger.Level?
}
