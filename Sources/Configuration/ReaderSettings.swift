// SPDX-License-Identifier: Apache-2.0

public import Reader

/// The settings of a reader's configuration. The initial value of each property is the default of its key.
///
/// Numbers have the unit in the key's name. Ranges and meanings are in `SettingKey.all`.
public struct ReaderSettings: Equatable, Sendable {
    /// An advertising mode; also the mode by which a link was established.
    public typealias Mode = AdvertisingMode

    /// `hci`: the name of the transport to the controller.
    public var hci = "hci-socket:0"
    /// `hci-take`: true to take an adapter that is up from the system.
    public var takesAdapter = false
    /// `allow-demo-identity`: true to permit a real lock with the published keys.
    public var allowsDemoIdentity = false
    /// `log-level`
    public var logLevel = LogLevel.info
    /// `control`: the path of the control socket; nil for the default path, if its directory exists.
    public var control: String?
    /// `[reader]`
    public var reader = Reader()
    /// `[credentials]`
    public var credentials = Credentials()
    /// `[desfire]`
    public var desfire = DESFireSettings()
    /// `[aliro]`
    public var aliro = AliroSettings()
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
    /// `[lights]`: the light of each sign; none for a sign that is not written.
    public var lights: [DoorSign: SignLight] = [:]
    /// `[nfc]`
    public var nfc = NFC()
    /// `[events]`
    public var events = Events()
    /// `[updater]`
    public var updater = Updater()
    /// `[provisioning]`
    public var provisioning = Provisioning()
    /// `[osdp]`
    public var osdp = OSDP()
    /// `[wiegand]`
    public var wiegand = Wiegand()
    /// `[matter]`
    public var matter = Matter()
    /// `[link]`
    public var link = Link()

    /// The default settings.
    public init() {}

    /// The lowest level that is logged.
    public enum LogLevel: String, CaseIterable, Equatable, Sendable {
        /// All messages.
        case trace
        /// For diagnosis, including measurements.
        case debug
        /// Normal operation.
        case info
        /// Actions of operators, and changes.
        case notice
        /// Possible failures.
        case warning
        /// Failures.
        case error
        /// Failures that end the process.
        case critical
    }

    /// `[reader]`: the identity of the door.
    public struct Reader: Equatable, Sendable {
        /// `site-id`
        public var siteID = 1
        /// `door-id`
        public var doorID = 1
        /// `utc-offset-minutes`
        public var utcOffsetMinutes = 0
        /// `time-zone`
        public var timeZone: String?
        /// `holidays`
        public var holidays: [HolidayLine] = []
        /// `phones-may-set`
        public var pushable: [PushedSetting] = []
    }

    /// `[advertising]`: the packets. UUIDs are in their textual form.
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
        /// `pkoc-service`
        public var pkocService = "0000fff0-0000-1000-8000-00805f9b34fb"
        /// `pkoc-fragments`
        public var hasPKOCFragments = false
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
        /// The role of the NFC front end.
        public enum Role: String, CaseIterable, Equatable, Sendable {
            /// The front end is the card, and the phone the reader.
            case target
            /// The front end is the reader of cards, and of phones that play one.
            case poll
            /// Both in turns.
            case both
        }

        /// `connection`
        public var connection: String?
        /// `role`
        public var role = Role.target
        /// `aid`
        public var application = ApplicationID.access.description
        /// `ecp`
        public var pollingFrame: String?
        /// `round-ms`
        public var roundMilliseconds = 100
        /// `poll-ms`
        public var pollMilliseconds = 250
        /// `listen-ms`
        public var listenMilliseconds = 450
        /// `uri`
        public var uri: String?
        /// `package`
        public var package: String?

        /// The configuration of the card application in the reader with this id. The texts have been checked.
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
        /// The order of a grant and its record.
        public enum Audit: String, CaseIterable, Equatable, Sendable {
            /// The grant waits for its record.
            case strict
            /// The grant does not wait.
            case relaxed
        }

        /// The handling of grants while the log cannot be written, with a strict audit.
        public enum WhenFailing: String, CaseIterable, Equatable, Sendable {
            /// Access is refused.
            case refuse
            /// Access is granted; events are kept in memory while there is room.
            case admit
        }

        /// `audit`
        public var audit = Audit.strict
        /// `capacity`
        public var capacity = 10_000
        /// `when-full`
        public var whenFull = LogCapacity.WhenFull.overwrite
        /// `max-wait-ms`
        public var maximumWaitMilliseconds = 1000
        /// `when-failing`
        public var whenFailing = WhenFailing.refuse

        /// The policy of the event log.
        public var policy: AuditPolicy {
            AuditPolicy(
                isStrict: audit == .strict, grantsWhileFailing: whenFailing == .admit,
                maximumWait: .milliseconds(maximumWaitMilliseconds), capacity: capacity)
        }

        /// The capacity of the event log.
        public var logCapacity: LogCapacity { LogCapacity(records: capacity, whenFull: whenFull) }
    }
}
