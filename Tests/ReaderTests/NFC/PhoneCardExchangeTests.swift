// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Credentials
import TestSupport
import Testing

@testable import Reader
@testable import ReaderTestSupport

/// The APDUs to a phone that plays the card (`docs/protocol/nfc-profile.md`, 7).
@Suite struct PhoneCardExchangeTests {
    private static let select = octets("00a4040009f0726561646572640100")
    private static let begin = octets("801400000d8001018208776130793159775300")
    private static let fetch = octets("8018000000")
    private static let more = octets("00c0000000")
    /// A header without a payload, status −4.
    private static let message = octets("00000000fffc")

    private static func exchange() -> PhoneCardExchange {
        var configuration = ContactlessConfiguration()
        configuration.deviceID = "wa0y1YwS"
        return PhoneCardExchange(configuration)
    }

    /// An exchange that has transmitted BEGIN.
    private static func begun() -> PhoneCardExchange {
        var exchange = Self.exchange()
        #expect(exchange.start() == .transmit(select))
        #expect(exchange.receive(octets("8001019000")) == .transmit(begin))
        return exchange
    }

    private static func answer(_ count: Int) -> [UInt8] { [UInt8](repeating: 0x5A, count: count) }

    @Test func messageInOneResponse() {
        var exchange = Self.begun()
        #expect(exchange.receive((Self.message + [0x90, 0x00])) == .received)
        #expect(exchange.message == Self.message)
    }

    @Test func messageInParts() {
        var exchange = Self.begun()
        // A payload of 300 octets: 306 in all.
        let message = octets("012c00000000") + Self.answer(300)
        #expect(exchange.receive((message[..<2] + [0x61, 0x00])) == .transmit(Self.more))
        #expect(exchange.receive((message[2..<242] + [0x61, 0x40])) == .transmit(Self.more))
        #expect(exchange.receive((message[242...] + [0x90, 0x00])) == .received)
        #expect(exchange.message == message)
    }

    @Test func answerIsChainedAndFetchesTheNextMessage() {
        var exchange = Self.begun()
        _ = exchange.receive((Self.message + [0x90, 0x00]))
        #expect(
            exchange.deliver(Self.answer(250), isLast: false)
                == .transmit(octets("90160000f0") + Self.answer(240)))
        #expect(
            exchange.receive(octets("9000")) == .transmit(octets("801600000a") + Self.answer(10) + [0x00]))
        #expect(exchange.receive((Self.message + [0x90, 0x00])) == .received)
        #expect(exchange.message == Self.message)
    }

    /// The response to the last answer has no meaning.
    @Test(arguments: ["9000", "", "6f00", "9301", "0000000000009000"]) func lastAnswerEndsTheTouch(_ response: String) {
        var exchange = Self.begun()
        _ = exchange.receive((Self.message + [0x90, 0x00]))
        #expect(exchange.deliver(Self.message, isLast: true) == .transmit(octets("801600000600000000fffc00")))
        #expect(exchange.receive(octets(response)) == .end(.concluded))
        #expect(exchange.receive(octets("9000")) == .end(.refused(.outOfOrder)))
    }

    @Test func phoneThatRequestsTimeIsAskedAgain() {
        var exchange = Self.begun()
        #expect(exchange.receive(octets("9301")) == .wait)
        #expect(exchange.resume() == .transmit(Self.fetch))
        #expect(exchange.receive(octets("9301")) == .wait)
        #expect(exchange.resume() == .transmit(Self.fetch))
        #expect(exchange.receive((Self.message + [0x90, 0x00])) == .received)
    }

    @Test func emptyResponseEndsTheTouch() {
        var exchange = Self.begun()
        #expect(exchange.receive(octets("9000")) == .end(.concluded))
    }

    /// A card that does not know the command may be of another kind; a phone that has been selected is not.
    @Test(arguments: ["6d00", "6e00"]) func cardWithoutTheCommandIsAnother(_ word: String) {
        var exchange = Self.exchange()
        _ = exchange.start()
        #expect(exchange.receive(octets(word)) == .end(.absent))
        var selected = Self.begun()
        #expect(selected.receive(octets(word)) == .end(.refused(.statusWord)))
    }

    @Test func phoneWithoutTheApplicationOrACredentialIsAbsent() {
        var exchange = Self.exchange()
        _ = exchange.start()
        #expect(exchange.receive(octets("6a82")) == .end(.absent))
        var begun = Self.begun()
        #expect(begun.receive(octets("6a82")) == .end(.absent))
    }

    @Test(arguments: [
        ("9000", CardRefusal.malformed), ("80010190", .statusWord), ("8001029000", .version),
        ("8101019000", .malformed),
        ("800101009000", .malformed), ("6a80", .statusWord), ("6f00", .statusWord), ("", .malformed),
        ("90", .malformed),
    ]) func invalidResponseToSelect(_ response: String, _ refusal: CardRefusal) {
        var exchange = Self.exchange()
        _ = exchange.start()
        #expect(exchange.receive(octets(response)) == .end(.refused(refusal)))
    }

    @Test(arguments: [
        // Shorter than a header, shorter and longer than the header says, and a part that is already whole.
        ("00009000", CardRefusal.malformed), ("0001000000009000", .malformed), ("000000000000009000", .malformed),
        ("0000000000006101", .malformed), ("6101", .malformed), ("009301", .malformed), ("90", .malformed),
        // A header that announces more than 2048 octets.
        ("0801000000006101", .tooLong), ("ffff00000000009000", .tooLong),
        ("6985", .statusWord), ("6f00", .statusWord), ("6283", .statusWord),
    ]) func invalidResponseToBegin(_ response: String, _ refusal: CardRefusal) {
        var exchange = Self.begun()
        #expect(exchange.receive(octets(response)) == .end(.refused(refusal)))
        #expect(exchange.receive((Self.message + [0x90, 0x00])) == .end(.refused(.outOfOrder)))
    }

    @Test func responseLongerThanAnAPDUIsRefused() {
        var exchange = Self.begun()
        #expect(exchange.receive((Self.answer(241) + [0x61, 0x00])) == .end(.refused(.tooLong)))
    }

    @Test func pauseOrEndWithinAMessageIsRefused() {
        for response in ["9301", "9000", "6a82"] {
            var exchange = Self.begun()
            _ = exchange.receive(octets("0001000000006101"))
            let refusal: CardRefusal = response == "6a82" ? .statusWord : .malformed
            #expect(exchange.receive(octets(response)) == .end(.refused(refusal)))
        }
    }

    @Test(arguments: [("9301", CardRefusal.statusWord), ("6a80", .statusWord), ("009000", .malformed)])
    func invalidResponseToAPartOfAnAnswer(_ response: String, _ refusal: CardRefusal) {
        var exchange = Self.begun()
        _ = exchange.receive((Self.message + [0x90, 0x00]))
        _ = exchange.deliver(Self.answer(250), isLast: false)
        #expect(exchange.receive(octets(response)) == .end(.refused(refusal)))
    }

    @Test func callsOutOfOrderAreRefused() {
        var new = Self.exchange()
        #expect(new.receive(octets("9000")) == .end(.refused(.outOfOrder)))
        var begun = Self.begun()
        #expect(begun.deliver(Self.message, isLast: false) == .end(.refused(.outOfOrder)))
        var waiting = Self.begun()
        _ = waiting.receive(octets("9301"))
        #expect(waiting.receive(octets("9000")) == .end(.refused(.outOfOrder)))
        var answering = Self.begun()
        _ = answering.receive((Self.message + [0x90, 0x00]))
        #expect(answering.resume() == .end(.refused(.outOfOrder)))
    }
}

extension PhoneCardExchange {
    fileprivate mutating func receive(_ response: [UInt8]) -> Step { receive(response.span) }

    fileprivate mutating func deliver(_ answer: [UInt8], isLast: Bool) -> Step {
        deliver(answer.span, isLast: isLast)
    }
}
