import Logging
import Peripheral

/// What the command line of `readerd run` says.
struct RunOptions: Equatable {
    /// Where the configuration is when the command line does not say; without such a file, the defaults hold.
    static let defaultConfiguration = "/etc/readerd/readerd.toml"
    /// Where the state is when the command line does not say.
    static let defaultStateDirectory = "/var/lib/readerd"

    /// `--config`; nil for the default place.
    var configuration: String?
    /// `--hci`; it comes before the configuration's.
    var hci: TransportName?
    /// `--state`
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
