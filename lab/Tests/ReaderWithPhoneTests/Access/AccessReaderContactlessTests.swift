// SPDX-License-Identifier: Apache-2.0

import TestSupport
import AccessProtocol
import Crypto
import Peripheral
import Phone
import Reader
import Testing
import Timekeeping

@testable import ReaderTestSupport

/// Phones that touch the reader: the same session, the same decisions, the same events, without a gate.
@Suite struct AccessReaderContactlessTests {
    private static let selection = octets("00A4040009F0726561646572640100")

    /// A phone with a token: what it made of the answers. Octets go by APDUs of at most `part` octets of data.
    private func exchange(_ bench: inout ReaderBench, token: [UInt8], part: Int = 240) throws -> PhoneStep {
        var phone = PhoneSession()
        var step = phone.start(token: token.span, terminal: try DemoKeys.terminal(), random: &bench.random)
        for _ in 0..<2 where step == .send {
            let message = allPackets { phone.nextFrame(limit: 512, into: &$0) }.flatMap(\.self)
            var response: [UInt8] = []
            for start in stride(from: 0, to: message.count, by: part) {
                let data = message[start..<min(start + part, message.count)]
                let isLast = data.endIndex == message.count
                let head: [UInt8] = [isLast ? 0x80 : 0x90, 0x10, 0, 0, UInt8(data.count)]
                response = bench.tap(head + data + (isLast ? [0] : []))
            }
            var answer = response.dropLast(2)
            while response.suffix(2).first == 0x61 {
                response = bench.tap(octets("00C0000000"))
                answer += response.dropLast(2)
            }
            guard response.suffix(2) == [0x90, 0x00] else { return .incomplete }
            for start in stride(from: 0, to: answer.count, by: 512) {
                let frame = Array(Array(answer)[start..<min(start + 512, answer.count)])
                step = phone.receive(frame.span, random: &bench.random)
            }
        }
        return step
    }

    private let tap = PhoneID.tap(1)

    @Test func aTokenOpensTheDoor() throws {
        for part in [240, 100, 1] {
            var bench = try ReaderBench()
            #expect(bench.tap(Self.selection).suffix(2) == [0x90, 0x00])
            #expect(try exchange(&bench, token: ReaderBench.token(.open), part: part) == .completed([]))
            #expect(bench.reader.doorActions.first == .setLock(energised: true))
            let notices = bench.takeNotices()
            #expect(notices.contains(.tapped(tap)))
            #expect(notices.contains(.executed(tap, credential: "CRED000001", command: "tokn", .ok)))
            // No slot is taken, and the host is asked for nothing.
            #expect(bench.port.takeRequests() == [.advertise(true)] && bench.port.notified.isEmpty)
            #expect(bench.reader.servedLinks == 0 && !bench.reader.hasLinks)
        }
    }

    @Test func allSlotsTakenKeepNobodyOut() throws {
        var bench = try ReaderBench { $0.maximumLinks = 1 }
        _ = bench.connect(0, generation: 0)
        _ = bench.tap(Self.selection)
        #expect(try exchange(&bench, token: ReaderBench.token(.open)) == .completed([]))
    }

    @Test func aWrongSignatureIsDeniedVisiblyAndRecorded() throws {
        var bench = try ReaderBench { $0.isAudited = true }
        _ = bench.tap(Self.selection)
        let token = try ReaderBench.token(.open, key: P256PrivateKey.generate())
        #expect(try exchange(&bench, token: token) == .failed(PhoneFailure(.peerStatus, terminal: .signature)))
        #expect(bench.reader.doorActions.contains(.setIndicator(.denied, on: true)))
        let event = try #require(bench.reader.auditEvents.first { $0.kind == .unproven })
        #expect(event.channel == .nfc && event.link == 1 && event.mode == nil && event.dBm == nil)
        #expect(event.credential.isEmpty)
    }

    /// A grant that waits for its record is answered when that is there, by a poll if it takes longer than 100 ms.
    @Test func aGrantWaitsForItsRecord() throws {
        var bench = try ReaderBench { $0.isAudited = true }
        _ = bench.tap(Self.selection)
        #expect(try exchange(&bench, token: ReaderBench.token(.open)) == .incomplete)
        let request = try #require(bench.reader.openRequests.first)
        #expect(request.event.kind == .granted && request.event.channel == .nfc)
        #expect(bench.reader.contactlessResponse == [])
        bench.pass(until: 100)
        #expect(bench.reader.contactlessResponse == octets("9301"))
        #expect(bench.tap(octets("8012000000")) == [])
        bench.decide(request.token, .ok)
        #expect(bench.reader.doorActions.contains(.setLock(energised: true)))
        // Header, sender, one block of ciphertext, MAC.
        #expect(bench.reader.contactlessResponse.prefix(2) == [0x00, 0x71])
        #expect(bench.reader.contactlessResponse.count == 6 + 65 + 16 + 32 + 2)
    }

    /// The person who was let in stands at the door, also if the phone has left before the record was there.
    @Test func aPhoneThatLeftIsLetIn() throws {
        var bench = try ReaderBench { $0.isAudited = true }
        _ = bench.tap(Self.selection)
        _ = try exchange(&bench, token: ReaderBench.token(.open))
        let request = try #require(bench.reader.openRequests.first)
        bench.reader.contactlessReset()
        _ = bench.tap(Self.selection)
        bench.decide(request.token, .ok)
        #expect(bench.reader.doorActions.contains(.setLock(energised: true)))
        // The next phone gets nothing of it.
        #expect(bench.tap(octets("8012000000")) == octets("6985"))
    }

    @Test func threeSecondsWithoutACompletedExchangeEndTheSession() throws {
        var bench = try ReaderBench()
        _ = bench.tap(Self.selection)
        bench.pass(until: 2000)
        #expect(try exchange(&bench, token: ReaderBench.token(.ping)) != .incomplete)
        bench.pass(until: 4999)
        #expect(bench.tap(octets("80100000 06 000000000000 00")) == octets("6A80"))
        bench.pass(until: 5000)
        #expect(bench.takeNotices().suffix(2) == [.refused(tap, .idle), .tapEnded(tap)])
        #expect(bench.tap(octets("80100000 06 000000000000 00")) == octets("6985"))
        #expect(bench.tap(Self.selection).suffix(2) == [0x90, 0x00])
        #expect(try exchange(&bench, token: ReaderBench.token(.open)) == .completed([]))
    }

    /// As over Bluetooth, a message that is too long is answered by −7 and told; in a chain a status word ends it.
    @Test func aMessageThatIsTooLongIsRefusedAtItsHeader() throws {
        var bench = try ReaderBench()
        _ = bench.tap(Self.selection)
        let notice = ReaderNotice.messageRefused(tap, .overflow, told: true)
        for (command, response) in [
            ("80100000 06 0801 0000 0000 00", "0000 0000 FFF9 9000"), ("90100000 06 1300 0000 0000", "6700"),
        ] {
            _ = bench.takeNotices()
            #expect(bench.tap(octets(command)) == octets(response))
            #expect(bench.takeNotices() == [notice])
            guard case .completed = try exchange(&bench, token: ReaderBench.token(.ping)) else {
                Issue.record("no result behind \(command)")
                return
            }
        }
    }

    /// Octets that are no message are told as well, each kind by its code.
    @Test func octetsThatAreNoMessageAreTold() throws {
        var bench = try ReaderBench()
        _ = bench.tap(Self.selection)
        for (data, status) in [
            ("0001 00", StatusCode.invalidState), ("0004 0000 0000 AA", .crc), ("0000 0000 0000 AA", .crc),
        ] {
            _ = bench.takeNotices()
            let octets = octets(data)
            #expect(bench.tap([0x80, 0x10, 0, 0, UInt8(octets.count)] + octets + [0]) == [0x6A, 0x80])
            #expect(bench.takeNotices() == [.messageRefused(tap, status, told: false)], "\(data)")
        }
    }

    /// Input that the session leaves unanswered over Bluetooth has a status word here, and a handshake begins anew.
    @Test func silenceHasAStatusWord() throws {
        var bench = try ReaderBench()
        _ = bench.tap(Self.selection)
        // A handshake that does not decode; a wrong checksum; a status.
        for message in ["0001 E1F0 0000 00", "0001 0000 0000 00", "0000 0000 FFFF"] {
            let data = octets(message)
            #expect(bench.tap(octets("80100000") + [UInt8(data.count)] + data + [0]) == octets("6A80"))
        }
        // Without a clock a token is met with silence (-157).
        bench.epochSeconds = nil
        #expect(try exchange(&bench, token: ReaderBench.token(.open)) == .incomplete)
        #expect(bench.reader.contactlessResponse == octets("6A80"))
        bench.epochSeconds = 1_795_262_400
        #expect(try exchange(&bench, token: ReaderBench.token(.open)) == .completed([]))
    }

    /// The same phone by Bluetooth and by touch asks once.
    @Test func aRequestOverBothWaysMovesTheDoorOnce() throws {
        var bench = try ReaderBench()
        let link = bench.connect(0, generation: 0)
        #expect(try bench.exchange(link, token: ReaderBench.token(.open)) == .completed([]))
        bench.reader.doorActions = []
        _ = bench.tap(Self.selection)
        #expect(try exchange(&bench, token: ReaderBench.token(.open)) == .completed([]))
        #expect(bench.reader.doorActions == [])
        #expect(bench.takeNotices().contains(.repeated(tap, credential: "CRED000001")))
    }

    @Test func shutDownEndsTheSession() throws {
        var bench = try ReaderBench()
        _ = bench.tap(Self.selection)
        bench.reader.shutDown(port: &bench.port, at: bench.now)
        #expect(bench.tap(octets("80100000 06 000000000000 00")) == octets("6985"))
        _ = bench.tap(Self.selection)
        #expect(bench.tap(octets("80100000 06 000000000000 00")) == octets("6985"))
    }

    @Test func aLineForPeople() {
        #expect("\(ReaderNotice.tapped(tap))" == "tap 1: near, NFC tap")
        #expect("\(ReaderNotice.refused(tap, .idle))" == "tap 1: refused, no complete exchange in time")
        #expect(tap.channel == .nfc && PhoneID.link(LinkID(slot: 0, generation: 1)).channel == .bluetooth)
    }
}

extension ReaderBench {
    /// The response to a command APDU; empty if there is none yet.
    mutating func tap(_ command: [UInt8]) -> [UInt8] {
        reader.receive(command: command.span, port: &port, random: &random, at: moment)
        collect()
        return reader.contactlessResponse
    }
}
