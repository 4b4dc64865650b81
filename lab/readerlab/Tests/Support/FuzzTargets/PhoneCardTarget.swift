// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Credentials
import Crypto
import Peripheral
import Proximity
import Reader
import TestSupport
import Timekeeping

/// A phone in the reader's field that answers anything, at any time. No input opens, since none has a token; the
/// reader transmits short APDUs alone and gives up in time; and in the end a phone's handshake is answered.
func fuzzPhoneCard(_ input: inout FuzzInput) {
    var rig = PhoneCardRig()
    while let choice = input.next() {
        switch choice {
        case 0..<0x20: rig.respond(input.block())
        case 0x20..<0x40: rig.respond(input.block() + [0x90, 0x00])
        case 0x40..<0x50: rig.respond(input.block() + [0x61, input.octet()])
        case 0x50..<0x70: rig.respond(PhoneCardRig.message(input.block()) + [0x90, 0x00])
        case 0x70..<0x80: rig.respond(PhoneCardRig.version)
        case 0x80..<0x90: rig.respond(PhoneCardRig.handshake + [0x90, 0x00])
        case 0x90..<0xA0: rig.respond([0x93, 0x01])
        case 0xA0..<0xB0: rig.enter()
        case 0xB0..<0xB8: rig.leave()
        case 0xB8..<0xC0: rig.respond([0x6A, 0x82])
        case 0xC0..<0xE0: rig.pass(.milliseconds(Int(input.octet()) * 16))
        default: rig.passToDeadline()
        }
    }
    rig.recover()
}

private struct PhoneCardRig: ~Copyable, TimedRig {
    static let version: [UInt8] = [0x80, 0x01, 0x01, 0x90, 0x00]
    /// The example of nfc-profile.md, 2.2.
    static let handshake = message([
        0x12, 0x0A, 0x10, 0x0F, 0xFE, 0x0E, 0xB6, 0xCC, 0xFE, 0xD9, 0xDD, 0x80, 0xAA, 0xC0, 0x4C, 0x18, 0x86, 0xAA,
        0x62,
    ])

    var device: ReaderDevice<CountingRandom>
    var now = Instant.origin
    private var effects: [ReaderEffect] = []
    private var command: [UInt8] = []

    init() {
        var configuration = AccessConfiguration(modes: [
            .init(mode: .access, address: .randomStatic(from: 1), gate: .init())
        ])
        configuration.cards.kinds = [.phone, .pkoc]
        device = certain {
            try ReaderDevice(
                configuration: configuration, identity: FuzzKeys.identity, door: DoorConfiguration(),
                random: CountingRandom(), at: Moment(instant: .origin, epochSeconds: 1_795_262_400))
        }
        device.reader.startDoor(at: now)
        look()
    }

    private var moment: Moment { Moment(instant: now, epochSeconds: 1_795_262_400) }

    /// A whole message with this payload.
    static func message(_ payload: [UInt8]) -> [UInt8] {
        var octets: [UInt8] = []
        MessageHeader(
            payloadCount: payload.count, crc: payload.isEmpty ? 0 : FrameCRC(of: payload.span).value, status: .ok
        ).append(to: &octets)
        return octets + payload
    }

    mutating func enter() {
        device.cardEntered(at: moment)
        look()
    }

    mutating func leave() {
        device.cardLeft()
        command = []
        look()
    }

    mutating func respond(_ response: [UInt8]) {
        device.receive(cardResponse: response.span, at: moment)
        look()
    }

    var deadline: Instant? { device.nextDeadline }

    mutating func reach(_ instant: Instant) {
        device.advance(to: moment)
        look()
    }

    private mutating func look() {
        device.reader.takeEffects(into: &effects)
        for effect in effects {
            switch effect {
            case .door(.setLock(energised: true), _): finding("the lock has current without a token")
            case .notice(.decided(_, let decision, _)): require(!decision.isGranted, "granted without a token")
            case .notice(.executed): finding("a command without a token is executed")
            default: break
            }
        }
        while let action = device.nextCardAction() {
            switch action {
            case .transmit(let octets):
                require((5...APDULimit.command).contains(octets.count), "a command of \(octets.count) octets")
                command = octets
            case .tryNext, .finish: command = []
            }
        }
    }

    mutating func recover() {
        leave()
        pass(.seconds(400))
        enter()
        respond(PhoneCardRig.version)
        require(command.starts(with: [0x80, PhoneCardExchange.begin]), "no BEGIN")
        respond(PhoneCardRig.handshake + [0x90, 0x00])
        require(command.starts(with: [0x80, PhoneCardExchange.deliver]), "no reply to the handshake")
        leave()
        require(device.nextCardAction() == nil, "an action for a phone that has left")
    }
}
