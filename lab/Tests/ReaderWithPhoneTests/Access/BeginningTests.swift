// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Peripheral
import Phone
import TestSupport
import Testing
import Timekeeping

@testable import Reader
@testable import ReaderTestSupport

/// Phones in the first moments of a reader, before its policy and its clock are known: their requests wait.
@Suite struct BeginningTests {
    private static let revoked = BlacklistRow(
        credential: "CRED000001", until: CivilTime(year: 2029, month: 1, day: 1))

    /// A phone up to its request, which has no answer yet.
    private struct Waiting: ~Copyable {
        var phone = PhoneSession()
        let link: LinkID

        init(_ bench: inout ReaderBench, _ link: LinkID, _ command: CommandName = .open) throws {
            self.link = link
            let token = try ReaderBench.token(command)
            var step = phone.start(token: token.span, terminal: try DemoKeys.terminal(), random: &bench.random)
            // The handshake is answered: it needs neither policy nor clock.
            write(&bench)
            for (_, _, answer) in drain(&bench) { step = phone.receive(answer.span, random: &bench.random) }
            #expect(step == .send)
            write(&bench)
            #expect(drain(&bench).isEmpty)
            #expect(bench.reader.doorActions.isEmpty)
        }

        private mutating func write(_ bench: inout ReaderBench) {
            for frame in allPackets({ phone.nextFrame(limit: bench.port.mtu - 3, into: &$0) }) {
                bench.write(link, frame)
            }
        }

        private func drain(_ bench: inout ReaderBench) -> [(LinkID, AttributeHandle, [UInt8])] {
            Swift.exchange(&bench.port.notified, with: [])
        }

        /// The outcome once the reader goes on.
        mutating func outcome(_ bench: inout ReaderBench) -> PhoneStep {
            bench.resume()
            var step = PhoneStep.incomplete
            for (_, _, answer) in drain(&bench) { step = phone.receive(answer.span, random: &bench.random) }
            return step
        }
    }

    private func bench() throws -> ReaderBench {
        var bench = try ReaderBench()
        bench.reader.holdRequests()
        return bench
    }

    @Test func aRequestWaitsForThePolicyAndIsServed() throws {
        var bench = try bench()
        var waiting = try Waiting(&bench, bench.connect(0, generation: 1))
        bench.run(.seconds(1))
        #expect(bench.reader.restore([], at: bench.moment) == 0)
        #expect(waiting.outcome(&bench) == .completed([]))
        #expect(bench.reader.doorActions.first == .setLock(energised: true))
        bench.resume()
        #expect(bench.port.notified.isEmpty, "answered once")
    }

    @Test func aRevokedCredentialThatCameFirstOpensNothing() throws {
        var bench = try bench()
        var waiting = try Waiting(&bench, bench.connect(0, generation: 1))
        #expect(bench.reader.restore([Self.revoked], at: bench.moment) == 0)
        #expect(waiting.outcome(&bench) == .refused(.validity))
        #expect(!bench.reader.doorActions.contains(.setLock(energised: true)))
    }

    @Test func withoutAPolicyItIsRefused() throws {
        var bench = try bench()
        var waiting = try Waiting(&bench, bench.connect(0, generation: 1))
        bench.reader.awaitRestoration()
        #expect(waiting.outcome(&bench) == .refused(.unavailable))
        // From then on nothing waits.
        #expect(
            try bench.exchange(bench.connect(1, generation: 2), token: ReaderBench.token(.open))
                == .refused(.unavailable))
        #expect(!bench.reader.doorActions.contains(.setLock(energised: true)))
    }

    /// The clock of the last run is loaded with the policy: it decides, and not the system's of the first moments.
    @Test(arguments: [(1_924_992_000, false), (1_795_262_400, true)] as [(Int64, Bool)])
    func theKeptClockDecides(seconds: Int64, opens: Bool) throws {
        var bench = try bench()
        bench.epochSeconds = opens ? nil : 1_795_262_400
        var waiting = try Waiting(&bench, bench.connect(0, generation: 1))
        bench.epochSeconds = seconds
        #expect(bench.reader.restore([], at: bench.moment) == 0)
        #expect(waiting.outcome(&bench) == (opens ? .completed([]) : .refused(.validity)))
    }

    @Test func aPhoneThatHasLeftMovesNothing() throws {
        var bench = try bench()
        let link = bench.connect(0, generation: 1)
        var waiting = try Waiting(&bench, link)
        bench.event(.disconnected(link, reason: .remoteUserTerminated))
        // Another is in its slot, and asks for something else.
        var other = try Waiting(&bench, bench.connect(0, generation: 2), .ping)
        #expect(bench.reader.restore([], at: bench.moment) == 0)
        guard case .completed = other.outcome(&bench) else {
            Issue.record("the ping is not answered")
            return
        }
        #expect(waiting.outcome(&bench) == .incomplete)
        #expect(!bench.reader.doorActions.contains(.setLock(energised: true)))
    }

    /// One message at a time also holds for one that waits.
    @Test func aSecondRequestIsDropped() throws {
        var bench = try bench()
        let link = bench.connect(0, generation: 1)
        var waiting = try Waiting(&bench, link)
        _ = bench.takeNotices()
        bench.write(link, octets("0000 0000 0000"))
        #expect(bench.takeNotices() == [.messageRefused(.link(link), .unavailable, told: false)])
        #expect(bench.reader.restore([], at: bench.moment) == 0)
        #expect(waiting.outcome(&bench) == .completed([]))
    }

    /// A phone that touches the reader polls meanwhile.
    @Test func aTouchWaitsAsWell() throws {
        var bench = try bench()
        _ = bench.tap(octets("00A4040009F0726561646572640100"))
        var phone = PhoneSession()
        let token = try ReaderBench.token(.open)
        _ = phone.start(token: token.span, terminal: try DemoKeys.terminal(), random: &bench.random)
        var response: [UInt8] = []
        for _ in 0..<2 {
            let message = allPackets { phone.nextFrame(limit: 512, into: &$0) }.flatMap(\.self)
            for start in stride(from: 0, to: message.count, by: 240) {
                let part = message[start..<min(start + 240, message.count)]
                let isLast = part.endIndex == message.count
                let head: [UInt8] = [isLast ? 0x80 : 0x90, 0x10, 0, 0, UInt8(part.count)]
                response = bench.tap(head + part + (isLast ? [0] : []))
            }
            _ = phone.receive(Array(response.dropLast(2)).span, random: &bench.random)
        }
        #expect(response == [] && bench.reader.contactlessResponse == [])
        bench.run(.milliseconds(100))
        #expect(bench.reader.contactlessResponse == octets("9301"))
        #expect(bench.tap(octets("8012000000")) == [])
        #expect(bench.reader.restore([], at: bench.moment) == 0)
        bench.resume()
        #expect(bench.reader.contactlessResponse.suffix(2) == octets("9000"))
        #expect(bench.reader.doorActions.contains(.setLock(energised: true)))
    }

    /// A reader without a usable identity serves nobody, by either way.
    @Test func aReaderThatRefusesPhonesDoesNotAdvertise() throws {
        var bench = try ReaderBench()
        var reader = AccessReader(
            configuration: bench.reader.configuration, identity: try .demo(), table: bench.table, door: .init())
        reader.refusePhones()
        reader.startDoor(at: bench.now)
        bench.port.requests = []
        bench.reader = reader
        bench.event(.ready(ReaderBench.controller))
        #expect(!bench.port.requests.contains(.advertise(true)) && bench.reader.refusesPhones)
        _ = bench.tap(octets("00A4040009F0726561646572640100"))
        #expect(bench.tap(octets("8010000006 0000 0000 0000 00")) == octets("6985"))
    }
}

extension ReaderBench {
    /// Continues with the requests that have waited.
    fileprivate mutating func resume() {
        reader.resumeRequests(port: &port, random: &random, at: moment)
        collect()
    }
}
