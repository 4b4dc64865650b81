// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Crypto
import Peripheral
import Phone
import Protobuf
import Reader
import TestSupport
import Testing
import Timekeeping

@testable import ReaderTestSupport

/// From a token to the door and back, on an ungated link unless said otherwise.
@Suite struct AccessReaderSessionTests {
    @Test func pingAnswersTheVersion() throws {
        var bench = try ReaderBench { $0.version.buildTime = 1_700_000_000 }
        let link = bench.connect(0, generation: 0)
        guard case .completed(let data) = try bench.exchange(link, token: ReaderBench.token(.ping)) else {
            Issue.record("no result")
            return
        }
        let info = try VersionInfo(decodingDelimited: data.span)
        #expect(info == VersionInfo(buildTime: 1_700_000_000, version: 1, testVersion: 0))
        #expect(bench.reader.doorActions.isEmpty)
    }

    @Test func statusTellsTheDoor() throws {
        var bench = try ReaderBench()
        let link = bench.connect(0, generation: 0)
        #expect(try bench.exchange(link, token: ReaderBench.token(.open)) == .completed([]))
        guard case .completed(let data) = try bench.exchange(link, token: ReaderBench.token(.status)) else {
            Issue.record("no result")
            return
        }
        let status = try SystemStatus(decodingDelimited: data.span)
        #expect(status.deviceId.ascii == "wa0y1YwS")
        #expect(status.lock == LockStatus(state: .unlocked, openings: 1))
        #expect(status.settings.timeWasSet)
        #expect(status.localTime == LocalTimestamp(year: 2026, month: 11, date: 21, hours: 12, minutes: 0, seconds: 0))
    }

    @Test func openPulsesTheLockForFiveSeconds() throws {
        var bench = try ReaderBench()
        let link = bench.connect(0, generation: 0)
        #expect(try bench.exchange(link, token: ReaderBench.token(.open)) == .completed([]))
        #expect(bench.reader.doorActions.first == .setLock(energised: true))
        bench.reader.doorActions = []
        bench.event(.disconnected(link, reason: .remoteUserTerminated))
        bench.pass(until: 4999)
        #expect(!bench.reader.doorActions.contains(.setLock(energised: false)))
        bench.pass(until: 5000)
        #expect(bench.reader.doorActions.contains(.setLock(energised: false)))
    }

    @Test func aWrongSignatureIsDeniedVisibly() throws {
        var bench = try ReaderBench()
        let link = bench.connect(0, generation: 0)
        let token = try ReaderBench.token(.open, key: P256PrivateKey.generate())
        #expect(
            try bench.exchange(link, token: token) == .failed(PhoneFailure(.peerStatus, terminal: .signature)))
        #expect(bench.reader.doorActions.contains(.setIndicator(.denied, on: true)))
        #expect(!bench.reader.doorActions.contains(.setLock(energised: true)))
        #expect(bench.takeNotices().contains(.messageRefused(.link(link), .signature, told: true)))
    }

    @Test func anExpiredTokenIsDenied() throws {
        var bench = try ReaderBench()
        let link = bench.connect(0, generation: 0)
        let token = try ReaderBench.token(.open, through: 2025)
        #expect(
            try bench.exchange(link, token: token) == .failed(PhoneFailure(.peerStatus, terminal: .validity)))
        #expect(!bench.reader.doorActions.contains(.setLock(energised: true)))
    }

    @Test func anUnknownCommandIsNotSupported() throws {
        var bench = try ReaderBench()
        let link = bench.connect(0, generation: 0)
        let token = try ReaderBench.token(CommandName(rawValue: "NOSUCH"))
        #expect(
            try bench.exchange(link, token: token) == .failed(PhoneFailure(.peerStatus, terminal: .notSupported)))
        #expect(
            bench.takeNotices().last
                == .executed(.link(link), credential: "CRED000001", command: "NOSUCH", .notSupported))
    }

    /// A reader of the log does not learn who came when, nor what to put into a token.
    @Test func aLineForPeopleHasOnlyAPartOfACredential() throws {
        var bench = try ReaderBench()
        let link = bench.connect(0, generation: 7)
        _ = try bench.exchange(link, token: ReaderBench.token(.open))
        #expect(
            bench.takeNotices().map(\.description).suffix(2) == [
                "door: unlocked for a grant", "link 7: tokn of credential CR…001, status 0 (ok)",
            ])
    }

    @Test func withoutAClockNothingIsAnswered() throws {
        var bench = try ReaderBench()
        bench.epochSeconds = nil
        let link = bench.connect(0, generation: 0)
        #expect(try bench.exchange(link, token: ReaderBench.token(.open)) == .send)
        #expect(bench.takeNotices().contains(.messageRefused(.link(link), .currentTime, told: false)))
        #expect(bench.reader.doorActions.isEmpty)
    }

    @Test func localTimeDecides() throws {
        var bench = try ReaderBench { $0.zone = TimeZoneRule(utcOffsetMinutes: 14 * 60) }
        // 2029-12-31 11:00 UTC is 2030-01-01 01:00 there, past an end of 00:00.
        bench.epochSeconds = CivilTime(year: 2029, month: 12, day: 31, hour: 11).epochSeconds
        let link = bench.connect(0, generation: 0)
        #expect(
            try bench.exchange(link, token: ReaderBench.token(.ping))
                == .failed(PhoneFailure(.peerStatus, terminal: .validity)))
    }

    @Test func framesHeldByTheGateAreServedInOrder() throws {
        var bench = try ReaderBench()
        let link = bench.connect(0, generation: 0, set: 1)
        #expect(try bench.exchange(link, token: ReaderBench.token(.ping)) == .send)
        #expect(bench.port.notified.isEmpty)
        bench.measure(link, -50)
        #expect(bench.port.notified.count == 1)
    }

    @Test func anAnswerGoesOutOnTheServiceThatWasWritten() throws {
        var bench = try ReaderBench()
        #expect(bench.table.services.count == 3)
        let link = bench.connect(0, generation: 0)
        for service in 0..<3 {
            let handshake: [UInt8] = [
                0x00, 0x13, 0x2E, 0x30, 0x00, 0x00, 0x12, 0x0A, 0x10, 0x0F, 0xFE, 0x0E, 0xB6, 0xCC, 0xFE, 0xD9, 0xDD,
                0x80, 0xAA, 0xC0, 0x4C, 0x18, 0x86, 0xAA, 0x62,
            ]
            bench.write(link, handshake, service: service)
            #expect(bench.port.notified.last?.1 == bench.table.services[service].tx)
            // The reader waits for a request now; anything else brings it back.
            bench.write(link, handshake, service: service)
        }
    }

    static let handshake: [UInt8] = [
        0x00, 0x13, 0x2E, 0x30, 0x00, 0x00, 0x12, 0x0A, 0x10, 0x0F, 0xFE, 0x0E, 0xB6, 0xCC, 0xFE, 0xD9, 0xDD, 0x80,
        0xAA, 0xC0, 0x4C, 0x18, 0x86, 0xAA, 0x62,
    ]

    /// A header that announces more than 2048 octets is answered by −7 and told, and hides no message behind it.
    @Test func aMessageThatIsTooLongIsRefusedAtItsHeader() throws {
        var bench = try ReaderBench()
        let link = bench.connect(0, generation: 0)
        for length in [0x0801, 0x1300, 0xFFFF] as [UInt16] {
            _ = bench.takeNotices()
            let header = [UInt8(length >> 8), UInt8(length & 0xFF)] + Self.handshake[2...]
            bench.write(link, header)
            bench.write(link, [UInt8](repeating: 0x42, count: 20))
            #expect(bench.port.notified.map(\.2) == [octets("0000 0000 FFF9")])
            #expect(bench.takeNotices() == [.messageRefused(.link(link), .overflow, told: true)])
            bench.port.notified = []
            guard case .completed = try bench.exchange(link, token: ReaderBench.token(.ping)) else {
                Issue.record("no result behind a length of \(length)")
                return
            }
        }
        // In the middle of an exchange, which it ends.
        bench.write(link, Self.handshake)
        bench.port.notified = []
        bench.write(link, octets("0801 0000 0000"))
        #expect(bench.port.notified.map(\.2) == [octets("0000 0000 FFF9")])
        bench.port.notified = []
        guard case .completed = try bench.exchange(link, token: ReaderBench.token(.ping)) else {
            Issue.record("no result")
            return
        }
    }

    /// One message at a time: a phone that does not wait for its answer does not get two halves of it.
    @Test func anAnswerStaysOnItsServiceWhateverIsWrittenMeanwhile() throws {
        var bench = try ReaderBench()
        let link = bench.connect(0, generation: 0)
        bench.port.mtu = 23
        bench.port.outcomes = [.accepted, .busy]
        bench.write(link, Self.handshake, service: 0)
        bench.write(link, Self.handshake, service: 1)
        #expect(bench.takeNotices().last == .messageRefused(.link(link), .unavailable, told: false))
        bench.event(.writable(link))
        #expect(bench.port.notified.map(\.1).allSatisfy { $0 == bench.table.services[0].tx })
        #expect(bench.port.notified.count == 5)
    }

    @Test(arguments: 1...6) func aFrameWhileAnyPartOfAnAnswerWaitsChangesNothing(accepted: Int) throws {
        var bench = try ReaderBench()
        let link = bench.connect(0, generation: 0)
        // The handshake's answer in one frame, the result's in as many as it takes.
        guard case .completed = try bench.exchange(link, token: ReaderBench.token(.ping)) else {
            Issue.record("no result")
            return
        }
        bench.pass(until: 2000)
        bench.port.mtu = 23
        // A reply of 95 to 98 octets is five frames, a sealed PING of 119 six.
        bench.port.outcomes = Array(repeating: .accepted, count: 5 + accepted - 1) + [.busy]
        _ = try bench.exchange(link, token: ReaderBench.token(.ping))
        _ = bench.takeNotices()
        bench.write(link, Self.handshake)
        #expect(bench.takeNotices() == [.messageRefused(.link(link), .unavailable, told: false)])
        bench.event(.writable(link))
        #expect(bench.port.notified.map(\.2.count) == [20, 20, 20, 20, 20, 19].suffix(7 - accepted))
        // The exchange is complete now, and has earned the link its time.
        bench.pass(until: 4999)
        #expect(!bench.takeNotices().contains(.refused(.link(link), .idle)))
        bench.pass(until: 5000)
        #expect(bench.takeNotices().contains(.refused(.link(link), .idle)))
    }

    @Test func aLinkThatEndsWhileItIsAnsweredLeavesNothing() throws {
        var bench = try ReaderBench()
        let link = bench.connect(0, generation: 0)
        bench.port.mtu = 23
        bench.port.outcomes = [.accepted, .busy]
        bench.write(link, Self.handshake)
        bench.event(.disconnected(link, reason: .remoteUserTerminated))
        bench.event(.writable(link))
        #expect(bench.port.notified.count == 1)
        let next = bench.connect(0, generation: 1)
        bench.event(.writable(link))
        bench.event(.writable(next))
        #expect(bench.port.notified.count == 1)
        #expect(bench.reader.servedLinks == 1)
    }

    @Test func aFullQueueIsContinuedWhenWritable() throws {
        var bench = try ReaderBench()
        let link = bench.connect(0, generation: 0)
        bench.port.mtu = 23
        bench.port.outcomes = [.accepted, .busy, .busy]
        let answered = try bench.exchange(link, token: ReaderBench.token(.ping))
        #expect(answered == .incomplete)
        let before = bench.port.notified.count
        bench.event(.writable(link))
        #expect(bench.port.notified.count == before)
        // A frame before the answer has been sent as a whole is dropped, whatever it is.
        _ = bench.takeNotices()
        bench.write(link, [1])
        #expect(bench.takeNotices() == [.messageRefused(.link(link), .unavailable, told: false)])
        bench.event(.writable(link))
        // 98 octets of reply in frames of 20; the first went before.
        #expect(bench.port.notified.count == 4)
    }

    @Test func aPhoneThatDidNotSubscribeIsNoted() throws {
        var bench = try ReaderBench()
        let link = bench.connect(0, generation: 0)
        bench.port.outcomes = [.notSubscribed]
        _ = try bench.exchange(link, token: ReaderBench.token(.ping))
        #expect(bench.takeNotices().last == .unanswerable(link))
        // The reader waits for a request: the next handshake is none, the one after begins anew.
        #expect(
            try bench.exchange(link, token: ReaderBench.token(.open))
                == .failed(PhoneFailure(.peerStatus, terminal: .decrypt)))
        #expect(try bench.exchange(link, token: ReaderBench.token(.open)) == .completed([]))
    }

    @Test func completedExchangesKeepTheLink() throws {
        var bench = try ReaderBench()
        let link = bench.connect(0, generation: 0)
        for second in [2, 4, 6, 8] {
            bench.pass(until: second * 1000)
            guard case .completed = try bench.exchange(link, token: ReaderBench.token(.ping)) else {
                Issue.record("no result at \(second) s")
                return
            }
        }
        bench.pass(until: 10_999)
        #expect(bench.port.takeRequests().allSatisfy { $0 != .disconnect(link, .refused) })
        bench.pass(until: 11_000)
        #expect(bench.port.takeRequests().contains(.disconnect(link, .refused)))
    }

    @Test func threeLinksHaveSessionsOfTheirOwn() throws {
        var bench = try ReaderBench()
        let links = (0..<3).map { bench.connect($0, generation: UInt32($0), phone: UInt64($0)) }
        let handshake: [UInt8] = [0x00, 0x13, 0x2E, 0x30, 0x00, 0x00, 0x12, 0x0A]
        for link in links { bench.write(link, handshake) }
        for link in links {
            bench.write(
                link,
                [
                    0x10, 0x0F, 0xFE, 0x0E, 0xB6, 0xCC, 0xFE, 0xD9, 0xDD, 0x80, 0xAA, 0xC0, 0x4C, 0x18, 0x86, 0xAA,
                    0x62,
                ])
        }
        #expect(bench.port.notified.map(\.0) == links)
    }
}
