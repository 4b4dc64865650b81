// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Crypto
import Reader
import TestSupport
import Timekeeping

/// The published identity, a phone's key, and the one token that has a good signature: that of the published exchange
/// (access protocol, 5). Nobody here signs, so no other can become good.
enum FuzzKeys {
    static let identity = certain { try ReaderIdentity.demo() }

    static let terminal = identity.terminalKey

    /// 2026-11-21 12:00:00 UTC.
    static let epochSeconds: Int64 = 1_795_262_400

    /// A reader with that identity, at that time.
    static func reader(_ configuration: AccessConfiguration) -> ReaderDevice<CountingRandom> {
        certain {
            try ReaderDevice(
                configuration: configuration, identity: identity, door: DoorConfiguration(), random: CountingRandom(),
                at: Moment(instant: .origin, epochSeconds: epochSeconds))
        }
    }

    static let phone = certain {
        let scalar = [32 of UInt8] { UInt8($0 + 1) }
        return try P256PrivateKey(scalar: scalar.span)
    }

    /// A salt that keeps the salt rule.
    static let salt = SessionSalt([16 of UInt8] { UInt8($0 * 3) })

    static let salts = EnvelopeSalts(transponder: salt, terminal: salt)

    /// A delimited token: credential CRED000001, command PING, 2023-01-01 to 2030-01-01.
    static let token: [UInt8] =
        octets(
            """
            80010a483046022100f748d96e82f03347f4f54b3a8de29899ad7882a85006da4f533610db36826c5b022100bf3b158eef279d0378
            958726e88c61d4faab0c3b4e04c89150ee7c53453e2f0912340a0c0a0a43524544303030303031120d08e70f100118012000280030
            001a0d08ee0f10011801200028003000220450494e472a00
            """)

    /// True for the command of that token.
    static func isToken(_ command: AuthorizedCommand) -> Bool {
        let (start, end) = (command.validity.start, command.validity.end)
        return command.credentialID == "CRED000001" && command.name == .ping
            && (start.year, start.month, start.day, start.hour, start.minute) == (2023, 1, 1, 0, 0)
            && (end.year, end.month, end.day, end.hour, end.minute) == (2030, 1, 1, 0, 0)
    }

    /// A request that a phone would send.
    static func sealed(_ plaintext: [UInt8], salts: EnvelopeSalts) -> [UInt8] {
        var plaintext = plaintext
        var wire: [UInt8] = []
        certain {
            let envelope = try Envelope(ownKey: phone, peerPoint: terminal.publicPoint.octets.span, salts: salts)
            try envelope.seal(.request, sender: phone.publicPoint, plaintext: &plaintext, into: &wire)
        }
        return wire
    }

    static func octets(_ text: String) -> [UInt8] {
        let digits = text.compactMap { $0.hexDigitValue.map(UInt8.init) }
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
