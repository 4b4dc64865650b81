// SPDX-License-Identifier: Apache-2.0

import TestSupport
import AccessProtocol
import Reader
import Testing
import Timekeeping

/// The access application over APDUs: `docs/protocol/nfc-profile.md`, and ISO/IEC 7816-4 where it says so.
@Suite struct CardApplicationTests {
    private static let selection = "00A4040009F0726561646572640100"

    private func selected(message: [UInt8] = []) -> CardApplication {
        var configuration = ContactlessConfiguration()
        configuration.deviceID = "Door0001"
        configuration.message = message
        var link = CardApplication(configuration: configuration)
        #expect(link.receive(octets(Self.selection).span, at: .origin) == .opened)
        return link
    }

    private func milliseconds(_ count: Int) -> Instant { .origin + .milliseconds(count) }

    @Test func selectingTellsTheProfile() {
        let link = selected()
        #expect(
            link.response
                == octets("6F 1D 84 09 F07265616465726401 A5 10 80 01 01 81 01 F0 82 08") + Array("Door0001".utf8)
                + octets("9000"))
    }

    @Test func selectingWithoutInformation() {
        var link = selected()
        #expect(link.send("00A4040C09F07265616465726401") == octets("9000"))
        #expect(link.send("00A4040009F07265616465726401") == octets("9000"))
    }

    /// ISO/IEC 7816-4, 11.2.2: what is not there is not found, and what was selected stays so.
    @Test func otherNames() {
        var link = selected()
        for name in ["05F072656164", "09F07265616465726402", "0AF0726561646572640100", "07D2760000850101"] {
            #expect(link.send("00A40400\(name)") == octets("6A82"), "\(name)")
        }
        #expect(link.send("00A40402 09F07265616465726401") == octets("6A86"))
        #expect(link.send("00A40400") == octets("6700"))
        #expect(link.send("00A40300 0101") == octets("6A86"))
        #expect(link.send("10A40400 09F07265616465726401") == octets("6884"))
        #expect(link.receive(octets("80100000 06 000000000000").span, at: .origin) == .received)
    }

    @Test func nothingBeforeASelection() {
        var link = CardApplication(configuration: ContactlessConfiguration())
        #expect(link.send("80100000 06 000000000000 00") == octets("6985"))
        #expect(link.send("8012000000") == octets("6985"))
        #expect(link.send("00C0000000") == octets("6985"))
        #expect(link.send("00B0000002") == octets("6985"))
        #expect(link.nextDeadline == nil)
    }

    @Test func unknownInstructions() {
        var link = selected()
        for command in ["00CA0000", "00100000 01 AA", "80A40400", "80B0000001", "00D60000 01 AA", "0012000000"] {
            #expect(link.send(command) == octets("6D00"), "\(command)")
        }
        #expect(link.send("A0100000 01 AA") == octets("6E00"))
        #expect(link.send("01100000 01 AA") == octets("6881"))
        #expect(link.send("0C100000 01 AA") == octets("6882"))
        #expect(link.send("") == octets("6700"))
    }

    @Test func aMessageInOneCommand() {
        var link = selected()
        #expect(link.receive(octets("80100000 08 0002 0000 0000 AABB 00").span, at: .origin) == .received)
        #expect(link.message == octets("0002 0000 0000 AABB"))
        #expect(link.response == [])
        link.answer(octets("0001 0000 0000 CC").span)
        #expect(link.response == octets("0001 0000 0000 CC 9000"))
        #expect(link.nextDeadline == nil && !link.isPending)
    }

    /// 5.3.3.2: all but the last have bit 5 of CLA, and each is answered by 9000.
    @Test func aMessageInAChain() {
        var link = selected()
        let message = octets("0020 0000 0000") + (0..<32).map { UInt8($0) }
        for octet in message.dropLast() {
            #expect(link.send("90100000 01 \(String(UInt16(octet) + 0x100, radix: 16).dropFirst())") == octets("9000"))
            #expect(!link.isPending)
        }
        #expect(link.receive(octets("80100000 01 1F 00").span, at: .origin) == .received)
        #expect(link.message == message)
    }

    /// A message has to be whole after its last part, by its own header: cut at every length, and with octets too many.
    @Test func aMessageThatIsNotWhole() {
        let message = octets("0004 0000 0000 AABBCCDD")
        for count in 1..<message.count {
            var link = selected()
            let command = octets("80100000") + [UInt8(count)] + message[..<count]
            let reason: StatusCode = count < 6 ? .invalidState : .crc
            #expect(link.receive(command.span, at: .origin) == .malformed(reason), "\(count)")
            #expect(link.response == octets("6A80"))
        }
        var link = selected()
        let command = octets("80100000 0B") + message + [0]
        #expect(link.receive(command.span, at: .origin) == .malformed(.crc))
        // And the next is taken.
        #expect(link.receive((octets("80100000 0A") + message).span, at: .origin) == .received)
    }

    @Test func aMessageThatIsTooLong() {
        var link = selected()
        let part = "90100000 F0" + String(repeating: "00", count: 240)
        // 2054 octets are 8 parts and 134.
        for _ in 0..<8 { #expect(link.send(part) == octets("9000")) }
        #expect(link.send("90100000 86" + String(repeating: "00", count: 134)) == octets("9000"))
        #expect(link.send("90100000 01 00") == octets("6700"))
        // The chain is over: the next command begins a message.
        #expect(link.receive(octets("80100000 06 000000000000").span, at: .origin) == .received)
        #expect(link.message.count == 6)
    }

    /// The header is enough to refuse a message: in a chain by the status word, else by the session's answer.
    @Test func aHeaderThatAnnouncesTooMuch() {
        var link = selected()
        #expect(link.receive(octets("80100000 06 0801 0000 0000 00").span, at: .origin) == .tooLong)
        link.answer(octets("0000 0000 FFF9").span)
        #expect(link.response == octets("00000000FFF9 9000"))
        #expect(link.receive(octets("90100000 06 FFFF 0000 0000").span, at: .origin) == .tooLong)
        #expect(link.response == octets("6700") && !link.isPending)
        // The header cut in two.
        #expect(link.send("90100000 03 0801 00") == octets("9000"))
        #expect(link.receive(octets("90100000 03 00 0000").span, at: .origin) == .tooLong)
        #expect(link.receive(octets("80100000 06 000000000000").span, at: .origin) == .received)
    }

    @Test func whatComesBetweenEndsAChain() {
        for between in ["00B0000001", "8012000000", "00C0000000", "FF000000", "80100100 01 AA", "80100000"] {
            var link = selected()
            #expect(link.send("90100000 01 00") == octets("9000"))
            _ = link.send(between)
            #expect(link.receive(octets("80100000 06 000000000000").span, at: .origin) == .received, "\(between)")
        }
    }

    /// 5.6 and 11.8.1: 61XX says what is left, and GET RESPONSE fetches it.
    @Test func aLongAnswer() {
        var link = selected()
        _ = link.receive(octets("80100000 06 000000000000 00").span, at: .origin)
        let answer = (0..<700).map { UInt8(truncatingIfNeeded: $0) }
        link.answer(answer.span)
        #expect(link.response == Array(answer[..<240]) + octets("6100"))
        #expect(link.send("00C0000000") == Array(answer[240..<480]) + octets("61DC"))
        #expect(link.send("00C00000 02") == Array(answer[480..<482]) + octets("61DA"))
        #expect(link.send("00C00000") == octets("6700"))
        #expect(link.send("80C00000 DA") == Array(answer[482...]) + octets("9000"))
        #expect(link.send("00C0000000") == octets("6985"))
    }

    /// Without Le no data may come back (5.1, case 3).
    @Test func anAnswerToACommandThatExpectsNothing() {
        var link = selected()
        _ = link.receive(octets("80100000 06 000000000000").span, at: .origin)
        link.answer(octets("0000 0000 FF6A").span)
        #expect(link.response == octets("6106"))
        #expect(link.send("00C0000006") == octets("0000 0000 FF6A 9000"))
    }

    @Test func anAnswerThatTakesLong() {
        var link = selected()
        _ = link.receive(octets("80100000 06 000000000000 00").span, at: .origin)
        #expect(link.nextDeadline == milliseconds(100))
        link.advance(to: milliseconds(99))
        #expect(link.response == [])
        link.advance(to: milliseconds(100))
        #expect(link.response == octets("9301") && link.nextDeadline == nil)
        #expect(link.receive(octets("8012000000").span, at: milliseconds(110)) == .waiting)
        #expect(link.response == [] && link.nextDeadline == milliseconds(210))
        link.advance(to: milliseconds(210))
        #expect(link.response == octets("9301"))
        // It comes while nobody asks, and is there for the next poll.
        link.answer(octets("0000 0000 0000").span)
        #expect(link.response == octets("9301"))
        #expect(link.send("8012000000") == octets("0000 0000 0000 9000"))
        #expect(link.send("8012000000") == octets("6985"))
    }

    @Test func anAnswerDuringAPoll() {
        var link = selected()
        _ = link.receive(octets("80100000 06 000000000000 00").span, at: .origin)
        link.advance(to: milliseconds(100))
        _ = link.receive(octets("8012000000").span, at: milliseconds(101))
        link.answer(octets("0000 0000 0000").span)
        #expect(link.response == octets("0000 0000 0000 9000"))
    }

    /// Commands before the answer is there change nothing.
    @Test func commandsInTheWrongOrder() {
        var link = selected()
        _ = link.receive(octets("80100000 06 000000000000 00").span, at: .origin)
        link.advance(to: milliseconds(100))
        #expect(link.send("80100000 06 000000000000 00") == octets("6985"))
        #expect(link.send("90100000 01 00") == octets("6985"))
        #expect(link.send("00C0000000") == octets("6985"))
        link.answer(octets("0000 0000 0000").span)
        #expect(link.send("8012000000") == octets("0000 0000 0000 9000"))
        #expect(link.send("8012010000") == octets("6A86"))
        #expect(link.send("80120000 01 00") == octets("6700"))
        #expect(link.send("9012000000") == octets("6884"))
    }

    @Test func aNewMessageEndsAnAnswer() {
        var link = selected()
        _ = link.receive(octets("80100000 06 000000000000 01").span, at: .origin)
        link.answer(octets("0000 0000 0000").span)
        #expect(link.response == octets("00 6105"))
        #expect(link.receive(octets("80100000 06 000000000000 00").span, at: .origin) == .received)
        link.answer(octets("0000 0000 FF6A").span)
        #expect(link.response == octets("0000 0000 FF6A 9000"))
    }

    @Test func aRefusedMessage() {
        var link = selected()
        _ = link.receive(octets("80100000 06 000000000000 00").span, at: .origin)
        link.refuse(.wrongData)
        #expect(link.response == octets("6A80"))
        #expect(link.receive(octets("80100000 06 000000000000 00").span, at: .origin) == .received)
    }

    @Test func aSessionThatTheReaderEnds() {
        var link = selected()
        _ = link.receive(octets("80100000 06 000000000000 00").span, at: .origin)
        link.close()
        #expect(link.response == octets("6985") && link.nextDeadline == nil)
        link.answer(octets("0000 0000 0000").span)
        #expect(link.response == octets("6985"))
        #expect(link.send("80100000 06 000000000000 00") == octets("6985"))
        #expect(link.receive(octets(Self.selection).span, at: .origin) == .opened)
        #expect(link.receive(octets("80100000 06 000000000000 00").span, at: .origin) == .received)
    }

    /// The two applications exclude each other, and each SELECT begins anew.
    @Test func theOtherApplication() {
        var link = selected(message: octets("D1 01 02 55 04 61"))
        _ = link.send("90100000 01 00")
        #expect(link.receive(octets("00A4040007D276000085010100").span, at: .origin) == .closed)
        #expect(link.send("80100000 06 000000000000 00") == octets("6985"))
        #expect(link.send("00A4000C02E103") == octets("9000"))
        #expect(link.receive(octets("00A4040007D276000085010100").span, at: .origin) == .answered)
        #expect(link.receive(octets(Self.selection).span, at: .origin) == .opened)
        #expect(link.send("00B0000002") == octets("6985"))
        #expect(link.send("00A4000C02E103") == octets("6A82"))
        // The chain that was begun before is forgotten.
        #expect(link.receive(octets("80100000 06 000000000000 00").span, at: .origin) == .received)
        #expect(link.message.count == 6)
    }

    @Test func anotherActivation() {
        var link = selected()
        _ = link.receive(octets("80100000 06 000000000000 00").span, at: .origin)
        link.reset()
        #expect(link.response == [] && link.nextDeadline == nil)
        link.answer(octets("0000 0000 0000").span)
        #expect(link.response == [])
        #expect(link.send("80100000 06 000000000000 00") == octets("6985"))
    }

    /// Any octets: one response at most, never longer than one exchange holds, and a sound phone is served afterwards.
    @Test func anyOctets() {
        var random = SplitMix64(seed: 26)
        var link = selected(message: octets("D1 01 02 55 04 61"))
        let classes: [UInt8] = [0x00, 0x10, 0x80, 0x90, 0x01, 0xFF]
        let instructions: [UInt8] = [0xA4, 0xB0, 0xC0, 0x10, 0x12, 0xD6]
        for turn in 0..<20_000 {
            var command = random.octets(Int(random.next() % 12))
            if command.count > 1, turn % 4 != 0 {
                command[0] = classes[Int(random.next() % 6)]
                command[1] = instructions[Int(random.next() % 6)]
            }
            let step = link.receive(command.span, at: milliseconds(turn))
            if step == .received || step == .waiting {
                #expect(link.response == [])
                if turn % 3 == 0 { link.answer(random.octets(Int(random.next() % 900)).span) }
                if turn % 3 == 1 { link.refuse(.wrongData) }
                link.advance(to: milliseconds(turn + 100))
            }
            #expect(2...APDULimit.response ~= link.response.count)
        }
        #expect(link.receive(octets(Self.selection).span, at: .origin) == .opened)
    }
}
