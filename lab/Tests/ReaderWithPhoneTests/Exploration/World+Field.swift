// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Credentials
import TestSupport
import Timekeeping

@testable import Reader
@testable import ReaderTestSupport

/// The reader's field: a card, as the poll role passes it on.
extension World {
    /// The card in the field.
    struct Presence {
        let badge: Badge
        /// The badge whose proof it shows: itself, but for a planted flaw.
        let proof: Badge
        var model: any BadgeModel
        /// The command that awaits its response.
        var command: [UInt8]?
        /// True once the reader has released the card.
        var isReleased = false
        var lastResponse = [0x90, 0x00] as [UInt8]
        /// The responses so far: with the reader's random octets the same in each presence, the transaction's state.
        var responses: [BadgeResponse] = []
    }

    /// A card enters; another one that was there has left.
    func enter(_ badge: Badge) throws {
        // The flaw: each proof is as good as that of the listed card.
        let proof = flaw == .proofPresumed ? Badge(kind: badge.kind, nature: .listed) : badge
        keepBadge()
        guard var model = badges[proof] else { return }
        model.enter()
        presence = Presence(badge: badge, proof: proof, model: model)
        judge.presenceGrants = 0
        try beginTransaction()
    }

    private func beginTransaction() throws {
        random = CountingRandom()
        reader.cardEntered(random: &random, at: moment)
        try judgeCard()
        try performCardActions()
    }

    /// The card in the field responds.
    func respond(_ response: BadgeResponse) throws {
        guard var current = presence else { return }
        var octets: [UInt8]
        switch response {
        case .right:
            guard let command = current.command else { return }
            octets = try current.model.response(to: command)
        case .malformed: octets = [0x5C, 0x7F, 0x90, 0x00]
        case .repeated: octets = current.lastResponse
        }
        current.command = nil
        current.lastResponse = octets
        if !current.isReleased { current.responses.append(response) }
        presence = current
        // As when its frames were recorded.
        if current.badge.kind == .phone { random = CountingRandom() }
        reader.receive(cardResponse: octets.span, random: &random, at: moment)
        try judgeCard()
    }

    func cardLeaves() {
        keepBadge()
        presence = nil
        reader.cardLeft()
    }

    /// Keeps the state of the card in the field.
    private func keepBadge() {
        if let presence { badges[presence.proof] = presence.model }
    }

    /// The front end serves a card that stays again: a planted flaw.
    func serveAgain() throws {
        guard flaw == .cardServedAgain, presence?.isReleased == true else { return }
        presence?.isReleased = false
        presence?.responses = []
        presence?.model.enter()
        try beginTransaction()
    }

    /// The reader's list of cards; nil for one that cannot be read.
    func list(_ isListed: Bool?) {
        (judge.isListed, judge.hasList) = (isListed ?? false, isListed != nil)
        if flaw == .listForgotten, isListed != true { return }
        reader.cardList = isListed.map { CardList($0 ? wallet.listed : []) }
    }

    func route(_ route: GrantRoute) {
        judge.route = route
        reader.grantRoute = flaw == .panelIgnored && route == .panel ? .door : route
    }

    /// Looks at the openings that the card has caused.
    func judgeCard() throws {
        for request in reader.openRequests where request.event.channel == .nfc && judge.grants[request.token] == nil {
            guard let presence else { throw Violation(.onlyWhoMay, "a card that is not there is to be let in") }
            if let objection = judge.objection(to: presence.badge, shown: shown, isLockedOut: isLockedOut) {
                throw Violation(.onlyWhoMay, "the \(presence.badge.nature) card is to be let in: \(objection)")
            }
            judge.presenceGrants += 1
            guard judge.presenceGrants == 1 else { throw Violation(.oncePerPresence, "a card that stays opens again") }
            judge.grants[request.token] = Judge.Grant(event: request.event, holder: .badge(presence.badge))
        }
    }

    var isLockedOut: Bool { reader.door.door.lockout.until.map { now < $0 } ?? false }

    /// Performs the reader's orders to the field.
    func performCardActions() throws {
        while let action = reader.nextCardAction() {
            guard let current = presence, !current.isReleased else {
                throw Violation(.comesToRest, "an order for a card that is not there, or released")
            }
            switch action {
            case .transmit(let command): presence?.command = command
            case .tryNext, .finish:
                presence?.isReleased = true
                presence?.command = nil
            }
        }
    }
}

extension Judge {
    /// The reason for which the contactless card may not open now; nil if it may.
    func objection(to badge: Badge, shown: Int64?, isLockedOut: Bool) -> String? {
        guard isRunning else { return "the process ends" }
        guard isPolicyKnown else { return "the policy is not known" }
        guard shown != nil else { return "the clock is not set" }
        guard badge.nature != .forged, badge.nature != .foreign else { return "it has no key" }
        guard badge.nature != .ended else { return "it has ended" }
        guard badge.kind == .phone || hasList else { return "the list cannot be read" }
        let needsList = badge.kind != .phone && badge.nature != .documented
        guard !needsList || badge.nature == .listed && isListed else { return "it is not listed" }
        if let objection = self.objection(to: .badge(badge)) { return objection }
        guard !isLockdown else { return "the door is in lockdown" }
        guard !isLockedOut else { return "the door is locked out" }
        return route == .nowhere ? "the panel decides, and is silent" : nil
    }
}
