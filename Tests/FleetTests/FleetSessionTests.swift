// SPDX-License-Identifier: Apache-2.0

import Fleet
import TestSupport
import Testing
import Timekeeping

/// A link's session: what it does after what.
@Suite struct FleetSessionTests {
    /// A session whose effects a test reads, on virtual time.
    private final class Bench {
        var session: FleetSession
        var now = Instant.origin
        let log: LogID

        init(homeAssistant: Bool = false, spread: Duration = .zero, seed: UInt64 = 1) throws {
            session = FleetSession(
                spread: spread, tellsHomeAssistant: homeAssistant, random: SplitMix64(seed: seed))
            log = try #require(LogID([UInt8](repeating: 7, count: 16)))
        }

        var reader: LinkReader {
            LinkReader(firmware: "1.0", device: "7761307931597753", name: "Front door", log: log, newest: 120)
        }

        /// The effects of an input.
        private func act(_ input: (inout FleetSession, Instant) -> Void) -> [FleetSession.Effect] {
            input(&session, now)
            return session.takeEffects()
        }

        func take(_ report: LinkReport) -> [FleetSession.Effect] { act { $0.take(report, at: $1) } }

        func connect() -> [FleetSession.Effect] {
            act {
                $0.connect(at: $1)
                $0.subscribe(reason: 1, at: $1)
            }
        }

        func mark(_ upTo: UInt64) -> [FleetSession.Effect] {
            let text = Array(DeliveryMark(log: log, upTo: upTo).text.utf8)
            return act { $0.receive(text, topic: "acc/v1/7761307931597753/down/mark", at: $1) }
        }

        func fail(_ fault: LinkFault) -> [FleetSession.Effect] { act { $0.fail(fault, "why", at: $1) } }

        func acknowledge(
            _ purpose: FleetSession.Purpose, _ reason: Int, octets: Int = 2
        ) -> [FleetSession.Effect] { act { $0.acknowledge(purpose, octets: octets, reason: reason, at: $1) } }

        func wait(_ duration: Duration) -> [FleetSession.Effect] {
            now = now + duration
            return act { $0.advance(to: $1) }
        }

        /// Connected, with its state told and the mark known.
        func begun(at mark: UInt64 = 0) {
            _ = take(.reader(reader))
            _ = wait(.zero)
            _ = connect()
            _ = take(.state("{}"))
            _ = self.mark(mark)
        }
    }

    private static func batch(_ range: ClosedRange<UInt64>, gap: Bool = false) -> LinkReport {
        .batch("{\(range)}", covers: range, hasGap: gap)
    }

    private static func status(_ effects: [FleetSession.Effect]) -> LinkStatus? {
        effects.compactMap { if case .request(.status(let status)) = $0 { status } else { nil } }.last
    }

    @Test func orderAfterAConnection() throws {
        let bench = try Bench()
        #expect(bench.take(.reader(bench.reader)) == [.request(.status(LinkStatus()))])
        #expect(bench.wait(.zero) == [.connect])
        #expect(bench.take(.state(#"{"open":false}"#)).isEmpty)
        bench.session.connect(at: bench.now)
        #expect(
            bench.session.takeEffects() == [
                .subscribe("acc/v1/7761307931597753/down/mark"), .subscribe("acc/v1/7761307931597753/down/cmd"),
                .subscribe("acc/v1/7761307931597753/down/desired"),
            ])
        bench.session.subscribe(reason: 1, at: bench.now)
        #expect(
            bench.session.takeEffects() == [
                .publish("1", topic: "acc/v1/7761307931597753/up/online", isRetained: true, .online),
                .publish(
                    #"{"installed_version":"1.0"}"#, topic: "acc/v1/7761307931597753/up/firmware", isRetained: true,
                    .firmware),
                .publish(#"{"open":false}"#, topic: "acc/v1/7761307931597753/up/state", isRetained: true, .state),
                .request(.status(LinkStatus(isConnected: true))),
            ])
        #expect(bench.mark(20).first == .request(.read(from: 21)))
        #expect(
            bench.take(FleetSessionTests.batch(21...70)).first
                == .publish("{21...70}", topic: "acc/v1/7761307931597753/up/ev", isRetained: false, .batch))
    }

    @Test func withoutAMarkTheLogIsSentFromItsBeginning() throws {
        let bench = try Bench()
        _ = bench.take(.reader(bench.reader))
        _ = bench.connect()
        #expect(!bench.wait(.milliseconds(1900)).contains(.request(.read(from: 1))))
        #expect(bench.wait(.milliseconds(100)).contains(.request(.read(from: 1))))
    }

    /// An acknowledgement is no delivery; reasons 16, 135 and 151 are faults until the mark moves (MQTT 5, 3.4.2.1).
    @Test(arguments: [16, 135, 151]) func refusedEventsAreAFault(reason: Int) throws {
        let bench = try Bench()
        bench.begun()
        _ = bench.take(FleetSessionTests.batch(1...50))
        let status = try #require(FleetSessionTests.status(bench.acknowledge(.batch, reason)))
        #expect(Array(status.faults.keys) == [.undelivered])
        let later = bench.mark(50)
        #expect(try #require(FleetSessionTests.status(later)).faults.isEmpty)
        // A state that nobody reads is none.
        #expect(FleetSessionTests.status(bench.acknowledge(.state, 16)) == nil)
    }

    @Test func aMinuteWithoutProgressIsAFault() throws {
        let bench = try Bench()
        bench.begun()
        _ = bench.take(FleetSessionTests.batch(1...50))
        #expect(bench.acknowledge(.batch, 0).allSatisfy { $0 == .request(.read(from: 51)) })
        var told: [LinkStatus] = []
        for _ in 0..<60 {
            let effects = bench.wait(.seconds(1))
            if effects.contains(.request(.read(from: 1))) { _ = bench.take(FleetSessionTests.batch(1...50)) }
            _ = bench.acknowledge(.batch, 0)
            told += FleetSessionTests.status(effects).map { [$0] } ?? []
        }
        #expect(told.last?.faults.keys.contains(.undelivered) == true)
    }

    @Test func aGapIsAFaultUntilItIsDelivered() throws {
        let bench = try Bench()
        bench.begun()
        let status = FleetSessionTests.status(bench.take(FleetSessionTests.batch(1...90, gap: true)))
        #expect(status?.faults.keys.contains(.gap) == true)
        #expect(FleetSessionTests.status(bench.mark(90))?.faults.isEmpty == true)
    }

    @Test func aFailureIsReportedAndRetriedNoSoonerThanFiveSeconds() throws {
        let bench = try Bench()
        _ = bench.take(.reader(bench.reader))
        #expect(bench.wait(.zero) == [.connect])
        let status = FleetSessionTests.status(bench.fail(.certificateTime))
        #expect(status == LinkStatus(faults: [.certificateTime: "why"]))
        #expect(!bench.wait(.milliseconds(4999)).contains(.connect))
        #expect(bench.wait(.milliseconds(1)).contains(.connect))
        // Another cause takes its place; a connection ends it.
        #expect(FleetSessionTests.status(bench.fail(.unreachable))?.faults == [.unreachable: "why"])
        #expect(FleetSessionTests.status(bench.connect())?.faults.isEmpty == true)
    }

    @Test func anotherClientWithTheIdentityIsAFault() throws {
        let bench = try Bench()
        _ = bench.take(.reader(bench.reader))
        var status: LinkStatus?
        for _ in 0..<3 {
            _ = bench.wait(.seconds(8))
            _ = bench.connect()
            status = FleetSessionTests.status(bench.fail(.lost))
        }
        #expect(status?.faults.keys.sorted() == [.identityTwice, .lost])
        #expect(!bench.wait(.seconds(29)).contains(.connect))
    }

    @Test func withoutAReaderThereIsNoConnection() throws {
        let bench = try Bench()
        bench.begun()
        bench.session.loseReader(at: bench.now)
        #expect(bench.session.takeEffects() == [.disconnect])
        #expect(bench.session.nextDeadline == nil)
        #expect(bench.fail(.lost).isEmpty)
    }

    /// A reader that comes and goes does not make for more attempts.
    @Test func aReaderThatComesAndGoesConnectsEveryFiveSeconds() throws {
        let bench = try Bench()
        var attempts = 0
        for _ in 0..<40 {
            _ = bench.take(.reader(bench.reader))
            if bench.wait(.zero).contains(.connect) { attempts += 1 }
            bench.session.loseReader(at: bench.now)
            _ = bench.wait(.milliseconds(500))
        }
        #expect(attempts == 4)
    }

    @Test func homeAssistantIsToldAgainAfterItsStart() throws {
        let bench = try Bench(homeAssistant: true)
        _ = bench.take(.reader(bench.reader))
        _ = bench.wait(.zero)
        _ = bench.take(.state("{}"))
        let topics = bench.connect().compactMap { if case .publish(_, let topic, true, _) = $0 { topic } else { nil } }
        #expect(
            topics == [
                "acc/v1/7761307931597753/up/online", "acc/v1/7761307931597753/up/firmware",
                "homeassistant/device/7761307931597753/config", "acc/v1/7761307931597753/up/state",
            ])
        bench.session.receive(Array("online".utf8), topic: "homeassistant/status", at: bench.now)
        #expect(bench.session.takeEffects().isEmpty)
        #expect(bench.wait(.milliseconds(1999)).isEmpty)
        let answer = bench.wait(.milliseconds(8001))
        #expect(answer.count { if case .publish(_, _, true, _) = $0 { true } else { false } } == 3)
        #expect(
            bench.take(.occasion(#"{"sequence":9,"kind":"granted"}"#, kind: "granted"))
                == [
                    .publish(
                        #"{"event_type":"granted","sequence":9,"kind":"granted"}"#,
                        topic: "acc/v1/7761307931597753/up/ha", isRetained: false, .occasion)
                ])
        #expect(bench.take(.occasion(#"{"kind":"start"}"#, kind: "start")).isEmpty)
    }

    /// Nothing is queued without limit: events beside the log are dropped.
    @Test func unacknowledgedMessagesAreBounded() throws {
        let bench = try Bench(homeAssistant: true)
        bench.begun(at: 120)
        var sent = 0
        for _ in 0..<1000 {
            sent += bench.take(.occasion(#"{"kind":"granted"}"#, kind: "granted")).count
        }
        #expect(sent <= FleetLimits.unacknowledged)
        #expect(sent > 0)
    }

    /// Rule 9: not the number of messages takes memory, but their octets.
    @Test func unacknowledgedOctetsAreBounded() throws {
        let bench = try Bench()
        bench.begun()
        var (sent, next) = (0, UInt64(1))
        let long = String(repeating: "x", count: 24_000)
        for _ in 0..<1000 {
            let effects = bench.take(.batch(long, covers: next...next, hasGap: false)) + bench.wait(.seconds(1))
            for effect in effects {
                if case .publish(let text, _, _, .batch) = effect { sent += text.utf8.count }
                if case .request(.read(let first)) = effect { next = first }
            }
            if effects.contains(.disconnect) { break }
        }
        #expect(sent > 24_000)
        #expect(sent <= FleetLimits.unacknowledgedOctets)
    }

    /// A broker that answers pings, and acknowledges nothing, is left after 30 s.
    @Test func aBrokerThatAcknowledgesNothingIsLeft() throws {
        let bench = try Bench()
        bench.begun(at: 120)
        #expect(!bench.wait(.milliseconds(29_999)).contains(.disconnect))
        let effects = bench.wait(.milliseconds(1))
        #expect(effects.contains(.disconnect))
        #expect(try #require(FleetSessionTests.status(effects)).faults.keys.contains(.lost))
        #expect(bench.wait(.seconds(5)).contains(.connect))
    }

    /// Each acknowledgement gives it 30 s more; a session without anything outstanding stays.
    @Test func aSlowBrokerIsKept() throws {
        let bench = try Bench()
        bench.begun(at: 120)
        #expect(!bench.wait(.seconds(29)).contains(.disconnect))
        _ = bench.acknowledge(.online, 0, octets: 1)
        #expect(!bench.wait(.seconds(29)).contains(.disconnect))
        _ = bench.acknowledge(.firmware, 0, octets: bench.reader.firmwareReport.utf8.count)
        #expect(!bench.wait(.seconds(29)).contains(.disconnect))
        _ = bench.acknowledge(.state, 0)
        #expect(!bench.wait(.seconds(600)).contains(.disconnect))
    }

    /// Rule 12: after a power cut the readers of a site start together.
    @Test func theFirstAttemptIsSpread() throws {
        var tenths = [Int](repeating: 0, count: 10)
        for seed in UInt64(0)..<500 {
            let bench = try Bench(spread: .seconds(40), seed: seed)
            _ = bench.take(.reader(bench.reader))
            let next = try #require(bench.session.nextDeadline)
            tenths[min(9, Int((next - bench.now).wholeMilliseconds / 4000))] += 1
        }
        #expect(tenths.allSatisfy { (25...80).contains($0) }, "\(tenths)")
    }

    @Test func answersToHomeAssistantAreSpread() throws {
        var times: Set<Int64> = []
        for seed in UInt64(0)..<50 {
            let bench = try Bench(homeAssistant: true, seed: seed)
            bench.begun(at: 120)
            for purpose in [FleetSession.Purpose.online, .firmware, .discovery, .state] {
                _ = bench.acknowledge(purpose, 0)
            }
            bench.now = bench.now + .seconds(100)
            bench.session.advance(to: bench.now)
            bench.session.receive(Array("online".utf8), topic: "homeassistant/status", at: bench.now)
            let next = try #require(bench.session.nextDeadline) - bench.now
            #expect((2000...10_000).contains(next.wholeMilliseconds))
            times.insert(next.wholeMilliseconds / 1000)
        }
        #expect(times.count >= 7)
    }

    /// Rule 10: a refusal of what is no batch names its topic, until the broker takes one.
    @Test(arguments: [
        (FleetSession.Purpose.state, "acc/v1/7761307931597753/up/state"),
        (.online, "acc/v1/7761307931597753/up/online"),
        (.firmware, "acc/v1/7761307931597753/up/firmware"),
        (.discovery, "homeassistant/device/7761307931597753/config"),
        (.occasion, "acc/v1/7761307931597753/up/ha"),
    ]) func aRefusedMessageIsAFaultWithItsTopic(purpose: FleetSession.Purpose, topic: String) throws {
        let bench = try Bench(homeAssistant: true)
        bench.begun(at: 120)
        let status = try #require(FleetSessionTests.status(bench.acknowledge(purpose, 135)))
        #expect(status.faults == [.unpublished: "the broker refuses \(topic) (reason 135); mend its ACL or its quota"])
        #expect(try #require(FleetSessionTests.status(bench.acknowledge(purpose, 0))).faults.isEmpty)
    }
}
