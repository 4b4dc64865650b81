/// Everything that a reader's configuration says; each property's default is the key's default.
///
/// Numbers keep the unit that the key's name says. Ranges and meanings stand in `SettingKey.all`.
public struct ReaderSettings: Equatable, Sendable {
    /// A way of advertising, and with it the link of a phone that answered to it.
    public typealias Mode = AdvertisingMode

    /// `hci`: the name of the transport to the controller.
    public var hci = "hci-socket:0"
    /// `hci-take`: whether an adapter that is up may be taken from the system.
    public var takesAdapter = false
    /// `allow-demo-identity`: whether a real lock may be driven with the published keys.
    public var allowsDemoIdentity = false
    /// `log-level`
    public var logLevel = LogLevel.info
    /// `control`: the path of the control socket; nil for the usual one, if its directory is there.
    public var control: String?
    /// `[reader]`
    public var reader = Reader()
    /// `[credentials]`
    public var credentials = Credentials()
    /// `[advertising]`
    public var advertising = Advertising()
    /// `[links]`
    public var links = Links()
    /// `[proximity]`
    public var proximity = Proximity()
    /// `[door]`
    public var door = Door()
    /// `[gpio]`
    public var gpio = GPIO()
    /// `[nfc]`
    public var nfc = NFC()
    /// `[events]`
    public var events = Events()
    /// `[updater]`
    public var updater = Updater()
    /// `[provisioning]`
    public var provisioning = Provisioning()

    /// The defaults.
    public init() {}

    /// From where on the log tells.
    public enum LogLevel: String, CaseIterable, Equatable, Sendable {
        /// Everything.
        case trace
        /// What helps to find faults, measurements among it.
        case debug
        /// What happens.
        case info
        /// What an operator did, and what changed.
        case notice
        /// What may not work.
        case warning
        /// What does not work.
        case error
        /// What ends it.
        case critical
    }

    /// `[reader]`: which door this is.
    public struct Reader: Equatable, Sendable {
        /// `site-id`
        public var siteID = 1
        /// `door-id`
        public var doorID = 1
        /// `utc-offset-minutes`
        public var utcOffsetMinutes = 0
        /// `time-zone`
        public var timeZone: String?
        /// `phones-may-set`
        public var pushable: [PushedSetting] = []
    }

    /// `[advertising]`: how the reader makes itself known. UUIDs are text, as people write them.
    public struct Advertising: Equatable, Sendable {
        /// `modes`, in the order of the file.
        public var modes: [Mode] = [.onTouch, .access]
        /// `interval-ms`
        public var intervalMilliseconds = 100
        /// `company-id`
        public var companyID = 0x0C5E
        /// `access-service`
        public var accessService = 0xFCBA
        /// `classic-service`
        public var classicService = "00005301-0000-002a-426c-756549442a00"
        /// `on-touch-service`
        public var onTouchService = "00005301-0010-002a-426c-756549442a00"
        /// `ibeacon-uuid`
        public var iBeaconUUID = "3abe6601-d90d-4975-88b7-8e3fe83a687a"
    }

    /// `[links]`: the pool of connections.
    public struct Links: Equatable, Sendable {
        /// `max`
        public var maximum = 3
        /// `max-connection-ms`
        public var maximumConnectionMilliseconds = 3000
        /// `longest-connection-s`
        public var longestConnectionSeconds = 60
    }

    /// `[nfc]`
    public struct NFC: Equatable, Sendable {
        /// What the front end does.
        public enum Role: String, CaseIterable, Equatable, Sendable {
            /// It is the card, and the phone the reader.
            case target
        }

        /// `connection`
        public var connection: String?
        /// `role`
        public var role = Role.target
        /// `aid`
        public var application = ApplicationID.access.description
        /// `uri`
        public var uri: String?
        /// `package`
        public var package: String?

        /// What phones find, on the reader with this id. The texts have been checked.
        public func configuration(deviceID: String) -> ContactlessConfiguration {
            var configuration = ContactlessConfiguration()
            configuration.application = ApplicationID(application) ?? .access
            configuration.message = NDEFMessage.octets(uri: uri, package: package)
            configuration.deviceID = deviceID
            return configuration
        }
    }

    /// `[events]`
    public struct Events: Equatable, Sendable {
        /// Whether a grant waits for its record.
        public enum Audit: String, CaseIterable, Equatable, Sendable {
            /// It waits.
            case strict
            /// It does not.
            case relaxed
        }

        /// What happens when the log is full.
        public enum WhenFull: String, CaseIterable, Equatable, Sendable {
            /// The oldest event goes.
            case overwrite
            /// Nobody is let in.
            case refuse
        }

        /// What happens to grants while the log cannot be written, with a strict audit.
        public enum WhenFailing: String, CaseIterable, Equatable, Sendable {
            /// Nobody is let in.
            case refuse
            /// People are let in; their events are kept in memory as long as it has room.
            case admit
        }

        /// `audit`
        public var audit = Audit.strict
        /// `capacity`
        public var capacity = 10_000
        /// `when-full`
        public var whenFull = WhenFull.overwrite
        /// `max-wait-ms`
        public var maximumWaitMilliseconds = 1000
        /// `when-failing`
        public var whenFailing = WhenFailing.refuse

        /// What the log's way to the disk needs of it.
        public var policy: AuditPolicy {
            AuditPolicy(
                isStrict: audit == .strict, letsInWhileFailing: whenFailing == .admit,
                maximumWait: .milliseconds(maximumWaitMilliseconds))
        }

        /// What the log on the disk needs of it.
        public var logCapacity: LogCapacity {
            LogCapacity(records: capacity, whenFull: whenFull == .refuse ? .refuse : .overwrite)
        }
    }
}
