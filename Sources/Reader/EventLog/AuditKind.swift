// SPDX-License-Identifier: Apache-2.0

/// The kind of an event in the log. Numbers and names never change, since logs outlive versions.
///
/// The table is complete and listed in `docs/operate/events.md`. It is not an enumeration, since a log may have been
/// written by a later version.
public struct AuditKind: RawRepresentable, Hashable, Sendable {
    /// The number in the log.
    public let rawValue: UInt16

    /// Creates the kind with this number, known or not.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// A credential opened the door; the information is an `EventAccessInfo`.
    public static let granted = AuditKind(rawValue: 1)
    /// A credential was refused; the information is a status code, or an `EventAccessInfo` from 128 on.
    public static let denied = AuditKind(rawValue: 2)
    /// The preceding grant of this credential did not open the door: its record came too late.
    public static let withdrawn = AuditKind(rawValue: 3)
    /// A command that does not open the door was executed; the information is its status code.
    public static let command = AuditKind(rawValue: 4)
    /// A local operator opened the door; the actor names the operator.
    public static let unlocked = AuditKind(rawValue: 5)

    /// A credential or command with an invalid signature was shown. Names no credential; the information is a status
    /// code.
    public static let unproven = AuditKind(rawValue: 6)
    /// This many further attempts that proved nothing were not recorded individually.
    public static let unprovenSuppressed = AuditKind(rawValue: 7)
    /// This credential was refused this many more times without individual records; the detail names the reason.
    public static let denialsSuppressed = AuditKind(rawValue: 8)

    /// A credential that the reader would grant was handed on to an access panel, which decides; the information is as
    /// of `granted`.
    public static let handedOn = AuditKind(rawValue: 9)

    /// The door contact opened.
    public static let doorOpened = AuditKind(rawValue: 10)
    /// The door contact closed.
    public static let doorClosed = AuditKind(rawValue: 11)
    /// The door opened without a grant.
    public static let doorForced = AuditKind(rawValue: 12)
    /// The door is held open for too long.
    public static let doorHeldOpenTooLong = AuditKind(rawValue: 13)
    /// The door will soon be held open for too long.
    public static let doorHeldOpenWarning = AuditKind(rawValue: 14)
    /// A forced or held-open door is closed again.
    public static let doorRestored = AuditKind(rawValue: 15)
    /// An exit was requested.
    public static let requestToExit = AuditKind(rawValue: 16)
    /// The fire input became active.
    public static let fire = AuditKind(rawValue: 17)
    /// The fire input returned to rest.
    public static let fireRestored = AuditKind(rawValue: 18)
    /// The tamper input became active.
    public static let tamper = AuditKind(rawValue: 19)
    /// The tamper input returned to rest.
    public static let tamperRestored = AuditKind(rawValue: 20)
    /// A lockdown began: access is refused.
    public static let lockdown = AuditKind(rawValue: 21)
    /// The lockdown ended.
    public static let lockdownEnded = AuditKind(rawValue: 22)
    /// Office mode or hours began to keep the door unlocked.
    public static let passage = AuditKind(rawValue: 23)
    /// Office mode or hours ended.
    public static let passageEnded = AuditKind(rawValue: 24)
    /// A lockout began after too many refused attempts: access is refused for a time.
    public static let lockedOut = AuditKind(rawValue: 25)
    /// The lockout ended.
    public static let lockedOutEnded = AuditKind(rawValue: 26)
    /// An operator reset a tamper block.
    public static let tamperReset = AuditKind(rawValue: 27)

    /// An access panel unlocked the door.
    public static let panelUnlocked = AuditKind(rawValue: 28)

    /// The reader started; the information is 1 if the log has no stop of the previous run.
    public static let start = AuditKind(rawValue: 30)
    /// The reader stopped in an orderly way.
    public static let stop = AuditKind(rawValue: 31)
    /// The wall clock moved by this many seconds against the monotonic clock.
    public static let clockStepped = AuditKind(rawValue: 32)
    /// The clock was set by a phone or an operator.
    public static let clockSet = AuditKind(rawValue: 33)
    /// The reader runs with a configuration that differs from the previous one.
    public static let configurationChanged = AuditKind(rawValue: 34)
    /// The blacklist was extended or emptied; the information is its number of entries.
    public static let blacklistChanged = AuditKind(rawValue: 35)
    /// An entry did not fit into the blacklist.
    public static let blacklistFull = AuditKind(rawValue: 36)
    /// A blacklisted credential was shown.
    public static let credentialBlacklisted = AuditKind(rawValue: 37)
    /// A step of the clock by this many seconds was refused: only an operator may make it.
    public static let clockStepRefused = AuditKind(rawValue: 38)
    /// The quality of the clock has changed: 0 unset, 1 set, 2 stale, 3 synchronised.
    public static let clockQuality = AuditKind(rawValue: 39)

    /// The log was cleared: phones see nothing up to the mark. The records remain until their room is needed.
    public static let logCleared = AuditKind(rawValue: 40)
    /// The log is full and accepts no further grants.
    public static let logFull = AuditKind(rawValue: 41)
    /// The log did not continue at the mark, where this device had left it: it was replaced, cut or damaged.
    public static let logLost = AuditKind(rawValue: 42)
    /// This many events could not be kept.
    public static let eventsLost = AuditKind(rawValue: 43)
    /// The log could not be written; the information is the fault's number.
    public static let diskFailed = AuditKind(rawValue: 44)
    /// The log can be written again.
    public static let diskRestored = AuditKind(rawValue: 45)
    /// This many further events of one origin are not recorded individually; the detail names their kinds.
    public static let recordsSuppressed = AuditKind(rawValue: 46)

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

    /// The platform's updater ended. The information is its exit status, 256 plus the signal that ended it, or the
    /// negative errno if it could not be started.
    public static let updaterEnded = AuditKind(rawValue: 60)

    /// This many settings of a configuration that a phone brought were ignored; the detail names them.
    public static let configurationIgnored = AuditKind(rawValue: 61)
    /// The stored policy differs from the policy that this reader kept, so no phone is granted access: 1 lost, 2 an
    /// older copy.
    public static let policyRefused = AuditKind(rawValue: 70)
    /// An operator started an empty policy; the actor is the operator.
    public static let policyBegun = AuditKind(rawValue: 71)

    /// A commissioning window of the Matter lock was opened; the actor is the node that did, none for the operator.
    public static let matterWindow = AuditKind(rawValue: 80)
    /// The commissioning window was closed; the detail is the cause.
    public static let matterWindowEnded = AuditKind(rawValue: 81)
    /// The Matter lock was added to a fabric; the information is its index, the detail its identifiers.
    public static let matterFabricAdded = AuditKind(rawValue: 82)
    /// The Matter lock has another identifier on a fabric.
    public static let matterFabricUpdated = AuditKind(rawValue: 83)
    /// A fabric was removed from the Matter lock; the actor is the node that did.
    public static let matterFabricRemoved = AuditKind(rawValue: 84)

    /// Every kind with its name, in the order of the numbers.
    public static let table: [(kind: AuditKind, name: String)] = [
        (.granted, "granted"), (.denied, "denied"), (.withdrawn, "withdrawn"), (.command, "command"),
        (.unlocked, "unlocked"), (.unproven, "unproven"), (.unprovenSuppressed, "unproven-suppressed"),
        (.denialsSuppressed, "denials-suppressed"), (.handedOn, "handed-on"),
        (.doorOpened, "door-opened"), (.doorClosed, "door-closed"),
        (.doorForced, "door-forced"), (.doorHeldOpenTooLong, "door-ajar"), (.doorHeldOpenWarning, "door-ajar-soon"),
        (.doorRestored, "door-restored"), (.requestToExit, "request-to-exit"), (.fire, "fire"),
        (.fireRestored, "fire-restored"), (.tamper, "tamper"), (.tamperRestored, "tamper-restored"),
        (.lockdown, "lockdown"), (.lockdownEnded, "lockdown-ended"), (.passage, "held-open"),
        (.passageEnded, "held-open-ended"), (.lockedOut, "locked-out"), (.lockedOutEnded, "locked-out-ended"),
        (.tamperReset, "tamper-reset"), (.panelUnlocked, "panel-unlocked"), (.start, "start"), (.stop, "stop"),
        (.clockStepped, "clock-stepped"), (.clockSet, "clock-set"),
        (.configurationChanged, "configuration-changed"), (.blacklistChanged, "blacklist-changed"),
        (.blacklistFull, "blacklist-full"), (.credentialBlacklisted, "credential-blacklisted"),
        (.clockStepRefused, "clock-step-refused"), (.clockQuality, "clock-quality"),
        (.logCleared, "log-cleared"), (.logFull, "log-full"),
        (.logLost, "log-lost"), (.eventsLost, "events-lost"), (.diskFailed, "disk-failed"),
        (.diskRestored, "disk-restored"), (.recordsSuppressed, "records-suppressed"), (.lineFailed, "line-failed"),
        (.lineRestored, "line-restored"),
        (.controllerFailed, "controller-failed"), (.controllerRestored, "controller-restored"),
        (.nfcFailed, "nfc-failed"), (.nfcRestored, "nfc-restored"),
        (.updaterEnded, "updater-ended"), (.configurationIgnored, "configuration-ignored"),
        (.policyRefused, "policy-refused"), (.policyBegun, "policy-begun"),
        (.matterWindow, "matter-window"), (.matterWindowEnded, "matter-window-ended"),
        (.matterFabricAdded, "matter-fabric-added"), (.matterFabricUpdated, "matter-fabric-updated"),
        (.matterFabricRemoved, "matter-fabric-removed"),
    ]

    private static let names = Dictionary(uniqueKeysWithValues: table.map { ($0.kind, $0.name) })

    /// The kind's name; `kind-77` for a kind unknown to this version.
    public var name: String { AuditKind.names[self] ?? "kind-\(rawValue)" }

    /// Creates the kind with this name; nil for an unknown name.
    public init?(name: String) {
        guard let entry = AuditKind.table.first(where: { $0.name == name }) else { return nil }
        self = entry.kind
    }

    /// The kinds whose mark is the policy's generation at their time. They reveal that the policy was replaced with
    /// an older copy.
    public static let policyWitnesses: Set<AuditKind> = [
        .start, .stop, .clockStepped, .clockSet, .configurationChanged, .blacklistChanged, .policyBegun,
    ]

    /// True if a full log still accepts the kind, in its reserve. False for kinds that anyone at the door can cause at
    /// will, since they would exhaust the reserve.
    var usesReserve: Bool {
        switch self {
        case .granted, .handedOn, .panelUnlocked, .denied, .command, .doorOpened, .doorClosed, .configurationIgnored,
            .unproven, .unprovenSuppressed, .denialsSuppressed, .recordsSuppressed, .requestToExit, .lockedOut,
            .lockedOutEnded, .credentialBlacklisted, .blacklistFull, .matterWindow, .matterWindowEnded:
            false
        default: true
        }
    }

    /// The kinds that anyone in range can cause at will without a credential.
    public static let unprovenKinds: [AuditKind] = [.unproven, .unprovenSuppressed, .lockedOut, .lockedOutEnded]
}
