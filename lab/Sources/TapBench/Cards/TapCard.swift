// SPDX-License-Identifier: Apache-2.0

import Contactless
import Credentials
import Crypto

/// A card, or a phone that plays one, in a measured transaction.
protocol TapCard {
    /// The response to a command APDU.
    mutating func response(to command: [UInt8]) throws -> [UInt8]
}

/// The phone of an Aliro transaction.
extension AliroPhone: TapCard {
    mutating func response(to command: [UInt8]) throws -> [UInt8] {
        respond(to: command)
    }
}

/// A fault of a measured transaction: the models and the reader do not agree.
public struct TapFault: Error, CustomStringConvertible {
    /// The disagreement in one line.
    public let description: String

    init(_ description: String) { self.description = description }
}

/// A PKOC card (PSIA PKOC NFC 1.1).
struct PKOCTapCard: TapCard {
    private let key: P256PrivateKey

    init() throws { key = try P256PrivateKey.generate() }

    var evidence: CardEvidence { CardEvidence(kind: .pkoc, identity: key.publicPoint.list) }

    func response(to command: [UInt8]) throws -> [UInt8] {
        guard command.count > 27, command[1] == 0x80 else { return [0x5C, 0x02, 0x01, 0x01, 0x90, 0x00] }
        let signature = try rawSignature(Array(command[11..<27]), by: key)
        return [0x5A, 0x41] + evidence.identity + [0x9E, 0x40] + signature + [0x90, 0x00]
    }
}

/// A DESFire card of EV2 with its responses to a reader whose random octets are `randomOctet`: the exchange of the
/// firmware's tests.
struct DESFireTapCard: TapCard {
    static let key = hexadecimal("00112233445566778899aabbccddeeff")
    static let application = hexadecimal("f51bc0")
    static let numberCount = 17
    static let randomOctet: UInt8 = 0xB0

    private var responses = [
        "9100", "83a356bc506c2e59d1220c0b4620d51d91af",
        "72dd5ab08f1a38ad65e90009594abfc24b788c86f0add7b4ba14b4872f4ad00a9100",
        "38284edf32ad63bbc3b97826900269d453b223f1a1cbd0101b879ccebae17ac6f212401c5b639dad9100",
    ].map(hexadecimal)[...]

    mutating func response(to command: [UInt8]) throws -> [UInt8] {
        guard let next = responses.popFirst() else { throw TapFault("a command after the last: \(command)") }
        return next
    }
}

extension P256Point {
    /// 04 ‖ X ‖ Y.
    var list: [UInt8] { octets.indices.map { octets[$0] } }
}

/// r ‖ s of a signature, which `P256PrivateKey` makes in DER.
func rawSignature(_ message: [UInt8], by key: P256PrivateKey) throws -> [UInt8] {
    var der: [UInt8] = []
    try key.sign(message.span, into: &der)
    // 30 length, 02 length r, 02 length s.
    let r = Array(der[4..<4 + Int(der[3])])
    let s = Array(der[(4 + r.count + 2)...])
    return [r, s].flatMap { number in
        let digits = Array(number.drop { $0 == 0 })
        return [UInt8](repeating: 0, count: 32 - digits.count) + digits
    }
}

func hexadecimal(_ text: String) -> [UInt8] {
    let digits = text.utf8.map { UInt8($0 < 0x3A ? $0 - 0x30 : $0 - 0x57) }
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}
