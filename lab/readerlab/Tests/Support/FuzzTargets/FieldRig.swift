// SPDX-License-Identifier: Apache-2.0

import Credentials
import Peripheral
import Proximity
import Reader
import TestSupport
import Timekeeping

/// The promises of a reader to one kind of card or phone in its field.
protocol FieldJudge {
    /// The maximum length of a command in octets.
    static var commandLimit: Int { get }
    /// Ends with a finding if the effect breaks a promise.
    mutating func judge(_ effect: ReaderEffect)
}

/// A reader that polls, and a card or phone in its field that responds with anything, at any time.
struct FieldRig<Judge: FieldJudge>: ~Copyable, TimedRig {
    var device: ReaderDevice<CountingRandom>
    var now = Instant.origin
    var judge: Judge
    /// The command that awaits its response; the last one after a response.
    private(set) var command: [UInt8] = []
    private var effects: [ReaderEffect] = []

    init(_ judge: Judge, _ kinds: [CardKind], cards: CardList? = nil) {
        self.judge = judge
        var configuration = AccessConfiguration(modes: [
            .init(mode: .access, address: .randomStatic(from: 1), gate: .init())
        ])
        configuration.cards.kinds = kinds
        device = FuzzKeys.reader(configuration)
        device.reader.cardList = cards
        device.reader.startDoor(at: now)
        look()
    }

    private var moment: Moment { Moment(instant: now, epochSeconds: FuzzKeys.epochSeconds) }

    /// The choices of every kind: the field, a card without the application, and time.
    mutating func play(_ choice: UInt8, _ input: inout FuzzInput) {
        switch choice {
        case 0xA0..<0xB0: enter()
        case 0xB0..<0xB8: leave()
        case 0xB8..<0xC0: respond([0x6A, 0x82])
        case 0xC0..<0xE0: pass(.milliseconds(Int(input.octet()) * 16))
        default: passToDeadline()
        }
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
        for effect in effects { judge.judge(effect) }
        while let action = device.nextCardAction() {
            switch action {
            case .transmit(let octets):
                require((5...Judge.commandLimit).contains(octets.count), "a command of \(octets.count) octets")
                command = octets
            case .tryNext, .finish: command = []
            }
        }
    }
}
