// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Credentials
import TestSupport
import Testing
import Timekeeping

@testable import Reader
@testable import ReaderTestSupport

/// Phones that play the card at the reader: one session per touch, with the time limits of a link.
@Suite struct PhoneAsCardTests {
    private static let select = octets("00a4040009f0726561646572640100")
    private static let begin = octets("80140000058001018200" + "00")
    private static let handshake = octets("00132e300000120a100ffe0eb6ccfed9dd80aac04c1886aa62")

    private static func bench(_ kinds: [CardKind] = [.phone, .pkoc]) throws -> CardBench {
        try CardBench { $0.cards.kinds = kinds }
    }

    /// A bench whose phone has received BEGIN.
    private static func begun() throws -> CardBench {
        var bench = try bench()
        bench.enter()
        #expect(bench.reader.nextCardAction() == .transmit(select))
        #expect(bench.respond(octets("8001019000")) == .transmit(begin))
        return bench
    }

    @Test func handshakeIsAnswered() throws {
        var bench = try Self.begun()
        guard case .transmit(let command) = bench.respond(Self.handshake + [0x90, 0x00]) else {
            Issue.record("no DELIVER")
            return
        }
        // The reply: a header, status 0, and a payload of 92 octets or close, as the signature's length varies.
        #expect(command.starts(with: octets("80160000")))
        #expect(Int(command[4]) == command.count - 6)
        let status = try MessageHeader(checking: Array(command[5..<command.count - 1]).span).status
        #expect(status == .ok)
        #expect(bench.takeEffects().contains(.notice(.tapped(.tap(1)))))
    }

    @Test func deviceWithoutTheApplicationIsTriedAsTheNextKind() throws {
        var bench = try Self.bench()
        bench.enter()
        _ = bench.reader.nextCardAction()
        #expect(bench.respond([0x6A, 0x82]) == .transmit(octets("00a4040008a00000089800000100")))
        #expect(!bench.takeEffects().contains(.notice(.tapped(.tap(1)))))
    }

    @Test func phoneWithoutACredentialIsTriedAsTheNextKind() throws {
        var bench = try Self.begun()
        #expect(bench.respond([0x6A, 0x82]) == .transmit(octets("00a4040008a00000089800000100")))
    }

    @Test func listedCardOpensAfterThePhoneKind() throws {
        let card = try ModelCard(1)
        var bench = try CardBench([ListedCard(card.evidence, credentialID("CARD000001"))]) {
            $0.cards.kinds = [.phone, .pkoc]
        }
        bench.enter()
        _ = bench.reader.nextCardAction()
        var action = bench.respond([0x6A, 0x82])
        while case .transmit(let command) = action { action = bench.respond(try card.response(command)) }
        #expect(action == .finish)
        #expect(bench.opened == true)
    }

    @Test func phoneThatRequestsTimeIsAskedAfterAPause() throws {
        var bench = try Self.begun()
        #expect(bench.respond([0x93, 0x01]) == nil)
        #expect(bench.reader.polledDeadline == bench.now + .milliseconds(50))
        bench.pass(.milliseconds(49))
        #expect(bench.reader.nextCardAction() == nil)
        bench.pass(.milliseconds(1))
        #expect(bench.reader.nextCardAction() == .transmit(octets("8018000000")))
        guard case .transmit = bench.respond(Self.handshake + [0x90, 0x00]) else {
            Issue.record("no DELIVER")
            return
        }
    }

    /// 60 requests for time at 50 ms, and the 3 s are over.
    @Test func phoneThatOnlyRequestsTimeIsEnded() throws {
        var bench = try Self.begun()
        var fetches = 0
        var action = bench.respond([0x93, 0x01])
        while action == nil {
            bench.pass(.milliseconds(50))
            action = bench.reader.nextCardAction()
            guard case .transmit = action else { break }
            fetches += 1
            action = bench.respond([0x93, 0x01])
        }
        #expect(action == .finish)
        #expect(fetches == 59)
        let notices = bench.takeEffects()
        #expect(notices.contains(.notice(.refused(.tap(1), .idle))))
        #expect(notices.contains(.notice(.tapEnded(.tap(1)))))
    }

    @Test func responseAfterTheTimeIsNotServed() throws {
        var bench = try Self.begun()
        bench.now = bench.now + .seconds(3)
        #expect(bench.respond(Self.handshake + [0x90, 0x00]) == .finish)
    }

    @Test func phoneThatLeavesEndsTheSessionAndTheNextIsServed() throws {
        var bench = try Self.begun()
        _ = bench.respond(Self.handshake + [0x90, 0x00])
        bench.reader.cardLeft()
        #expect(bench.respond([0x90, 0x00]) == nil)
        #expect(bench.takeEffects().contains(.notice(.tapEnded(.tap(1)))))
        bench.enter()
        #expect(bench.reader.nextCardAction() == .transmit(Self.select))
        _ = bench.respond(octets("8001019000"))
        #expect(bench.takeEffects().contains(.notice(.tapped(.tap(2)))))
    }

    /// A wrong checksum is answered by silence, as over Bluetooth; a touch has nothing further to deliver.
    @Test func messageWithAWrongChecksumEndsTheTouch() throws {
        var bench = try Self.begun()
        var message = Self.handshake
        message[2] ^= 1
        #expect(bench.respond(message + [0x90, 0x00]) == .finish)
        #expect(bench.takeEffects().contains(.notice(.messageRefused(.tap(1), .crc, told: false))))
    }

    /// A weak salt is refused with a status message, the last one.
    @Test func handshakeWithAWeakSaltIsRefused() throws {
        var bench = try Self.begun()
        let payload = octets("120a10") + [UInt8](repeating: 7, count: 16)
        var message: [UInt8] = []
        MessageHeader(payloadCount: payload.count, crc: FrameCRC(of: payload.span).value, status: .ok).append(
            to: &message)
        guard case .transmit(let command) = bench.respond(message + payload + [0x90, 0x00]) else {
            Issue.record("no DELIVER")
            return
        }
        #expect(command.count == 12)
        let status = try MessageHeader(checking: Array(command[5..<11]).span).status
        #expect(status == .salt)
        #expect(bench.respond([0x90, 0x00]) == .finish)
        #expect(bench.opened == false)
    }

    @Test func malformedResponseIsRefusedAndNoOtherKindIsTried() throws {
        var bench = try Self.begun()
        #expect(bench.respond(octets("0001000000009000")) == .finish)
        let effects = bench.takeEffects()
        #expect(effects.refusals == [.malformed])
        #expect(!effects.opensLock)
        #expect(bench.respond(Self.handshake + [0x90, 0x00]) == nil)
    }
}

extension CardBench {
    /// A card or a phone enters the field.
    mutating func enter() { reader.cardEntered(random: &random, at: moment) }

    /// Its response, and the next action.
    mutating func respond(_ response: [UInt8]) -> CardAction? {
        reader.receive(cardResponse: response.span, random: &random, at: moment)
        return reader.nextCardAction()
    }

    /// Time passes.
    mutating func pass(_ duration: Duration) {
        now = now + duration
        reader.advance(to: moment, port: &port)
    }
}
