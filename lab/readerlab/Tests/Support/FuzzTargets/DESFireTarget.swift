// SPDX-License-Identifier: Apache-2.0

import Contactless
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

    private static let number: [UInt8] = [0x10, 0x32, 0x54, 0x76, 0x98, 0xBA, 0xDC, 0xFE]

    private var card: DESFireCard
    private let credential: DESFireCredential
    private var random = SplitMix64(seed: 1)
    private var transaction: DESFireTransaction?
    private var step = CardStep.end(.concluded)
    private var steps = 0
    private var recorded: [[UInt8]] = []

    /// The kind of card, and of the reader's settings for it, by the bits of an octet.
    init(_ kind: UInt8) {
        var contents = DESFireContents(
            number: DESFireRig.number, key: [UInt8](0x40..<0x50), uid: [0x04, 0x78, 0x2E, 0x21, 0x80, 0x1D, 0x80])
        contents.generation = kind & 1 != 0 ? .ev1 : .ev2
        contents.mode = kind & 2 == 0 ? .full : .mac
        if kind & 4 != 0 { contents.system = [0x4E, 0x58, 0x50] }
        if kind & 12 == 12 { contents.uidKey = (1, [UInt8](0x60..<0x70)) }
        let uidKey = contents.uidKey.map { DESFireRig.key($0.number, $0.octets) }
        let diversification = contents.system.flatMap { DESFireCredential.Diversification(system: $0, uidKey: uidKey) }
        guard
            let credential = DESFireCredential(
                application: contents.application, file: 1, count: contents.number.count,
                communication: contents.mode == .full ? .full : .mac, key: DESFireRig.key(0, contents.key),
                diversification: diversification)
        else { finding("no credential") }
        card = DESFireCard(contents, activation: CardActivation(random: (1, 2, 3)))
        self.credential = credential
    }

    private static func key(_ number: UInt8, _ octets: [UInt8]) -> DESFireCredential.Key {
        guard let key = DESFireCredential.Key(number: number, octets: octets) else { finding("no key") }
        return key
    }

    mutating func enter() {
        card.activate()
        var next = DESFireTransaction(credential, random: &random)
        step = next.start()
        (transaction, steps) = (next, 0)
        look()
    }

    /// The card's own answer, changed.
    mutating func respond(_ change: (inout [UInt8]) -> Void = { _ in }) {
        guard case .transmit(let command) = step else { return respond(with: [0x91, 0x00]) }
        guard var response = card.respond(to: command, random: &random) else { finding("a card is silent") }
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
            require(card.isRead, "a card is decided that has not sent its number")
            require(
                evidence == CardEvidence(kind: .desfire, identity: DESFireRig.number),
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
