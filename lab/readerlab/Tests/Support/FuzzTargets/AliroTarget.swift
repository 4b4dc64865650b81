// SPDX-License-Identifier: Apache-2.0

import Contactless
import Credentials
import Crypto
import TestSupport
import Timekeeping

/// An Aliro phone that answers anything, at any stage, also inside the channels and with an issuer's signature.
///
/// Only the phone with the credential's key, whose document the issuer has signed, reaches the decision; the store
/// changes only after the door has opened; commands fit short APDUs; a transaction has an end; and a listed phone goes
/// through at last.
func fuzzAliro(_ input: inout FuzzInput) {
    var rig = AliroRig()
    while let choice = input.next() {
        switch choice {
        case 0..<0x50: rig.respond()
        case 0x50..<0x60: rig.respond(with: input.block())
        case 0x60..<0x70: rig.respond(with: input.block() + [0x90, 0x00])
        case 0x70..<0x78: rig.respond(with: [input.octet(), input.octet()])
        case 0x78..<0x90:
            let (place, bits) = (Int(input.word()), max(1, input.octet()))
            rig.respond { changed($0, at: place, bits) }
        case 0x90..<0x98:
            let plaintext = input.block()
            rig.respond { _ in plaintext }
        case 0x98..<0xA0:
            let (kept, rest) = (Int(input.word()), input.block())
            rig.respond { $0.prefix(kept % max(1, $0.count)) + rest }
        case 0xA0..<0xB8: rig.carry(choice, &input)
        case 0xB8..<0xC0: rig.conclude(choice & 1 == 0 ? .opened : .refused)
        case 0xC0..<0xC8: rig.phone.signals = input.word()
        case 0xC8..<0xCC: rig.passYears(Int64(input.octet()))
        default: rig.enter()
        }
    }
    rig.recover()
}

@Sendable private func changed(_ octets: [UInt8], at place: Int, _ bits: UInt8) -> [UInt8] {
    var octets = octets
    if !octets.isEmpty { octets[place % octets.count] ^= bits }
    return octets
}

private struct AliroRig {
    private static let key = certain {
        try P256PrivateKey(octets("bd448b7ded19a52ecd429b1f273fb5b18c9c94ae56dd5e8c4b2e44aecd056a73"))
    }
    /// 2026-11-28, within the documents' validity.
    private static let start: Int64 = 1_795_867_200
    private static let identifier = certain {
        let part = [UInt8](repeating: 0x11, count: 16)
        return try AliroReader.Identifier(group: part, sub: part) ?? { throw CryptoError.invalidKey }()
    }
    /// More than a transaction of the longest commands and responses has.
    private static let maximumSteps = 600

    var phone = AliroDocumentModel.phone(of: [UInt8](AliroRig.key.publicPoint.octets))
    private let reader = AliroReader(key: AliroRig.key, identifier: AliroRig.identifier)
    private var store: AliroStore
    private var random = SplitMix64(seed: 1)
    private var epochSeconds = AliroRig.start
    private var transaction: AliroTransaction?
    private var step = CardStep.end(.concluded)
    private var steps = 0
    /// Transactions of one input; each makes keys, which takes longer than all else.
    private var remaining = 3
    /// Documents that the issuer signs for one input, which takes long as well.
    private var remainingDocuments = 6
    private var isOpened = false
    /// True once the phone has carried a document with the issuer's signature, which may permit anything.
    private var isDocumented = false

    init() {
        store = AliroStore(binding: reader.binding)
        let issuer = AliroDocumentModel.issuer.publicKey
        require(store.add(AliroAnchor(issuer)), "no room for an issuer")
        require(store.add(AliroAnchor(issuer, role: .authority)), "no room for an authority")
    }

    private var moment: Moment { Moment(instant: .origin, epochSeconds: epochSeconds) }

    mutating func enter() {
        end()
        guard remaining > 0 else { return }
        remaining -= 1
        steps = 0
        phone.activate()
        transaction = certain {
            try AliroTransaction(reader: reader, store: store, at: moment, in: .utc, random: &random)
        }
        look { $0.start() }
    }

    /// The phone's own response, or the door's opening.
    mutating func respond(_ change: @escaping @Sendable ([UInt8]) -> [UInt8] = { $0 }) {
        switch step {
        case .transmit(let command): respond(with: phone.respond(to: command, random: &random, changing: change) ?? [])
        case .decide: conclude(.opened)
        case .end: enter()
        }
    }

    mutating func respond(with response: [UInt8]) {
        if transaction == nil { enter() }
        look { $0.receive(response.span) }
    }

    mutating func conclude(_ decision: CardDecision) {
        guard transaction != nil else { return }
        if case .decide = step { isOpened = decision == .opened }
        look { $0.conclude(decision) }
    }

    mutating func passYears(_ years: Int64) { epochSeconds += years * 31_557_600 / 16 }

    /// The phone gets documents that the issuer has signed, with parts of the input.
    mutating func carry(_ choice: UInt8, _ input: inout FuzzInput) {
        guard remainingDocuments > 0 else { return }
        remainingDocuments -= 1
        isDocumented = true
        phone.signals = choice & 1 == 0 ? 0x0001 : 0x0005
        let access: [UInt8]
        switch choice & 0x06 {
        case 0: access = AliroDocumentModel.document("aliro-a", AliroDocumentModel.element)
        case 2: access = AliroDocumentModel.document("aliro-a", input.block())
        case 4:
            let (place, bits) = (Int(input.word()), max(1, input.octet()))
            access = AliroDocumentModel.document("aliro-a", AliroDocumentModel.element) {
                $0[place % $0.count] ^= bits
            }
        default:
            let names = input.consume(Int(input.word() % 512))
            access = AliroDocumentModel.document(
                "aliro-a", AliroDocumentModel.element, header: [0xA1, 0x18, 0x21] + names)
        }
        guard choice & 0x08 != 0 else {
            phone.wholeDocuments = AliroDocumentMaker.response([access])
            return
        }
        phone.signals = (phone.signals ?? 0) | 0x0002
        let element = choice & 1 == 0 ? AliroDocumentModel.revocation : input.block()
        phone.wholeDocuments = AliroDocumentMaker.response([access, AliroDocumentModel.document("aliro-r", element)])
    }

    /// True if the store has the phone's credential, or a document might add it.
    private var mayBeGranted: Bool { isDocumented || store.credential(AliroDocumentModel.point) != nil }

    private mutating func look(_ call: (inout AliroTransaction) -> CardStep) {
        guard var current = transaction else { return }
        transaction = nil
        step = call(&current)
        steps += 1
        require(steps < Self.maximumSteps, "a transaction without an end")
        transaction = current
        switch step {
        case .transmit(let command):
            require((5...262).contains(command.count), "a command of \(command.count) octets")
        case .decide(let evidence):
            require(evidence.identity == AliroDocumentModel.point, "an identity that has no key here")
            require(mayBeGranted, "a phone is decided about that nothing permits")
        case .end: end()
        }
    }

    /// Applies the effects as the reader does, and verifies that a door that stayed shut has added nobody.
    private mutating func end() {
        guard var current = transaction else { return }
        transaction = nil
        for effect in current.effects {
            switch effect {
            case .issuer: break
            case .credential, .persistentKey: require(isOpened, "the store learns of a phone that has not opened")
            }
            store.apply(effect)
        }
        isOpened = false
        current.wipe()
        require(current.effects.isEmpty, "effects remain after wipe")
        let late: [UInt8] = [0x90, 0x00]
        require(current.receive(late.span) == .end(.refused(.outOfOrder)), "a wiped transaction continues")
    }

    mutating func recover() {
        end()
        epochSeconds = Self.start
        store.erase()
        phone.signals = 0
        require(store.add(AliroCredential(phone.key.publicKey)), "no room for a credential")
        remaining = 1
        enter()
        while case .transmit = step { respond() }
        conclude(.opened)
        while case .transmit = step { respond() }
        require(step == .end(.concluded), "a listed phone does not go through: \(step)")
        require(store.persistentPoints == [AliroDocumentModel.point], "no key for the fast phase")
    }
}
