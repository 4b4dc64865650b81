// SPDX-License-Identifier: Apache-2.0

import Fleet
import TestSupport
import Testing
import Timekeeping

/// A link's session: what follows what.
@Suite struct FleetSessionTests {
    @Test func orderAfterAConnection() throws {
        let bench = try SessionBench()
        #expect(bench.receive(.reader(bench.reader)) == [.request(.status(LinkStatus()))])
        #expect(bench.wait(.zero) == [.connect])
        #expect(bench.receive(.state(#"{"open":false}"#)).isEmpty)
        bench.session.connect(BrokerLimits(), at: bench.now)
        #expect(
            bench.session.takeEffects() == [
                .subscribe("acc/v1/7761307931597753/down/mark"), .subscribe("acc/v1/7761307931597753/down/cmd"),
                .subscribe("acc/v1/7761307931597753/down/desired"),
            ])
        for topic in SessionBench.needed { bench.session.subscribe(topic, MQTTReason(1), at: bench.now) }
        #expect(
            bench.session.takeEffects() == [
                .publish("1", topic: "acc/v1/7761307931597753/up/online", isRetained: true, .online),
                .publish(
                    #"{"installed_version":"1.0"}"#, topic: "acc/v1/7761307931597753/up/firmware", isRetained: true,
                    .firmware),
                .publish(#"{"open":false}"#, topic: "acc/v1/7761307931597753/up/state", isRetained: true, .state),
                .request(.status(LinkStatus(isConnected: true))),
            ])
        #expect(bench.mark(20).first == SessionBench.read(21))
        #expect(
            bench.receive(SessionBench.batch(21...70)).first
                == .publish("{21...70}", topic: "acc/v1/7761307931597753/up/ev", isRetained: false, .batch))
    }

    @Test func withoutAMarkTheLogIsSentFromItsBeginning() throws {
        let bench = try SessionBench()
        _ = bench.receive(.reader(bench.reader))
        _ = bench.connect()
        #expect(!bench.wait(.milliseconds(1900)).contains(SessionBench.read(1)))
        #expect(bench.wait(.milliseconds(100)).contains(SessionBench.read(1)))
    }

    /// An acknowledgement is no delivery; reasons 16, 135 and 151 are faults until the mark moves (MQTT 5, 3.4.2.1).
    @Test(arguments: [16, 135, 151] as [UInt8]) func refusedEventsAreAFault(reason: UInt8) throws {
        let bench = try SessionBench()
        bench.begun()
        _ = bench.receive(SessionBench.batch(1...50))
        let status = try #require(SessionBench.status(bench.acknowledge(.batch, reason)))
        #expect(Array(status.faults.keys) == [.undelivered])
        let later = bench.mark(50)
        #expect(try #require(SessionBench.status(later)).faults.isEmpty)
        // A state that nobody reads is none.
        #expect(SessionBench.status(bench.acknowledge(.state, 16)) == nil)
    }

    @Test func aMinuteWithoutProgressIsAFault() throws {
        let bench = try SessionBench()
        bench.begun()
        _ = bench.receive(SessionBench.batch(1...50))
        #expect(bench.acknowledge(.batch, 0).allSatisfy { $0 == SessionBench.read(51) })
        var told: [LinkStatus] = []
        for _ in 0..<60 {
            let effects = bench.wait(.seconds(1))
            if effects.contains(SessionBench.read(1)) { _ = bench.receive(SessionBench.batch(1...50)) }
            _ = bench.acknowledge(.batch, 0)
            told += SessionBench.status(effects).map { [$0] } ?? []
        }
        #expect(told.last?.faults.keys.contains(.undelivered) == true)
    }

    @Test func aGapIsAFaultUntilItIsDelivered() throws {
        let bench = try SessionBench()
        bench.begun()
        let status = SessionBench.status(bench.receive(SessionBench.batch(1...90, gap: true)))
        #expect(status?.faults.keys.contains(.gap) == true)
        #expect(SessionBench.status(bench.mark(90))?.faults.isEmpty == true)
    }

    @Test func aFailureIsReportedAndRetriedNoSoonerThanFiveSeconds() throws {
        let bench = try SessionBench()
        _ = bench.receive(.reader(bench.reader))
        #expect(bench.wait(.zero) == [.connect])
        let status = SessionBench.status(bench.fail(.certificateTime))
        #expect(status == LinkStatus(faults: [.certificateTime: "why"]))
        #expect(!bench.wait(.milliseconds(4999)).contains(.connect))
        #expect(bench.wait(.milliseconds(1)).contains(.connect))
        // Another cause takes its place; a connection ends it.
        #expect(SessionBench.status(bench.fail(.unreachable))?.faults == [.unreachable: "why"])
        #expect(SessionBench.status(bench.connect())?.faults.isEmpty == true)
    }

    @Test func withoutAReaderThereIsNoConnection() throws {
        let bench = try SessionBench()
        bench.begun()
        bench.session.loseReader(at: bench.now)
        #expect(bench.session.takeEffects() == [.disconnect])
        #expect(bench.session.nextDeadline == nil)
        #expect(bench.fail(.lost).isEmpty)
    }

    /// A reader that comes and goes does not make for more attempts.
    @Test func aReaderThatComesAndGoesConnectsEveryFiveSeconds() throws {
        let bench = try SessionBench()
        var attempts = 0
        for _ in 0..<40 {
            _ = bench.receive(.reader(bench.reader))
            if bench.wait(.zero).contains(.connect) { attempts += 1 }
            bench.session.loseReader(at: bench.now)
            _ = bench.wait(.milliseconds(500))
        }
        #expect(attempts == 4)
    }

    @Test func homeAssistantIsToldAgainAfterItsStart() throws {
        let bench = try SessionBench(homeAssistant: true)
        _ = bench.receive(.reader(bench.reader))
        _ = bench.wait(.zero)
        _ = bench.receive(.state("{}"))
        let topics = bench.connect().compactMap { if case .publish(_, let topic, true, _) = $0 { topic } else { nil } }
        #expect(
            topics == [
                "acc/v1/7761307931597753/up/online", "acc/v1/7761307931597753/up/firmware",
                "homeassistant/device/7761307931597753/config", "acc/v1/7761307931597753/up/state",
            ])
        bench.acknowledgeBeginning()
        bench.session.receive(Array("online".utf8), topic: "homeassistant/status", at: bench.now)
        #expect(bench.session.takeEffects().isEmpty)
        #expect(bench.wait(.milliseconds(1999)).isEmpty)
        let answer = bench.wait(.milliseconds(8001))
        #expect(answer.count { if case .publish(_, _, true, _) = $0 { true } else { false } } == 3)
        #expect(
            bench.receive(.occasion(#"{"sequence":9,"kind":"granted"}"#, kind: "granted"))
                == [
                    .publish(
                        #"{"event_type":"granted","sequence":9,"kind":"granted"}"#,
                        topic: "acc/v1/7761307931597753/up/ha", isRetained: false, .occasion)
                ])
        #expect(bench.receive(.occasion(#"{"kind":"start"}"#, kind: "start")).isEmpty)
    }

    /// Nothing is queued without limit: events beside the log are dropped.
    @Test func unacknowledgedMessagesAreBounded() throws {
        let bench = try SessionBench(homeAssistant: true)
        bench.begun(at: 120)
        var sent = 0
        for _ in 0..<1000 {
            sent += bench.receive(.occasion(#"{"kind":"granted"}"#, kind: "granted")).count
        }
        #expect(sent <= FleetLimits.unacknowledged)
        #expect(sent > 0)
    }

    /// Rule 9: not the number of messages takes memory, but their octets.
    @Test func unacknowledgedOctetsAreBounded() throws {
        let bench = try SessionBench()
        bench.begun()
        var (sent, next) = (0, UInt64(1))
        let long = String(repeating: "x", count: 16_000)
        for _ in 0..<1000 {
            let effects = bench.receive(.batch(long, covers: next...next, hasGap: false)) + bench.wait(.seconds(1))
            for effect in effects {
                if case .publish(let text, _, _, .batch) = effect { sent += text.utf8.count }
                if case .request(.read(let first, _)) = effect { next = first }
            }
            if effects.contains(.disconnect) { break }
        }
        #expect(sent > 16_000)
        #expect(sent <= FleetLimits.unacknowledgedOctets)
    }

    /// A broker that answers pings, and acknowledges nothing, is left after 30 s.
    @Test func aBrokerThatAcknowledgesNothingIsLeft() throws {
        let bench = try SessionBench()
        bench.begun(at: 120)
        #expect(!bench.wait(.milliseconds(29_999)).contains(.disconnect))
        let effects = bench.wait(.milliseconds(1))
        #expect(effects.contains(.disconnect))
        #expect(try #require(SessionBench.status(effects)).faults.keys.contains(.lost))
        #expect(bench.wait(.seconds(5)).contains(.connect))
    }

    /// Each acknowledgement gives it 30 s more; a session without anything outstanding stays.
    @Test func aSlowBrokerIsKept() throws {
        let bench = try SessionBench()
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
            let bench = try SessionBench(spread: .seconds(40), seed: seed)
            _ = bench.receive(.reader(bench.reader))
            let begin = bench.now
            var isConnecting = false
            while !isConnecting {
                let next = try #require(bench.session.nextDeadline)
                isConnecting = bench.wait(next - bench.now).contains(.connect)
            }
            tenths[min(9, Int((bench.now - begin).wholeMilliseconds / 4000))] += 1
        }
        #expect(tenths.allSatisfy { (25...80).contains($0) }, "\(tenths)")
    }

    @Test func answersToHomeAssistantAreSpread() throws {
        var times: Set<Int64> = []
        for seed in UInt64(0)..<50 {
            let bench = try SessionBench(homeAssistant: true, seed: seed)
            bench.begun(at: 120)
            bench.acknowledgeBeginning()
            bench.now = bench.now + .seconds(100)
            bench.session.advance(to: bench.now)
            bench.session.receive(Array("online".utf8), topic: "homeassistant/status", at: bench.now)
            _ = bench.session.takeEffects()
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
        let bench = try SessionBench(homeAssistant: true)
        bench.begun(at: 120)
        let status = try #require(SessionBench.status(bench.acknowledge(purpose, 135)))
        #expect(
            status.faults == [
                .unpublished: "the broker refuses \(topic) (reason 135, not authorized); correct its ACL or its quota"
            ])
        #expect(try #require(SessionBench.status(bench.acknowledge(purpose, 0))).faults.isEmpty)
    }
}
