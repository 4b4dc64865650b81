// SPDX-License-Identifier: Apache-2.0

/// The kind of an event in the log. Numbers and names never change, since logs outlive versions.
///
/// Not an enumeration, since a log may have been written by a later version. The summaries are the table of
/// `docs/operate/events.md`, which `script/tables` writes; "Information:" begins its last column.
public struct AuditKind: RawRepresentable, Hashable, Sendable {
    /// The number in the log.
    public let rawValue: UInt16

    /// Creates the kind with this number, known or not.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// A credential opened the door. Information: 2 default, 3 extended, 4 and 5 toggle.
    public static let granted = AuditKind(rawValue: 1)
    /// A credential with a valid signature was refused, or the door refused all people. The detail is the reason where
    /// one number stands for several. Information: the status, or from 128 on the decision.
    public static let denied = AuditKind(rawValue: 2)
    /// The grant before did not open: its record came too late, the credential lost its right, or the reader
    /// ended before it came; a credential `handed-on` did not reach the panel (detail `panel`); after `unlocked`, the
    /// door refused (the detail says why). Information: the status; 0 after `unlocked`.
    public static let withdrawn = AuditKind(rawValue: 3)
    /// A command other than opening was executed. Information: the status.
    public static let command = AuditKind(rawValue: 4)
    /// A user with access to the device opened the door. The actor is that user.
    public static let unlocked = AuditKind(rawValue: 5)

    /// A credential or command with an invalid signature was shown. Information: the status.
    public static let unproven = AuditKind(rawValue: 6)
    /// More of that, without separate records. Information: how many.
    public static let unprovenSuppressed = AuditKind(rawValue: 7)
    /// Further refusals of this credential as in the detail, without separate records. Information: how many.
    public static let denialsSuppressed = AuditKind(rawValue: 8)

    /// A credential that the reader would grant was handed on to the access panel, which decides. Information: as of
    /// `granted`.
    public static let handedOn = AuditKind(rawValue: 9)

    /// The contact opened.
    public static let doorOpened = AuditKind(rawValue: 10)
    /// The contact closed.
    public static let doorClosed = AuditKind(rawValue: 11)
    /// The door opened without a grant.
    public static let doorForced = AuditKind(rawValue: 12)
    /// The door is open for too long.
    public static let doorHeldOpenTooLong = AuditKind(rawValue: 13)
    /// The door will soon be open for too long.
    public static let doorHeldOpenWarning = AuditKind(rawValue: 14)
    /// A forced or ajar door is closed again.
    public static let doorRestored = AuditKind(rawValue: 15)
    /// A person asked to leave.
    public static let requestToExit = AuditKind(rawValue: 16)
    /// The fire input is active.
    public static let fire = AuditKind(rawValue: 17)
    /// The fire input is at rest again.
    public static let fireRestored = AuditKind(rawValue: 18)
    /// The tamper input is active.
    public static let tamper = AuditKind(rawValue: 19)
    /// The tamper input is at rest again.
    public static let tamperRestored = AuditKind(rawValue: 20)
    /// A lockdown began: all people are refused.
    public static let lockdown = AuditKind(rawValue: 21)
    /// The lockdown ended.
    public static let lockdownEnded = AuditKind(rawValue: 22)
    /// Office mode or office hours began to hold the door open.
    public static let passage = AuditKind(rawValue: 23)
    /// Office mode and office hours ended; fire and a grant may still hold the door open.
    public static let passageEnded = AuditKind(rawValue: 24)
    /// A lockout began after too many refused attempts.
    public static let lockedOut = AuditKind(rawValue: 25)
    /// The lockout ended.
    public static let lockedOutEnded = AuditKind(rawValue: 26)
    /// An operator reset a tamper that blocked the door.
    public static let tamperReset = AuditKind(rawValue: 27)

    /// The access panel unlocked the door.
    public static let panelUnlocked = AuditKind(rawValue: 28)

    /// A card proved an identity that the reader's list does not have; the detail is its kind, the end of the identity,
    /// and the word of a refused document. Anyone can make such a card, so it counts as `unproven`. Information: as of
    /// `denied`.
    public static let unlisted = AuditKind(rawValue: 29)

    /// The reader started. Information: 1 if the log has no stop of the previous run.
    public static let start = AuditKind(rawValue: 30)
    /// The reader ended in order.
    public static let stop = AuditKind(rawValue: 31)
    /// The clock moved against the monotonic one. Information: seconds, negative for back.
    public static let clockStepped = AuditKind(rawValue: 32)
    /// A phone or a person set the clock.
    public static let clockSet = AuditKind(rawValue: 33)
    /// The reader runs with another configuration than before.
    public static let configurationChanged = AuditKind(rawValue: 34)
    /// The blacklist was changed; by an operator with the credential and, as the detail, the ordered end. Information:
    /// how many entries it has.
    public static let blacklistChanged = AuditKind(rawValue: 35)
    /// An entry did not fit into the blacklist.
    public static let blacklistFull = AuditKind(rawValue: 36)
    /// A revoked credential was shown.
    public static let credentialBlacklisted = AuditKind(rawValue: 37)
    /// A step of the clock was refused, which only an operator or a signed day (`CLK_SET`) may make. Information:
    /// seconds, negative for back.
    public static let clockStepRefused = AuditKind(rawValue: 38)
    /// The quality of the clock changed. Information: 0 unset, 1 set, 2 not set for a day, 3 synchronised.
    public static let clockQuality = AuditKind(rawValue: 39)

    /// The log was cleared: phones see nothing up to the mark.
    public static let logCleared = AuditKind(rawValue: 40)
    /// The log accepts no further grants.
    public static let logFull = AuditKind(rawValue: 41)
    /// The log was not as the reader had left it, at the mark.
    public static let logLost = AuditKind(rawValue: 42)
    /// Events could not be kept. Information: how many.
    public static let eventsLost = AuditKind(rawValue: 43)
    /// The log could not be written. Information: 1 other, 2 full, 3 I/O, 4 read-only, 5 damaged, 6 cannot open, 7 in
    /// use, 8 stalled, 9 later version.
    public static let diskFailed = AuditKind(rawValue: 44)
    /// The log can be written again.
    public static let diskRestored = AuditKind(rawValue: 45)
    /// Further events of one origin have no separate records; the detail names their kinds. Information: how many.
    public static let recordsSuppressed = AuditKind(rawValue: 46)

    /// A line of the door, or to a panel, failed; the detail names it.
    public static let lineFailed = AuditKind(rawValue: 50)
    /// The line works again.
    public static let lineRestored = AuditKind(rawValue: 51)
    /// The Bluetooth controller failed.
    public static let controllerFailed = AuditKind(rawValue: 52)
    /// The Bluetooth controller works again.
    public static let controllerRestored = AuditKind(rawValue: 53)
    /// The NFC front end failed or could not be opened; the detail says why.
    public static let nfcFailed = AuditKind(rawValue: 54)
    /// The NFC front end works again.
    public static let nfcRestored = AuditKind(rawValue: 55)

    /// The platform's updater ended, or was not started; the detail says it in words. Information: its exit status; 256
    /// and the signal that ended it; the negative errno if it was not started; 512 if an earlier run of readerd started
    /// it.
    public static let updaterEnded = AuditKind(rawValue: 60)

    /// Settings of a configuration that a phone brought were ignored; the detail begins their names. Information: how
    /// many.
    public static let configurationIgnored = AuditKind(rawValue: 61)
    /// The policy is not the one that this reader has kept, and phones open nothing; the detail says why. Information:
    /// 1 lost, 2 older, 3 older firmware, 4 an older key.
    public static let policyRefused = AuditKind(rawValue: 70)
    /// An operator began an empty policy; the actor is the operator.
    public static let policyBegun = AuditKind(rawValue: 71)

    /// A window began in which an app can commission the Matter lock. The actor is the administrator that opened it;
    /// none for the operator, whose `command` is the record before.
    public static let matterWindow = AuditKind(rawValue: 80)
    /// The window ended; the detail is `commissioned`, `timeout`, `revoked`, `failures` (twenty wrong codes),
    /// `operator`, `fabric-removed`, `undone`, `reader-lost` or `restart`. The actor is the administrator whose command
    /// ended it, if one did.
    public static let matterWindowEnded = AuditKind(rawValue: 81)
    /// The lock is on a fabric, whose administrator can now open; the detail has the identifiers of fabric and node and
    /// the administrator's vendor. Information: the fabric's index, as in the actors of orders.
    public static let matterFabricAdded = AuditKind(rawValue: 82)
    /// The lock has another identifier on the fabric. Information: the fabric's index.
    public static let matterFabricUpdated = AuditKind(rawValue: 83)
    /// The lock is no longer on the fabric. The actor is the administrator that removed it; none for a commissioning
    /// that was not completed. Information: the fabric's index.
    public static let matterFabricRemoved = AuditKind(rawValue: 84)

    /// An administrator of the Matter lock gives the reader its Aliro key and group. Recorded before it is stored;
    /// `withdrawn` follows if it could not be. The detail is the end of the key's X coordinate.
    public static let matterAliroConfigured = AuditKind(rawValue: 85)
    /// An administrator of the Matter lock, or the removal of its fabric, ends the reader's Aliro key, as above.
    public static let matterAliroCleared = AuditKind(rawValue: 86)
    /// An Aliro key of Matter is added, as above; the detail has its kind, index, user, and the end of its X
    /// coordinate. Without an actor by the lock itself, as for a phone that a document has let in.
    public static let matterKeyAdded = AuditKind(rawValue: 87)
    /// An Aliro key of Matter is removed, as above.
    public static let matterKeyRemoved = AuditKind(rawValue: 88)
    /// A PIN of the Matter lock comes into force; the detail has its index and its user. The actor is the
    /// administrator.
    public static let matterPINAdded = AuditKind(rawValue: 89)
    /// A PIN of the Matter lock ends, as above. The end of a fabric ends its PINs without such a record.
    public static let matterPINRemoved = AuditKind(rawValue: 90)
    /// An order of a Matter node had no PIN that authorizes it; the detail is `missing`, `wrong`, `last-wrong` (PINs
    /// are disabled from then on) or `disabled`. More than one in a second of `missing` and `disabled` have no record.
    public static let matterPINRefused = AuditKind(rawValue: 91)

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
        (.tamperReset, "tamper-reset"), (.panelUnlocked, "panel-unlocked"), (.unlisted, "unlisted"),
        (.start, "start"), (.stop, "stop"),
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
        (.matterAliroConfigured, "matter-aliro-set"), (.matterAliroCleared, "matter-aliro-cleared"),
        (.matterKeyAdded, "matter-key-added"), (.matterKeyRemoved, "matter-key-removed"),
        (.matterPINAdded, "matter-pin-added"), (.matterPINRemoved, "matter-pin-removed"),
        (.matterPINRefused, "matter-pin-refused"),
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
            .unproven, .unlisted, .unprovenSuppressed, .denialsSuppressed, .recordsSuppressed, .requestToExit,
            .lockedOut,
            .lockedOutEnded, .credentialBlacklisted, .blacklistFull, .matterWindow, .matterWindowEnded, .matterKeyAdded,
            .matterPINAdded, .matterPINRefused:
            false
        default: true
        }
    }

    /// The kinds that anyone in range can cause at will without a credential.
    public static let unprovenKinds: [AuditKind] = [
        .unproven, .unlisted, .unprovenSuppressed, .lockedOut, .lockedOutEnded,
    ]
}
