// SPDX-License-Identifier: Apache-2.0

import Credentials
import Reader

/// One thing that happens in an explored world.
enum Input: Hashable, Sendable {
    /// A phone connects, to the slot.
    case connect(Int)
    /// The phone on the slot shows a card; one that is not there comes first, unless the scope has `connect`.
    case show(Card, Int)
    /// The link of the slot has ended, as the host tells it.
    case leave(Int)
    /// Time passes until the next deadline of anything.
    case wait
    /// Six seconds pass: longer than a pulse, and than a phone may be idle.
    case pass
    /// The disk has done the oldest thing that it was asked for.
    case stored
    /// The disk has done everything that it was asked for.
    case allStored
    /// The disk fails at the oldest thing that it was asked for.
    case failed
    /// The power is cut and comes back, with the system's clock right or unset.
    case powerCut(hasClock: Bool)
    /// The process ends.
    case shutDown
    /// The stored policy and marks are damaged, as the next start finds.
    case policyDamaged
    /// The system's clock is synchronised, and right.
    case clockSynchronised
    /// The system's clock, which nothing synchronises, is put back by seven hours.
    case clockStepped
    /// An input of the door.
    case line(DoorInput, Bool)
    /// An operator's lockdown.
    case lockdown(Bool)
    /// A phone selects the reader's application over NFC, shows a card, and leaves without its answer.
    case tap(Card)
    /// A near phone connects to the first slot, and shows its credential over Bluetooth LE.
    case link(Badge)
    /// A contactless card enters the field.
    case touch(Badge)
    /// A contactless card enters, and responds as the protocol has it to the end.
    case present(Badge)
    /// It responds.
    case respond(BadgeResponse)
    /// It leaves.
    case cardLeaves
    /// The list of cards is replaced: with the card, without it, or by one that cannot be read (nil).
    case list(Bool?)
    /// An operator revokes the credential of all that open but the documented phone, or ends that.
    case revoke
    case unrevoke
    /// A document of the issuer revokes the phone that an earlier one has granted access.
    case issuerRevokes
    /// The issuer is a trusted point, or is no longer.
    case issuer(Bool)
    /// The log is full, or was cleared.
    case logFull(Bool)
    /// The reader decides, a panel decides, or a silent one would.
    case route(GrantRoute)
}

/// The inputs of an exploration: few at once go deep, and each promise holds in all.
struct Scope: Sendable {
    let name: String
    let inputs: [Input]
    /// The greatest number of links.
    var links = 2
    /// True if phones connect and leave by inputs of their own, and closing links stay until then.
    var hasConnections = false
    /// The number of refused attempts that begin a lockout; 0 for none.
    var lockoutAttempts = 0
    /// The depth of a usual test run, and the least number of states that it finds.
    let usualDepth: Int
    let usualStates: Int

    /// Everything at once.
    static let everything = Scope(
        name: "everything",
        inputs: [
            .show(.open, 0), .show(.open, 1), .show(.ended, 0), .show(.forged, 0), .show(.offline, 0),
            .show(.offlineEnded, 0), .show(.toggle, 0), .show(.timeBack, 0), .show(.timeAhead, 0), .show(.revoke, 0),
            .show(.pardon, 0), .leave(0), .wait, .pass, .stored, .allStored, .failed, .powerCut(hasClock: true),
            .powerCut(hasClock: false), .shutDown, .policyDamaged, .clockSynchronised, .clockStepped,
            .line(.exit, true), .line(.exit, false), .line(.fire, true), .line(.fire, false), .line(.contact, true),
            .line(.contact, false), .lockdown(true), .lockdown(false),
            .cardLeaves, .tap(.open), .tap(.ended), .link(Badge(kind: .pkoc, nature: .listed)),
        ] + Badge.opening.map { .present($0) }, usualDepth: 2, usualStates: 400)
    /// Grants, and the time at which the door is secured again.
    static let door = Scope(
        name: "door",
        inputs: [
            .show(.open, 0), .show(.toggle, 0), .wait, .pass, .allStored, .failed, .line(.exit, true),
            .line(.exit, false), .line(.fire, true), .line(.fire, false), .line(.contact, true),
            .line(.contact, false), .lockdown(true), .lockdown(false), .shutDown,
        ], usualDepth: 3, usualStates: 350)
    /// Slots and answers.
    static let links = Scope(
        name: "links",
        inputs: [
            .connect(0), .connect(1), .connect(2), .leave(0), .leave(1), .leave(2), .show(.open, 0), .show(.open, 1),
            .show(.forged, 0), .show(.offline, 1), .wait, .stored, .failed, .shutDown,
        ], hasConnections: true, usualDepth: 5, usualStates: 1000)
    /// The blacklist.
    static let policy = Scope(
        name: "policy",
        inputs: [
            .show(.open, 0), .show(.offline, 0), .show(.revoke, 0), .show(.pardon, 0), .show(.revoke, 1), .wait, .pass,
            .stored, .allStored, .failed, .powerCut(hasClock: true), .policyDamaged,
        ], usualDepth: 3, usualStates: 200)
    /// The clock.
    static let clock = Scope(
        name: "clock",
        inputs: [
            .show(.open, 0), .show(.ended, 0), .show(.offlineEnded, 0), .show(.timeBack, 0), .show(.timeAhead, 0),
            .pass, .allStored, .powerCut(hasClock: true), .powerCut(hasClock: false), .policyDamaged,
            .clockSynchronised, .clockStepped,
        ], usualDepth: 3, usualStates: 170)

    /// The blacklist, at a restart.
    static let restart = Scope(
        name: "restart",
        inputs: [.show(.open, 0), .show(.revoke, 0), .allStored, .powerCut(hasClock: true)], usualDepth: 6,
        usualStates: 22)

    /// Contactless cards of a kind, and all that refuses them.
    static func cards(_ kind: CardKind) -> Scope {
        let badges = Badge.all.filter { $0.kind == kind }
        return Scope(
            name: "\(kind.rawValue) cards",
            inputs: badges.map { .present($0) } + (kind == .pkoc ? badges : []).map { .link($0) }
                + badges.filter { $0.nature == .listed }.map { .touch($0) }
                + BadgeResponse.allCases.map { .respond($0) } + [
                    .cardLeaves, .wait, .pass, .allStored, .failed, .list(true), .list(false), .list(nil),
                    .show(.revoke, 0), .show(.pardon, 0), .lockdown(true), .lockdown(false), .line(.fire, true),
                    .line(.fire, false), .logFull(true), .logFull(false), .route(.door), .route(.panel),
                    .route(.nowhere), .powerCut(hasClock: true), .powerCut(hasClock: false), .policyDamaged, .shutDown,
                ], lockoutAttempts: 2, usualDepth: 3, usualStates: 2000)
    }

    /// Revocations of each origin before a grant, and while it waits for its record.
    static let revocation = Scope(
        name: "revocation",
        inputs: [.show(.open, 0), .show(.offline, 0), .link(Badge(kind: .pkoc, nature: .listed))]
            + Badge.opening.map { .present($0) } + [
                .revoke, .unrevoke, .show(.revoke, 1), .list(true), .list(false), .list(nil), .issuerRevokes,
                .issuer(true), .issuer(false), .stored, .allStored, .failed, .cardLeaves, .powerCut(hasClock: true),
            ], usualDepth: 3, usualStates: 1500)

    /// A contactless card that stays, or leaves and returns.
    static let presence = Scope(
        name: "presence",
        inputs: Badge.opening.map { .touch($0) } + [.respond(.right), .cardLeaves, .allStored, .wait, .pass, .failed],
        usualDepth: 6, usualStates: 280)

    static let all =
        [presence, revocation] + Badge.kinds.map { cards($0) } + [restart, door, links, policy, clock, everything]
}

/// A fault that is planted between the values, each of a kind that an exploration has to find.
enum Flaw: String, CaseIterable, Sendable {
    /// A phone without a record is let in.
    case unrecordedOpens
    /// The wiring of an input moves the lock.
    case contactMovesLock
    /// The reader is told a time of three hours ago.
    case clockRunsLate
    /// The reader is told a time that nobody knows.
    case clockInvented
    /// A restart forgets who was called back.
    case revocationForgotten
    /// Nobody waits for what is stored, or minds that it is damaged.
    case policyPresumed
    /// Answers do not leave.
    case answerLost
    /// Answers leave twice.
    case answerTwice
    /// The end of a link is not told.
    case slotKept
    /// The relay is not released.
    case relaySticks
    /// A grant is never decided.
    case grantForgotten
    /// A card's proof is not checked.
    case proofPresumed
    /// A card that stays is served again.
    case cardServedAgain
    /// The list of cards stays as it was.
    case listForgotten
    /// A grant that waits for its record is decided by the lists of its request.
    case revocationWaits
    /// The reader does not know that a panel decides.
    case panelIgnored
    /// The wiring of the fire input is cut.
    case fireIgnored
}

/// Promises that hold in every state.
enum Promise: String, Sendable {
    case currentHasCause = "no current on a secure lock without a cause that is allowed"
    case causeIsRecorded = "a cause is recorded as the audit asks"
    case onlyWhoMay = "no credential after its end, its revocation, or with an unknown clock or policy"
    case answeredOnce = "every grant is answered once"
    case slotReturned = "every slot is returned"
    case securedInTime = "the door is secured again by its time"
    case oneBudget = "phones put the clock back by a day at most"
    case oncePerPresence = "a card in the field opens once at most"
    case panelGetsTheProven = "only a recorded grant is handed on"
    case fireReleases = "fire releases the door, whatever else refuses"
    case comesToRest = "what has a deadline is over after it"
}

/// A promise that did not hold.
struct Violation: Error {
    var promise: Promise
    var detail: String

    init(_ promise: Promise, _ detail: String) { (self.promise, self.detail) = (promise, detail) }
}
