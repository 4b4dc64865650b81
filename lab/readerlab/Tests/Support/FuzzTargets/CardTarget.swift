// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Credentials
import Crypto
import Peripheral
import Proximity
import Reader
import TestSupport
import Timekeeping

/// A card in the reader's field that answers anything, at any time. No input may open; the reader transmits within the
/// limits of a short APDU and gives up in time; and in the end a listed card goes through.
func fuzzPKOC(_ input: inout FuzzInput) {
    var rig = CardRig()
    while let choice = input.next() {
        switch choice {
        case 0..<0x30: rig.respond(input.block())
        case 0x30..<0x60: rig.respond(input.block() + [0x90, 0x00])
        case 0x60..<0x80: rig.respond(CardRig.fields(&input) + [0x90, 0x00])
        case 0x80..<0x90: rig.respond(CardRig.versions)
        case 0x90..<0xA0: rig.respond(rig.proof(choice, &input))
        case 0xA0..<0xB0: rig.enter()
        case 0xB0..<0xB8: rig.leave()
        case 0xB8..<0xC0: rig.respond([0x6A, 0x82])
        case 0xC0..<0xE0: rig.pass(.milliseconds(Int(input.octet()) * 16))
        default: rig.passToDeadline()
        }
    }
    rig.recover()
}

private struct CardRig: ~Copyable, TimedRig {
    static let versions: [UInt8] = [0x5C, 0x02, 0x01, 0x00, 0x90, 0x00]
    private static let key = certain {
        let scalar = [UInt8](repeating: 0, count: 31) + [7]
        return try P256PrivateKey(scalar: scalar.span)
    }
    private static let identity = [UInt8](key.publicKey.point.octets)

    var device: ReaderDevice<CountingRandom>
    var now = Instant.origin
    private var effects: [ReaderEffect] = []
    private var command: [UInt8] = []
    private var granted = 0
    private var isOpening = false

    init() {
        var configuration = AccessConfiguration(modes: [
            .init(mode: .access, address: .randomStatic(from: 1), gate: .init())
        ])
        configuration.cards.kinds = [.pkoc]
        device = certain {
            try ReaderDevice(
                configuration: configuration, identity: FuzzKeys.identity, door: DoorConfiguration(),
                random: CountingRandom(), at: Moment(instant: .origin, epochSeconds: 1_795_262_400))
        }
        let evidence = CardEvidence(kind: .pkoc, identity: CardRig.identity)
        guard let id = OSSCredentialID("CARD000001") else { finding("no name") }
        device.reader.cardList = CardList([ListedCard(evidence, id)])
        device.reader.startDoor(at: now)
        look()
    }

    private var moment: Moment { Moment(instant: now, epochSeconds: 1_795_262_400) }

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

    /// The listed card's key with a signature over other octets, or a changed one over the right ones.
    func proof(_ choice: UInt8, _ input: inout FuzzInput) -> [UInt8] {
        var message = command.count > 27 ? Array(command[11..<27]) : []
        message.append(contentsOf: choice & 1 == 0 ? [input.octet()] : [])
        var signature = certain { try CardRig.key.rawSignature(message.span) }
        if choice & 1 == 1 { signature[input.number(below: 64)] ^= max(1, input.octet()) }
        return [0x5A, 0x41] + CardRig.identity + [0x9E, 0x40] + signature + [0x90, 0x00]
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
            case .door(.setLock(energised: true), _): require(isOpening, "the lock has current without a proof")
            case .notice(.decided(_, let decision, _)):
                if decision.isGranted {
                    require(isOpening, "a card is granted that has proven nothing")
                    granted += 1
                }
            default: break
            }
        }
        while let action = device.nextCardAction() {
            switch action {
            case .transmit(let octets):
                require((5...262).contains(octets.count), "a command of \(octets.count) octets")
                command = octets
            case .tryNext, .finish: command = []
            }
        }
    }

    mutating func recover() {
        leave()
        // After the re-arm time, and with nothing open.
        pass(.seconds(400))
        isOpening = true
        let before = granted
        enter()
        respond(CardRig.versions)
        require(command.count == 62, "no AUTHENTICATE")
        let message = Array(command[11..<27])
        let signature = certain { try CardRig.key.rawSignature(message.span) }
        respond([0x5A, 0x41] + CardRig.identity + [0x9E, 0x40] + signature + [0x90, 0x00])
        require(granted == before + 1, "a listed card does not go through")
    }
}
