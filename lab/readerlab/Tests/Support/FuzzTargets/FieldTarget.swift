// SPDX-License-Identifier: Apache-2.0

import Contactless
import ContactlessAir
import Credentials
import Crypto
import TestSupport
import Timekeeping

/// An NFC field of the lab: a host that writes anything to the chip, lines of cards, readers that send anything to a
/// card, and phones that answer anything. The chip answers a host in a bounded number of octets; and in the end a host
/// meets a card.
func fuzzField(_ input: inout FuzzInput) {
    var rig = ChipRig()
    while let choice = input.next() {
        switch choice {
        case 0..<0x20: rig.write(input.block())
        case 0x20..<0x60: rig.send(input.block())
        case 0x60..<0x70: rig.send([0x4A, 0x01, 0x00])
        case 0x70..<0x80: rig.send([0x40, 0x01] + input.block())
        case 0x80..<0x90: rig.read(String(decoding: input.block(), as: UTF8.self))
        case 0x90..<0xA0: rig.answer(input.block())
        case 0xA0..<0xB0: rig.move(choice)
        case 0xB0..<0xC0: rig.ask(choice, input.block())
        case 0xC0..<0xE0: rig.meet(input.block())
        default: rig.pass(.milliseconds(Int(input.octet()) * 16))
        }
    }
    rig.recover()
}

private struct ChipRig {
    private static let key = certain { try P256PrivateKey.generate() }
    private static let reader: AliroReader = {
        let part = [UInt8](repeating: 0x11, count: 16)
        let identifier = certain {
            try AliroReader.Identifier(group: part, sub: part) ?? { throw CryptoError.invalidKey }()
        }
        return AliroReader(key: key, identifier: identifier)
    }()
    private static let activation = CardActivation(random: (1, 2, 3))
    /// The most octets in answer to one transmission of the host.
    private static let answerLimit = 64 * 1024

    private var session = FieldSession(readers: ["reader"])
    private var now = Instant.origin
    private var random = SplitMix64(seed: 1)
    private var asked: UInt64?
    private var phone: AliroPhone
    private var pkoc = PKOCCard(ChipRig.key, activation: ChipRig.activation)
    private var desfire = DESFireCard(
        DESFireContents(
            number: [1, 2, 3, 4], key: .init(repeating: 7, count: 16), uid: .init(repeating: 4, count: 7)),
        activation: ChipRig.activation)
    private var trial: AliroTrialReader?
    private var trials = 0

    init() {
        phone = certain {
            let trust =
                try AliroPhone.Trust(group: nil, point: ChipRig.key.publicKey) ?? { throw CryptoError.invalidKey }()
            return AliroPhone(ChipRig.key, trust: trust, activation: ChipRig.activation)
        }
        certain { try session.join("card", ChipRig.activation) }
    }

    mutating func write(_ octets: [UInt8]) {
        session.receive(octets.span, from: 0, at: now)
        look()
    }

    /// A command in its frame (PN532 user manual, 6.2.1).
    mutating func send(_ command: [UInt8]) {
        let data = [0xD4] + command.prefix(250)
        let sum = data.reduce(0 as UInt8) { $0 &+ $1 }
        let count = UInt8(data.count)
        write([0x00, 0x00, 0xFF, count, 0 &- count] + data + [0 &- sum, 0x00])
    }

    mutating func read(_ line: String) {
        guard let line = try? CardLine(line) else { return }
        let again = certain { try CardLine(line.text) }
        require(again == line, "a line that reads as another: \(line.text)")
        if case .place(let place) = line { _ = try? session.move("card", to: place, at: now) }
        look()
    }

    mutating func answer(_ response: [UInt8]) {
        if let asked { session.respond("card", response, number: asked, at: now) }
        look()
    }

    mutating func move(_ choice: UInt8) {
        switch choice % 4 {
        case 0: _ = try? session.move("card", to: .away, at: now)
        case 1: _ = try? session.move("card", to: .near(reader: nil, .lasting), at: now)
        case 2: _ = try? session.move("card", to: .near(reader: nil, .during(command: 2)), at: now)
        default: session.closed(0, at: now)
        }
        look()
    }

    /// A reader sends anything to a card of the library.
    mutating func ask(_ choice: UInt8, _ command: [UInt8]) {
        let response =
            switch choice % 3 {
            case 0: phone.respond(to: command, random: &random)
            case 1: pkoc.respond(to: command, random: &random)
            default: desfire.respond(to: command, random: &random)
            }
        require(response.map { $0.count >= 2 } ?? true, "a response without a status word")
    }

    /// A phone answers anything to the reader of a trial.
    mutating func meet(_ response: [UInt8]) {
        guard trial?.receive(response) == nil, trials < 3 else { return }
        trials += 1
        trial = certain {
            try AliroTrialReader(
                ChipRig.reader, store: AliroStore(binding: ChipRig.reader.binding),
                fault: AliroReaderFault.all[Int(random.next() % UInt64(AliroReaderFault.all.count))],
                at: Moment(instant: now, epochSeconds: 1_795_867_200), random: &random)
        }
        _ = trial?.start()
    }

    mutating func pass(_ time: Duration) {
        now = now + time
        session.advance(to: now)
        look()
    }

    @discardableResult
    private mutating func look() -> [UInt8] {
        var sent: [UInt8] = []
        for effect in session.takeEffects() {
            switch effect {
            case .host(_, let octets): sent += octets
            case .card(_, .command(let number, _)): asked = number
            default: break
            }
        }
        require(sent.count <= ChipRig.answerLimit, "\(sent.count) octets in answer")
        return sent
    }

    mutating func recover() {
        session.closed(0, at: now)
        _ = try? session.move("card", to: .near(reader: "reader", .lasting), at: now)
        asked = nil
        send([0x4A, 0x01, 0x00])
        send([0x40, 0x01, 0x00, 0xA4])
        require(asked != nil, "a host does not meet the card")
        phone.activate()
        let select: [UInt8] = [
            0x00, 0xA4, 0x04, 0x00, 0x09, 0xA0, 0x00, 0x00, 0x09, 0x09, 0xAC, 0xCE, 0x55, 0x01, 0x00,
        ]
        let response = phone.respond(to: select, random: &random)
        require(response?.suffix(2) == [0x90, 0x00], "a phone does not answer SELECT")
    }
}
