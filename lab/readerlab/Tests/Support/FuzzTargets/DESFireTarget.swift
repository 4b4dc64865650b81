// SPDX-License-Identifier: Apache-2.0

import CardModels
import Credentials
import Crypto
import TestSupport

/// A DESFire card that answers anything, at any stage: its own answers, changed ones, those of earlier transactions,
/// and octets that are none. Only a card that has read its file to this transaction reaches the decision, and only with
/// its own number; commands fit short APDUs; a transaction has an end; and a card with the key goes through at last.
func fuzzDESFire(_ input: inout FuzzInput) {
    var rig = DESFireRig(input.octet())
    while let choice = input.next() {
        switch choice {
        case 0..<0x60: rig.respond()
        case 0x60..<0x90:
            let (place, bits) = (Int(input.word()), max(1, input.octet()))
            rig.respond { $0[place % $0.count] ^= bits }
        case 0x90..<0xA0:
            let (kept, rest) = (Int(input.word()), input.block())
            rig.respond { $0 = $0.prefix(kept % $0.count) + rest }
        case 0xA0..<0xB0: rig.respond(with: input.block() + [0x91, 0x00])
        case 0xB0..<0xB8: rig.respond(with: input.block() + [0x91, 0xAF])
        case 0xB8..<0xC0: rig.respond(with: [0x91, input.octet()])
        case 0xC0..<0xC8: rig.respond(with: input.block())
        case 0xC8..<0xE0: rig.respondWithRecorded(Int(input.octet()))
        case 0xE0..<0xE8: rig.conclude(choice & 1 == 0 ? .opened : .refused)
        case 0xE8..<0xEC: rig.wipe()
        default: rig.enter()
        }
    }
    rig.recover()
}

private struct DESFireRig {
    /// More than the longest transaction has: a card with a random UID that knows only EV1's authentication.
    private static let maximumSteps = 16
    /// The answers that are kept for later.
    private static let recordingLimit = 64

    private var card = DESFireCardModel()
    private let credential: DESFireCredential
    private var random = SplitMix64(seed: 1)
    private var transaction: DESFireTransaction?
    private var step = CardStep.end(.concluded)
    private var steps = 0
    private var recorded: [[UInt8]] = []

    /// The kind of card, and of the reader's settings for it, by the bits of an octet.
    init(_ kind: UInt8) {
        card.isEV1 = kind & 1 != 0
        card.isFull = kind & 2 == 0
        card.isDiversified = kind & 4 != 0
        card.hasRandomUID = kind & 12 == 12
        let uidKey = card.hasRandomUID ? DESFireRig.key(1, DESFireCardModel.uidKey) : nil
        let diversification =
            card.isDiversified
            ? DESFireCredential.Diversification(system: DESFireCardModel.system, uidKey: uidKey) : nil
        guard
            let credential = DESFireCredential(
                application: DESFireCardModel.application, file: 1, count: DESFireCardModel.number.count,
                communication: card.isFull ? .full : .mac, key: DESFireRig.key(0, DESFireCardModel.key),
                diversification: diversification)
        else { finding("no credential") }
        self.credential = credential
    }

    private static func key(_ number: UInt8, _ octets: [UInt8]) -> DESFireCredential.Key {
        guard let key = DESFireCredential.Key(number: number, octets: octets) else { finding("no key") }
        return key
    }

    mutating func enter() {
        card.reset()
        var next = DESFireTransaction(credential, random: &random)
        step = next.start()
        (transaction, steps) = (next, 0)
        look()
    }

    /// The card's own answer, changed.
    mutating func respond(_ change: (inout [UInt8]) -> Void = { _ in }) {
        guard case .transmit(let command) = step else { return respond(with: [0x91, 0x00]) }
        var response = card.response(command)
        if recorded.count < DESFireRig.recordingLimit { recorded.append(response) }
        change(&response)
        respond(with: response)
    }

    mutating func respondWithRecorded(_ place: Int) {
        guard !recorded.isEmpty else { return }
        respond(with: recorded[place % recorded.count])
    }

    mutating func respond(with response: [UInt8]) {
        guard transaction != nil else { return }
        step = transaction?.receive(response.span) ?? step
        look()
    }

    mutating func conclude(_ decision: CardDecision) {
        guard transaction != nil else { return }
        step = transaction?.conclude(decision) ?? step
        look()
    }

    mutating func wipe() {
        guard transaction != nil else { return }
        transaction?.wipe()
        step = transaction?.receive([0x91, 0x00].span) ?? step
        require(step == .end(.refused(.outOfOrder)), "a wiped transaction goes on: \(step)")
    }

    private mutating func look() {
        steps += 1
        switch step {
        case .transmit(let command):
            require((5...261).contains(command.count), "a command of \(command.count) octets")
            require(steps <= DESFireRig.maximumSteps, "a transaction without an end")
        case .decide(let evidence):
            require(card.hasRead, "a card is decided that has not sent its number")
            require(
                evidence == CardEvidence(kind: .desfire, identity: DESFireCardModel.number),
                "a number that is not the card's: \(evidence.identity)")
        case .end: break
        }
    }

    mutating func recover() {
        enter()
        while case .transmit = step { respond() }
        guard case .decide = step else { finding("a card with the key does not go through: \(step)") }
        conclude(.opened)
        require(step == .end(.concluded), "a decision is not the end: \(step)")
    }
}
