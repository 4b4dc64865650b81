// SPDX-License-Identifier: Apache-2.0

/// A fault of a running reader. The names are stable, for programs; docs/operate/faults.md states for each what still
/// works.
public enum FaultCode: String, CaseIterable, Hashable, Sendable {
    // MARK: The controller

    /// No controller at the transport's end.
    case controllerAbsent = "controller-absent"
    /// The radio is switched off (rfkill).
    case controllerBlocked = "controller-blocked"
    /// This process has no permission to use the controller.
    case controllerNotPermitted = "controller-not-permitted"
    /// The controller is in use by another program.
    case controllerTaken = "controller-taken"
    /// The connection to the controller has broken.
    case controllerLost = "controller-lost"
    /// The controller does not work as required.
    case controllerFailed = "controller-failed"
    /// The controller cannot read RSSI, which the gates of some modes need.
    case controllerWithoutRSSI = "controller-without-rssi"
    /// The controller cannot read the transmit power of phones, which a limit of the path loss needs.
    case controllerWithoutPower = "controller-without-power"
    /// The controller refuses to advertise.
    case advertisingRefused = "advertising-refused"
    /// Some of the modes are not advertised: no controller can as they are configured, or this one refuses.
    case modesUnserved = "modes-unserved"

    // MARK: The door's lines, named as their keys

    /// The output to the lock cannot be set.
    case lockLine = "line-lock"
    /// The green light cannot be set.
    case grantedIndicatorLine = "line-led-granted"
    /// The red light cannot be set.
    case deniedIndicatorLine = "line-led-denied"
    /// The buzzer cannot be set.
    case buzzerLine = "line-buzzer"
    /// The door contact cannot be read.
    case contactLine = "line-contact"
    /// The exit button cannot be read.
    case exitLine = "line-rex"
    /// The fire alarm's input cannot be read.
    case fireLine = "line-fire"
    /// The tamper contact cannot be read.
    case tamperLine = "line-tamper"

    // MARK: The event log

    /// No room left on the disk.
    case diskFull = "disk-full"
    /// The disk or its driver fails.
    case diskFailing = "disk-failing"
    /// The disk does not answer in its time.
    case diskStalled = "disk-stalled"
    /// The state directory is not writable.
    case diskReadOnly = "disk-read-only"
    /// The log's file is damaged.
    case logDamaged = "log-damaged"
    /// The log's file can be neither opened nor created.
    case logCannotOpen = "log-cannot-open"
    /// Another program writes the log.
    case logInUse = "log-in-use"
    /// A later version wrote the log.
    case logLaterVersion = "log-later-version"
    /// The log cannot be written for any other reason.
    case logFailing = "log-failing"
    /// The log is full and refuses records.
    case logFull = "log-full"
    /// The log was not as the reader had left it.
    case logLost = "log-lost"
    // MARK: The policy

    /// The policy has not been read, or cannot be read.
    case policyUnknown = "policy-unknown"
    /// The policy is missing or damaged.
    case policyLost = "policy-lost"
    /// The policy is older than the last policy that the reader kept.
    case policyRolledBack = "policy-rolled-back"
    /// Newer firmware than this has served with the policy.
    case firmwareOld = "firmware-old"
    /// A key of the identity was replaced before.
    case keyRolledBack = "key-rolled-back"
    /// A change of the policy could not be kept.
    case policyUnwritable = "policy-unwritable"
    /// The stored blacklist exceeds the configured capacity.
    case blacklistTooSmall = "blacklist-too-small"

    // MARK: The identity

    /// A file of the reader's identity cannot be used.
    case identityDamaged = "identity-damaged"

    // MARK: Time

    /// The clock is not set.
    case clockUnset = "clock-unset"
    /// The clock was not set for a day.
    case clockStale = "clock-stale"
    /// The time of the last event, before which no phone may set the clock, is not known.
    case clockFloorUnknown = "clock-floor-unknown"

    // MARK: NFC

    /// The NFC chip cannot be opened, or has failed.
    case nfcFailed = "nfc-failed"

    // MARK: The line to a panel (OSDP)

    /// The serial line to the panel cannot be opened, or was lost.
    case panelLine = "panel-line"
    /// The panel is silent, or is not accepted.
    case panelSilent = "panel-silent"
    /// A key, or an address, that the panel has set could not be kept.
    case panelUnkept = "panel-unkept"

    // MARK: The Matter lock

    /// The process of the Matter lock is not there.
    case matterAbsent = "matter-absent"

    // MARK: The link to a fleet

    /// The process of the link is not there.
    case linkAbsent = "link-absent"
    /// The broker's name has no address.
    case linkUnresolved = "link-unresolved"
    /// The broker does not accept connections.
    case linkUnreachable = "link-unreachable"
    /// The connection to the broker has broken off, or the broker is silent.
    case linkLost = "link-lost"
    /// The broker's certificate is for another name.
    case linkCertificateName = "link-certificate-name"
    /// The broker's certificate is not valid yet, or no longer.
    case linkCertificateTime = "link-certificate-time"
    /// The broker's certificate is of no known authority.
    case linkCertificateUntrusted = "link-certificate-untrusted"
    /// The broker refuses this reader.
    case linkRefused = "link-refused"
    /// The link's certificate or key cannot be used.
    case linkIdentity = "link-identity"
    /// The link's certificate ends soon, or its renewed files do not serve.
    case linkOwnCertificate = "link-own-certificate"
    /// The broker does not speak MQTT 5.
    case linkOldProtocol = "link-old-protocol"
    /// The broker violates MQTT 5, or claims that the link does.
    case linkViolation = "link-broker-protocol"
    /// A limit of the broker is below the needs of the link.
    case linkLimit = "link-broker-limit"
    /// Another client has the same identity.
    case linkIdentityTwice = "link-identity-twice"
    /// Events are not accepted: no collector receives them, or the broker refuses them.
    case linkUndelivered = "link-undelivered"
    /// The broker refuses a state, the presence or the discovery.
    case linkUnpublished = "link-unpublished"
    /// Events have left the log before they were delivered.
    case linkGap = "link-gap"
    /// An order named a command key of the reader, and was not signed by it.
    case linkForged = "link-forged"
    /// Orders wait for a certain time, since an empty policy was begun without one.
    case linkClock = "link-clock"

    // MARK: Configuration and operation

    /// A reloaded configuration has faults, and the previous one stays in force.
    case configurationRejected = "configuration-rejected"
    /// The configuration pushed by a backend is no longer usable, and the file's is in force.
    case pushedConfigurationUnusable = "pushed-configuration-unusable"
    /// The control socket could not be created.
    case controlSocketMissing = "control-socket-missing"

    // MARK: The door

    /// The door was forced, and is still open.
    case doorForced = "door-forced"
    /// The door is held open for too long, or its contact is stuck.
    case doorHeldOpenTooLong = "door-ajar"
    /// The housing is or was open, and the tamper was not reset.
    case tampered

    /// The index in `allCases`.
    var place: Int { FaultCode.places[self] ?? 0 }

    private static let places = Dictionary(
        uniqueKeysWithValues: FaultCode.allCases.enumerated().map { ($0.element, $0.offset) })
}

extension FaultCode {
    /// The reasons for an unavailable controller; at most one is present at a time.
    public static let unreachable: [FaultCode] = [
        .controllerAbsent, .controllerBlocked, .controllerNotPermitted, .controllerTaken, .controllerLost,
    ]

    /// The reasons for refusing phones for lack of a policy; at most one is present at a time.
    public static let withoutPolicy: [FaultCode] = [
        .policyUnknown, .policyLost, .policyRolledBack, .firmwareOld, .keyRolledBack,
    ]

    /// Creates the code of a policy's refusal.
    public init(_ refusal: PolicyRefusal) {
        self =
            switch refusal {
            case .copiesLost, .countLost: .policyLost
            case .rolledBack: .policyRolledBack
            }
    }

    /// The reasons for a log that cannot be written; at most one is present at a time.
    public static let unwritable: [FaultCode] = DiskFault.allCases.map { FaultCode($0) }

    /// Creates the code of a disk fault.
    public init(_ fault: DiskFault) {
        self =
            switch fault {
            case .other: .logFailing
            case .full: .diskFull
            case .inputOutput: .diskFailing
            case .readOnly: .diskReadOnly
            case .damaged: .logDamaged
            case .cannotOpen: .logCannotOpen
            case .inUse: .logInUse
            case .stalled: .diskStalled
            case .laterVersion: .logLaterVersion
            }
    }

    /// Creates the code of an output that cannot be set.
    public init(_ output: DoorOutput) {
        self =
            switch output {
            case .lock: .lockLine
            case .grantedIndicator: .grantedIndicatorLine
            case .deniedIndicator: .deniedIndicatorLine
            case .buzzer: .buzzerLine
            }
    }

    /// Creates the code of an input that cannot be read.
    public init(_ input: DoorInput) {
        self =
            switch input {
            case .contact: .contactLine
            case .exit: .exitLine
            case .fire: .fireLine
            case .tamper: .tamperLine
            }
    }
}
