/// What an event of the log is about. The numbers and names are for ever: they stand in logs that outlive a version.
///
/// The table is closed, and all of it stands in `docs/events.md`. It is no enumeration all the same, since a log may
/// have been written by a later version.
public struct AuditKind: RawRepresentable, Hashable, Sendable {
    /// The number in the log.
    public let rawValue: UInt16

    /// The kind with this number, known or not.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// A credential opened the door; the information is an `EventAccessInfo`.
    public static let granted = AuditKind(rawValue: 1)
    /// A credential was refused; the information is a status code, or an `EventAccessInfo` from 128 on.
    public static let denied = AuditKind(rawValue: 2)
    /// The grant just before with this credential did not open the door: its record came too late.
    public static let withdrawn = AuditKind(rawValue: 3)
    /// A command other than opening was carried out; the information is its status code.
    public static let command = AuditKind(rawValue: 4)
    /// Somebody with access to the device opened the door; the actor says who.
    public static let unlocked = AuditKind(rawValue: 5)

    /// Something was shown that proves nothing: its signature is not good. Names nobody; the information is a status code.
    public static let unproven = AuditKind(rawValue: 6)
    /// So many more attempts that proved nothing have no record of their own.
    public static let unprovenSuppressed = AuditKind(rawValue: 7)
    /// This credential was refused so many more times, and those have no record of their own; the detail says what for.
    public static let denialsSuppressed = AuditKind(rawValue: 8)

    /// The door's contact opened.
    public static let doorOpened = AuditKind(rawValue: 10)
    /// The door's contact closed.
    public static let doorClosed = AuditKind(rawValue: 11)
    /// The door opened without a grant.
    public static let doorForced = AuditKind(rawValue: 12)
    /// The door is open for longer than it may be.
    public static let doorAjar = AuditKind(rawValue: 13)
    /// The door is soon open for longer than it may be.
    public static let doorAjarSoon = AuditKind(rawValue: 14)
    /// A forced or ajar door is closed again.
    public static let doorRestored = AuditKind(rawValue: 15)
    /// Somebody asked to leave.
    public static let requestToExit = AuditKind(rawValue: 16)
    /// The fire input became active.
    public static let fire = AuditKind(rawValue: 17)
    /// The fire input is at rest again.
    public static let fireRestored = AuditKind(rawValue: 18)
    /// The tamper input became active.
    public static let tamper = AuditKind(rawValue: 19)
    /// The tamper input is at rest again.
    public static let tamperRestored = AuditKind(rawValue: 20)
    /// Nobody is let in from now on.
    public static let lockdown = AuditKind(rawValue: 21)
    /// The lockdown is over.
    public static let lockdownEnded = AuditKind(rawValue: 22)
    /// The door stays unlocked from now on.
    public static let heldOpen = AuditKind(rawValue: 23)
    /// The door does not stay unlocked any longer.
    public static let heldOpenEnded = AuditKind(rawValue: 24)
    /// Too many bad attempts: credentials are not looked at for a while.
    public static let lockedOut = AuditKind(rawValue: 25)
    /// Credentials are looked at again.
    public static let lockedOutEnded = AuditKind(rawValue: 26)
    /// An operator reset a tamper that blocked the door.
    public static let tamperReset = AuditKind(rawValue: 27)

    /// The reader started; the information is 1 if the log has no stop of the run before.
    public static let start = AuditKind(rawValue: 30)
    /// The reader stops, in order.
    public static let stop = AuditKind(rawValue: 31)
    /// The wall clock moved by this many seconds against the monotonic one.
    public static let clockStepped = AuditKind(rawValue: 32)
    /// The clock was set by a phone or a person.
    public static let clockSet = AuditKind(rawValue: 33)
    /// The reader runs with another configuration than before.
    public static let configurationChanged = AuditKind(rawValue: 34)
    /// The blacklist was added to or emptied; the information is its number of entries.
    public static let blacklistChanged = AuditKind(rawValue: 35)
    /// An entry did not fit the blacklist.
    public static let blacklistFull = AuditKind(rawValue: 36)
    /// A credential that is on the blacklist was shown.
    public static let credentialBlacklisted = AuditKind(rawValue: 37)
    /// The clock was to be set by this many seconds, and was not: only an operator may do that.
    public static let clockStepRefused = AuditKind(rawValue: 38)
    /// How far the clock can be believed has changed: 0 unset, 1 set, 2 stale, 3 synchronised.
    public static let clockQuality = AuditKind(rawValue: 39)

    /// The log was cleared: phones see nothing up to the mark. The records stay until their room is needed.
    public static let logCleared = AuditKind(rawValue: 40)
    /// The log is full and takes no further grants.
    public static let logFull = AuditKind(rawValue: 41)
    /// The log did not continue where this device had left it, at the mark: it was replaced, cut or damaged.
    public static let logLost = AuditKind(rawValue: 42)
    /// So many events could not be kept.
    public static let eventsLost = AuditKind(rawValue: 43)
    /// The log could not be written; the information is the fault's number.
    public static let diskFailed = AuditKind(rawValue: 44)
    /// The log can be written again.
    public static let diskRestored = AuditKind(rawValue: 45)

    /// A line of the door could not be set.
    public static let lineFailed = AuditKind(rawValue: 50)
    /// The line can be set again.
    public static let lineRestored = AuditKind(rawValue: 51)
    /// The Bluetooth controller failed.
    public static let controllerFailed = AuditKind(rawValue: 52)
    /// The Bluetooth controller is up again.
    public static let controllerRestored = AuditKind(rawValue: 53)
    /// The NFC front end failed.
    public static let nfcFailed = AuditKind(rawValue: 54)
    /// The NFC front end is up again.
    public static let nfcRestored = AuditKind(rawValue: 55)

    /// The platform's updater ended; the information is its exit status, 256 and the signal that ended it, or the
    /// negative errno if it could not be started.
    public static let updaterEnded = AuditKind(rawValue: 60)

    /// Of a configuration that a phone brought, so many settings were ignored; the detail names them.
    public static let configurationIgnored = AuditKind(rawValue: 61)
    /// What decides about people is not what this reader has kept, and nobody is let in by phone: 1 lost, 2 an older
    /// copy.
    public static let policyRefused = AuditKind(rawValue: 70)
    /// An operator began an empty policy; the actor says who.
    public static let policyBegun = AuditKind(rawValue: 71)

    /// Every kind with its name, in the order of the numbers.
    public static let table: [(kind: AuditKind, name: String)] = [
        (.granted, "granted"), (.denied, "denied"), (.withdrawn, "withdrawn"), (.command, "command"),
        (.unlocked, "unlocked"), (.unproven, "unproven"), (.unprovenSuppressed, "unproven-suppressed"),
        (.denialsSuppressed, "denials-suppressed"), (.doorOpened, "door-opened"), (.doorClosed, "door-closed"),
        (.doorForced, "door-forced"), (.doorAjar, "door-ajar"), (.doorAjarSoon, "door-ajar-soon"),
        (.doorRestored, "door-restored"), (.requestToExit, "request-to-exit"), (.fire, "fire"),
        (.fireRestored, "fire-restored"), (.tamper, "tamper"), (.tamperRestored, "tamper-restored"),
        (.lockdown, "lockdown"), (.lockdownEnded, "lockdown-ended"), (.heldOpen, "held-open"),
        (.heldOpenEnded, "held-open-ended"), (.lockedOut, "locked-out"), (.lockedOutEnded, "locked-out-ended"),
        (.tamperReset, "tamper-reset"), (.start, "start"), (.stop, "stop"),
        (.clockStepped, "clock-stepped"), (.clockSet, "clock-set"),
        (.configurationChanged, "configuration-changed"), (.blacklistChanged, "blacklist-changed"),
        (.blacklistFull, "blacklist-full"), (.credentialBlacklisted, "credential-blacklisted"),
        (.clockStepRefused, "clock-step-refused"), (.clockQuality, "clock-quality"),
        (.logCleared, "log-cleared"), (.logFull, "log-full"),
        (.logLost, "log-lost"), (.eventsLost, "events-lost"), (.diskFailed, "disk-failed"),
        (.diskRestored, "disk-restored"), (.lineFailed, "line-failed"), (.lineRestored, "line-restored"),
        (.controllerFailed, "controller-failed"), (.controllerRestored, "controller-restored"),
        (.nfcFailed, "nfc-failed"), (.nfcRestored, "nfc-restored"),
        (.updaterEnded, "updater-ended"), (.configurationIgnored, "configuration-ignored"),
        (.policyRefused, "policy-refused"), (.policyBegun, "policy-begun"),
    ]

    private static let names = Dictionary(uniqueKeysWithValues: table.map { ($0.kind, $0.name) })

    /// The kind's name; `kind-77` for one that this version does not know.
    public var name: String { AuditKind.names[self] ?? "kind-\(rawValue)" }

    /// The kind of this name, if there is one.
    public init?(name: String) {
        guard let entry = AuditKind.table.first(where: { $0.name == name }) else { return nil }
        self = entry.kind
    }

    /// The kinds whose mark is the policy's generation at that time: an older policy that is put back beside the log
    /// is seen by them.
    public static let policyWitnesses: Set<AuditKind> = [
        .start, .stop, .clockStepped, .clockSet, .configurationChanged, .blacklistChanged, .policyBegun,
    ]

    /// Whether a full log still takes it, out of its reserve. Not what anybody in front of the door can cause at
    /// will: they would use the reserve up.
    var usesReserve: Bool {
        switch self {
        case .granted, .denied, .command, .doorOpened, .doorClosed, .configurationIgnored, .unproven,
            .unprovenSuppressed, .denialsSuppressed:
            false
        default: true
        }
    }

    /// The kinds of what anybody in range can cause at will, without a credential.
    public static let ofStrangers: [AuditKind] = [.unproven, .unprovenSuppressed]
}
