// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Crypto
import TestSupport
import Testing
import Timekeeping

@testable import Phone

/// A phone that plays the card: its responses to a reader that polls (docs/protocol/nfc-profile.md, 7).
@Suite struct PhoneCardTests {
    private static let select = octets("00a4040009f0726561646572640100")
    private static let begin = octets("801400000d8001018208776130793159775300")

    private static func phone(reader: PhoneVisitPlan.Reader? = nil) throws -> PhoneCard<SplitMix64> {
        var plan = PhoneVisitPlan(.token, credentials: [try .demo()])
        plan.reader = reader
        return PhoneCard(plan, clock: PhoneClock(1_795_867_200, at: .origin), random: SplitMix64(seed: 1), at: .origin)
    }

    /// The responses to these commands, one after the other.
    private static func responses(
        _ phone: inout PhoneCard<SplitMix64>, _ commands: [UInt8]...
    ) -> [String] {
        phone.activated(at: .origin)
        var responses: [String] = []
        for command in commands { responses.append(hex(phone.respond(to: command, at: .origin))) }
        return responses
    }

    @Test("7.2: SELECT, and BEGIN with the handshake")
    func handshake() throws {
        var phone = try PhoneCardTests.phone()
        let responses = PhoneCardTests.responses(&phone, PhoneCardTests.select, PhoneCardTests.begin)
        #expect(responses[0] == "8001019000")
        // Header with 19 octets and the checksum, the handshake with its salt.
        #expect(responses[1].hasPrefix("0013") && responses[1].hasSuffix("9000"))
        #expect(responses[1].count == 2 * (6 + 19 + 2))
        let notices = phone.takeNotices()
        #expect(notices.count == 3)
        #expect(notices.contains { if case .step(.selected("wa0y1YwS"), _, _) = $0 { true } else { false } })
    }

    @Test(
        "Commands that do not fit are refused, and end nothing",
        arguments: [
            ("00a4040005f00102030400", "6a82"), ("8014000000", "6985"), ("8016000001aa00", "6985"),
            ("8099000000", "6d00"), ("8014", "6700"), ("801400000d80", "6700"), ("ffffffffff", "6d00"),
        ])
    func refusals(_ command: String, _ word: String) throws {
        var phone = try PhoneCardTests.phone()
        let responses = PhoneCardTests.responses(&phone, octets(command), PhoneCardTests.select)
        #expect(responses == [word, "8001019000"])
        let isOver = phone.isOver
        #expect(!isOver)
    }

    @Test("BEGIN with another version, length or tag is refused")
    func beginnings() throws {
        for objects in ["8001028208776130793159775300", "80010182077761307931597753", "8001018308776130793159775300"] {
            var phone = try PhoneCardTests.phone()
            let command = octets("80140000") + [0x0D] + Array(octets(objects).prefix(13)) + [0x00]
            let responses = PhoneCardTests.responses(&phone, PhoneCardTests.select, command)
            #expect(responses[1] == "6a80")
        }
    }

    @Test("A reader without a credential gets 6A82, and the failure names it")
    func otherReader() throws {
        var phone = try PhoneCardTests.phone(reader: .deviceID("another1"))
        let responses = PhoneCardTests.responses(&phone, PhoneCardTests.select, PhoneCardTests.begin)
        #expect(responses[1] == "6a82")
        let cause = phone.failure?.cause
        #expect(cause == .otherReader("wa0y1YwS"))
    }

    @Test("An answer that is no reply ends the touch; the response has no data")
    func wrongReply() throws {
        var phone = try PhoneCardTests.phone()
        let responses = PhoneCardTests.responses(
            &phone, PhoneCardTests.select, PhoneCardTests.begin, octets("801600000600000000000000"))
        #expect(responses[2] == "9000")
        let isOver = phone.isOver
        let failure = phone.failure
        #expect(isOver && failure != nil)
    }

    @Test("A message in too many parts is refused")
    func tooLong() throws {
        var phone = try PhoneCardTests.phone()
        _ = PhoneCardTests.responses(&phone, PhoneCardTests.select, PhoneCardTests.begin)
        let part = octets("90160000f0") + [UInt8](repeating: 0, count: 240)
        var words: [String] = []
        for _ in 0..<9 { words.append(hex(phone.respond(to: part, at: .origin))) }
        #expect(words == [String](repeating: "9000", count: 8) + ["6700"])
    }

    @Test("A phone that is released before BEGIN begins again; in the exchange the touch is lost")
    func released() throws {
        var phone = try PhoneCardTests.phone()
        _ = PhoneCardTests.responses(&phone, PhoneCardTests.select)
        phone.released(at: .origin)
        let again = PhoneCardTests.responses(&phone, PhoneCardTests.begin, PhoneCardTests.select, PhoneCardTests.begin)
        #expect(again[0] == "6985" && again[2].hasSuffix("9000"))
        phone.released(at: .origin)
        let cause = phone.failure?.cause
        #expect(cause == .cardLost)
        let after = PhoneCardTests.responses(&phone, PhoneCardTests.select)
        #expect(after == ["6a82"])
    }
}
