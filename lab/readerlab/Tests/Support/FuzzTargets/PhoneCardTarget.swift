// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Credentials
import Reader

/// A phone in the reader's field that answers anything, at any time. No input opens, since none has a token; the
/// reader transmits short APDUs alone and gives up in time; and in the end a phone's handshake is answered.
func fuzzPhoneCard(_ input: inout FuzzInput) {
    var rig = FieldRig(PhoneCardJudge(), [.phone, .pkoc])
    while let choice = input.next() {
        switch choice {
        case 0..<0x20: rig.respond(input.block())
        case 0x20..<0x40: rig.respond(input.block() + [0x90, 0x00])
        case 0x40..<0x50: rig.respond(input.block() + [0x61, input.octet()])
        case 0x50..<0x70: rig.respond(PhoneCardJudge.message(input.block()) + [0x90, 0x00])
        case 0x70..<0x80: rig.respond(PhoneCardJudge.version)
        case 0x80..<0x90: rig.respond(PhoneCardJudge.handshake + [0x90, 0x00])
        case 0x90..<0xA0: rig.respond([0x93, 0x01])
        default: rig.play(choice, &input)
        }
    }
    rig.recover()
}

private struct PhoneCardJudge: FieldJudge {
    static let commandLimit = APDULimit.command
    static let version: [UInt8] = [0x80, 0x01, 0x01, 0x90, 0x00]
    /// The example of nfc-profile.md, 2.2.
    static let handshake = message([
        0x12, 0x0A, 0x10, 0x0F, 0xFE, 0x0E, 0xB6, 0xCC, 0xFE, 0xD9, 0xDD, 0x80, 0xAA, 0xC0, 0x4C, 0x18, 0x86, 0xAA,
        0x62,
    ])

    /// A whole message with this payload.
    static func message(_ payload: [UInt8]) -> [UInt8] {
        var octets: [UInt8] = []
        MessageHeader(
            payloadCount: payload.count, crc: payload.isEmpty ? 0 : FrameCRC(of: payload.span).value, status: .ok
        ).append(to: &octets)
        return octets + payload
    }

    func judge(_ effect: ReaderEffect) {
        switch effect {
        case .door(.setLock(energised: true), _): finding("the lock has current without a token")
        case .notice(.decided(_, let decision, _)): require(!decision.isGranted, "granted without a token")
        case .notice(.executed): finding("a command without a token is executed")
        default: break
        }
    }
}

extension FieldRig where Judge == PhoneCardJudge {
    fileprivate mutating func recover() {
        leave()
        pass(.seconds(400))
        enter()
        respond(PhoneCardJudge.version)
        require(command.starts(with: [0x80, PhoneCardExchange.begin]), "no BEGIN")
        respond(PhoneCardJudge.handshake + [0x90, 0x00])
        require(command.starts(with: [0x80, PhoneCardExchange.deliver]), "no reply to the handshake")
        leave()
        require(device.nextCardAction() == nil, "an action for a phone that has left")
    }
}
