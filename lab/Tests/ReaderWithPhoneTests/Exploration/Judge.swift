// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Credentials
import Peripheral
import Timekeeping

@testable import Reader

/// Permissions to open the explored door, and causes of current on its lock: stated apart from the reader, by what has
/// happened and what the disk has acknowledged.
struct Judge {
    /// A grant that waits for its record.
    struct Grant {
        var event: AuditEvent
        var holder: Holder
        var isRecorded = false
    }

    /// The credential of a grant.
    enum Holder: Hashable {
        case token
        case badge(Badge)
    }

    /// True while a process runs that has not begun to end.
    var isRunning = false
    /// True if the stored policy could be read.
    var isPolicyKnown = false
    /// True if the credential is revoked: by a phone once the disk has acknowledged that, by an operator at once.
    var isRevoked = false
    /// True if the disk has the revocation, so that the next start finds it.
    var isRevocationKept = false
    /// The revocations by operators that wait for the disk.
    var orders: Set<CommandID> = []
    /// The number of removals that wait for the disk: meanwhile neither state is promised.
    var pardonsUnderway = 0
    /// The latest time that the clock has shown since an authoritative one.
    var latest: Int64 = 0
    /// The time that the clock went back since the start or an authoritative time.
    var wentBack: Int64 = 0

    var grants: [OpeningToken: Grant] = [:]
    /// The times of requests that are owed an answer.
    var owed: [LinkID: Instant] = [:]

    var pulseUntil: Instant?
    var isOffice = false
    var isExitActive = false
    var exitUntil: Instant?
    var isFire = false
    var isLockdown = false
    /// True if the listed cards are in the list in force.
    var isListed = true
    /// True if the list could be read.
    var hasList = true
    /// True if the issuer of the documented phone has revoked it, and that issuer is trusted.
    var isIssuerRevoked = false
    /// True if the issuer of the documented phone is trusted.
    var isIssuerTrusted = true
    /// The way of a grant.
    var route = GrantRoute.door
    /// The grants of the card in the field.
    var presenceGrants = 0
    /// The recorded grants that are to be handed on.
    var handOvers = 0
    /// True if there was a cause for the current that flows.
    var hadCause = false

    /// The pulse of the explored door, and the time within which a phone is answered that stays: a disk may take a
    /// second for a grant, and one and a half for a command.
    static let pulse = Duration.seconds(5)
    static let patience = Duration.milliseconds(1600)

    /// The reason for which the card may not open now; nil if it may.
    func objection(to card: Card, shown: Int64?) -> String? {
        guard isRunning else { return "the process ends" }
        guard isPolicyKnown else { return "nobody knows who is called back" }
        guard let shown else { return "the clock is not set" }
        if card == .forged { return "nobody has signed it" }
        if card.end < max(shown, latest) { return "it has ended" }
        return isRevoked && pardonsUnderway == 0 ? "it is called back" : nil
    }

    /// The reason for which a credential that has a grant may no longer open; nil if it may. Revocations, the list and
    /// the trusted issuers are in force at once, also for a grant that waits for its record.
    func objection(to holder: Holder) -> String? {
        let revoked = isRevoked && pardonsUnderway == 0 ? "it is revoked" : nil
        guard case .badge(let badge) = holder, badge.kind != .phone else { return revoked }
        guard hasList else { return "the list cannot be read" }
        guard badge.nature == .documented else { return isListed ? revoked : "it is not listed" }
        guard isIssuerTrusted else { return "its issuer is not trusted" }
        return isIssuerRevoked ? "its issuer has revoked it" : nil
    }

    /// A change of the stored blacklist is on the disk. Requests to the disk end in their order, so that an order of an
    /// operator that waits is later than this change.
    mutating func kept(_ change: BlacklistChange) {
        isRevocationKept = change.adds
        isRevoked = change.adds || !orders.isEmpty
        if !change.adds { pardonsUnderway -= 1 }
    }

    /// The issuer of the documented phone is trusted from now on, or no longer. Its revocations are forgotten with it.
    mutating func trust(_ isTrusted: Bool) {
        isIssuerTrusted = isTrusted
        if !isTrusted { isIssuerRevoked = false }
    }

    /// True if the door is released at `now`.
    func hasCause(at now: Instant) -> Bool {
        guard isRunning else { return false }
        if isFire || isExitActive || exitUntil.map({ now < $0 }) ?? false { return true }
        return !isLockdown && (isOffice || pulseUntil.map { now < $0 } ?? false)
    }

    /// The record of an event is on the disk.
    mutating func recorded(_ event: AuditEvent) {
        for id in grants.keys where grants[id]?.event == event { grants[id]?.isRecorded = true }
    }

    /// Notes the verdict on a grant. Throws if there was one before, or if it opens unrecorded.
    mutating func decided(_ id: OpeningToken, _ status: StatusCode, at now: Instant) throws {
        guard let grant = grants.removeValue(forKey: id) else {
            throw Violation(.answeredOnce, "a verdict on a grant that has one")
        }
        guard status == .ok else { return }
        guard grant.isRecorded else { throw Violation(.causeIsRecorded, "nothing of it is on the disk") }
        guard isRunning, !isLockdown, objection(to: grant.holder) == nil else { return }
        if grant.event.kind == .handedOn, route == .panel { handOvers += 1 }
        guard grant.event.kind == .granted, route == .door else { return }
        switch EventAccessInfo(rawValue: grant.event.info) {
        case .toggleUnlock: isOffice = true
        case .toggleLock: (isOffice, pulseUntil) = (false, nil)
        default: pulseUntil = now + Judge.pulse
        }
    }

    /// A credential is handed on to the panel.
    mutating func handedOn() throws {
        guard handOvers > 0 else { throw Violation(.panelGetsTheProven, "nothing of it is decided") }
        handOvers -= 1
    }

    /// The level of an input that counts from now on.
    mutating func line(_ input: DoorInput, _ isActive: Bool, at now: Instant) {
        switch input {
        case .fire: isFire = isActive
        case .exit:
            guard isActive != isExitActive else { return }
            isExitActive = isActive
            exitUntil = isActive ? nil : now + Judge.pulse
        case .contact, .tamper: break
        }
    }

    mutating func lockdown(_ isActive: Bool) {
        isLockdown = isActive
        if isActive { (isOffice, pulseUntil) = (false, nil) }
    }

    /// A process begins, with what the disk has.
    mutating func begin(latest: Int64) {
        (isRunning, isPolicyKnown, pardonsUnderway) = (true, false, 0)
        (self.latest, wentBack) = (latest, 0)
        (grants, owed, orders) = ([:], [:], [])
        isRevoked = isRevocationKept
        (pulseUntil, isOffice, isExitActive, exitUntil, isFire, isLockdown) = (nil, false, false, nil, false, false)
        (presenceGrants, handOvers, hadCause) = (0, 0, false)
    }

    /// Looks at the lock.
    mutating func look(isFree: Bool, at now: Instant) throws {
        let hasCause = hasCause(at: now)
        if isFree, !hasCause {
            throw hadCause
                ? Violation(.securedInTime, "there is current, and what was its cause is over")
                : Violation(.currentHasCause, "there is current, and nobody was let in")
        }
        guard isFree || !isRunning || !isFire else {
            throw Violation(.fireReleases, "there is a fire, and no current on the lock")
        }
        hadCause = isFree
    }

    /// Looks at the clock: what it shows, and whether an authority has set it.
    mutating func look(shown: Int64?, before: Int64?, isAuthoritative: Bool) throws {
        guard let shown else { return }
        if isAuthoritative {
            (latest, wentBack) = (shown, 0)
        } else if let before, shown < before {
            wentBack += before - shown
            if wentBack > ReaderClock.maximumBack { throw Violation(.oneBudget, "\(wentBack) s in all") }
        }
        latest = max(latest, shown)
    }
}
