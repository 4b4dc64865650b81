// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Credentials
import Crypto
import Reader
import TestSupport

/// A card in the reader's field that answers anything, at any time. No input may open; the reader transmits within the
/// limits of a short APDU and gives up in time; and in the end a listed card goes through.
func fuzzPKOC(_ input: inout FuzzInput) {
    guard let id = OSSCredentialID("CARD000001") else { finding("no name") }
    let listed = ListedCard(CardEvidence(kind: .pkoc, identity: PKOCJudge.identity), id)
    var rig = FieldRig(PKOCJudge(), [.pkoc], cards: CardList([listed]))
    while let choice = input.next() {
        switch choice {
        case 0..<0x30: rig.respond(input.block())
        case 0x30..<0x60: rig.respond(input.block() + [0x90, 0x00])
        case 0x60..<0x80: rig.respond(PKOCJudge.fields(&input) + [0x90, 0x00])
        case 0x80..<0x90: rig.respond(PKOCJudge.versions)
        case 0x90..<0xA0: rig.respond(rig.proof(choice, &input))
        default: rig.play(choice, &input)
        }
    }
    rig.recover()
}

private struct PKOCJudge: FieldJudge {
    static let versions: [UInt8] = [0x5C, 0x02, 0x01, 0x00, 0x90, 0x00]
    private static let key = certain {
        let scalar = [UInt8](repeating: 0, count: 31) + [7]
        return try P256PrivateKey(scalar: scalar.span)
    }
    static let identity = [UInt8](key.publicKey.point.octets)
    static let commandLimit = 262

    var granted = 0
    var isOpening = false

    mutating func judge(_ effect: ReaderEffect) {
        switch effect {
        case .door(.setLock(energised: true), _): require(isOpening, "the lock has current without a proof")
        case .notice(.decided(_, let decision, _)):
            if decision.isGranted {
                require(isOpening, "a card is granted that has proven nothing")
                granted += 1
            }
        default: break
        }
    }

    /// Fields of known and unknown tags.
    static func fields(_ input: inout FuzzInput) -> [UInt8] {
        let tags: [UInt8] = [0x5A, 0x5C, 0x9E, 0x4C, 0x4D, 0xDF]
        var fields: [UInt8] = []
        for _ in 0..<input.number(below: 5) {
            let value = input.block()
            fields += [tags[input.number(below: tags.count)], UInt8(truncatingIfNeeded: value.count)] + value
        }
        return fields
    }

    /// The signature of the listed card's key.
    static func signature(_ message: [UInt8]) -> [UInt8] { certain { try key.rawSignature(message.span) } }

    /// The response of the listed card with a signature.
    static func response(_ signature: [UInt8]) -> [UInt8] {
        [0x5A, 0x41] + identity + [0x9E, 0x40] + signature + [0x90, 0x00]
    }
}

extension FieldRig where Judge == PKOCJudge {
    /// The listed card's key with a signature over other octets, or a changed one over the right ones.
    fileprivate func proof(_ choice: UInt8, _ input: inout FuzzInput) -> [UInt8] {
        var message = command.count > 27 ? Array(command[11..<27]) : []
        message.append(contentsOf: choice & 1 == 0 ? [input.octet()] : [])
        var signature = PKOCJudge.signature(message)
        if choice & 1 == 1 { signature[input.number(below: 64)] ^= max(1, input.octet()) }
        return PKOCJudge.response(signature)
    }

    fileprivate mutating func recover() {
        leave()
        // After the re-arm time, and with nothing open.
        pass(.seconds(400))
        judge.isOpening = true
        let before = judge.granted
        enter()
        respond(PKOCJudge.versions)
        require(command.count == 62, "no AUTHENTICATE")
        respond(PKOCJudge.response(PKOCJudge.signature(Array(command[11..<27]))))
        require(judge.granted == before + 1, "a listed card does not go through")
    }
}
