// SPDX-License-Identifier: Apache-2.0

import Fleet
import TestSupport
import Testing
import Timekeeping

/// The conditions for a link to count as connected, and for another client to be claimed.
@Suite struct FleetConnectionTests {
    @Test func anotherClientWithTheIdentityIsAFault() throws {
        let bench = try SessionBench()
        _ = bench.receive(.reader(bench.reader))
        var status: LinkStatus?
        for _ in 0..<3 {
            _ = bench.wait(.seconds(8))
            _ = bench.connect()
            bench.acknowledgeBeginning()
            status = SessionBench.status(bench.close())
        }
        #expect(status?.faults.keys.sorted() == [.identityTwice, .lost])
        #expect(!bench.wait(.seconds(29)).contains(.connect))
    }

    /// The broker says so: at once, and until a connection has stood for a minute.
    @Test func aSessionThatIsTakenOverIsAnotherClient() throws {
        let bench = try SessionBench()
        _ = bench.receive(.reader(bench.reader))
        _ = bench.connect()
        let taken = LinkFailure("broker:8883", .sessionTakenOver, refused: false)
        let status = SessionBench.status(bench.fail(taken))
        #expect(status?.faults.keys.sorted() == [.identityTwice])
        #expect(!bench.wait(.seconds(29)).contains(.connect))
        while !bench.wait(.seconds(1)).contains(.connect) {}
        #expect(SessionBench.status(bench.connect())?.faults.keys.sorted() == [.identityTwice])
        bench.acknowledgeBeginning()
        #expect(SessionBench.status(bench.wait(.seconds(60)))?.faults.isEmpty == true)
    }

    /// Another client is claimed for nothing else: each of these has a cause.
    @Test(arguments: [
        LinkFailure(.lost, "why"), LinkFailure("broker", MQTTReason(0x98), refused: false),
        LinkFailure("broker", .packetTooLarge, refused: false), LinkFailure("broker", MQTTReason(0x9F), refused: false),
        LinkFailure(.violation, "why"),
    ]) func otherLossesAreNoOtherClient(failure: LinkFailure) throws {
        let bench = try SessionBench()
        _ = bench.receive(.reader(bench.reader))
        for _ in 0..<6 {
            _ = bench.wait(.seconds(8))
            _ = bench.connect()
            bench.acknowledgeBeginning()
            let status = SessionBench.status(bench.fail(failure))
            #expect(status?.faults.keys.sorted() == [failure.fault])
        }
    }

    /// Nor for one that closes while something is unacknowledged, or before it has served the link.
    @Test(arguments: [true, false]) func aBrokerThatClosesUnderLoadIsNoOtherClient(isServed: Bool) throws {
        let bench = try SessionBench()
        _ = bench.receive(.reader(bench.reader))
        var told: [LinkStatus] = []
        for _ in 0..<6 {
            _ = bench.wait(.seconds(8))
            if isServed { _ = bench.connect() } else { bench.session.connect(BrokerLimits(), at: bench.now) }
            told += SessionBench.status(bench.close()).map { [$0] } ?? []
        }
        #expect(!told.isEmpty && told.allSatisfy { $0.faults.keys.sorted() == [.lost] })
    }

    // MARK: - A session

    /// `connected` is what the broker has confirmed: the connection, and each of the subscriptions.
    @Test func theLinkIsConnectedOnceEverySubscriptionIsGranted() throws {
        let bench = try SessionBench()
        _ = bench.receive(.reader(bench.reader))
        bench.session.connect(BrokerLimits(), at: bench.now)
        #expect(SessionBench.status(bench.session.takeEffects()) == nil)
        for topic in SessionBench.needed.dropLast() {
            bench.session.subscribe(topic, MQTTReason(0), at: bench.now)
            bench.session.subscribe(topic, MQTTReason(0), at: bench.now)
            #expect(bench.session.takeEffects().isEmpty)
        }
        bench.session.subscribe("another", MQTTReason(0), at: bench.now)
        #expect(bench.session.takeEffects().isEmpty)
        bench.session.subscribe(SessionBench.needed[2], MQTTReason(0), at: bench.now)
        #expect(SessionBench.status(bench.session.takeEffects())?.isConnected == true)
    }

    /// A session that falls before that was none, whatever comes later.
    @Test func aSessionThatFallsBeforeItsSubscriptionsWasNone() throws {
        for granted in 0..<3 {
            let bench = try SessionBench()
            _ = bench.receive(.reader(bench.reader))
            bench.session.connect(BrokerLimits(), at: bench.now)
            for topic in SessionBench.needed.prefix(granted) {
                bench.session.subscribe(topic, MQTTReason(1), at: bench.now)
            }
            _ = bench.session.takeEffects()
            #expect(SessionBench.status(bench.close()) == LinkStatus(faults: [.lost: "why"]))
            for topic in SessionBench.needed { bench.session.subscribe(topic, MQTTReason(1), at: bench.now) }
            _ = bench.acknowledge(.online, 0)
            #expect(bench.session.takeEffects().isEmpty)
        }
    }

    /// A refused subscription (MQTT 5, 3.9.3) is no session: the fault names the topic and the reason.
    @Test(arguments: SessionBench.needed) func aRefusedSubscriptionIsNoSession(topic: String) throws {
        let bench = try SessionBench()
        _ = bench.receive(.reader(bench.reader))
        bench.session.connect(BrokerLimits(), at: bench.now)
        _ = bench.session.takeEffects()
        bench.session.subscribe(topic, MQTTReason(0x87), at: bench.now)
        let effects = bench.session.takeEffects()
        #expect(effects.first == .disconnect)
        let text =
            "the broker refuses the subscription to \(topic) (reason 135, not authorized); permit it in its ACL"
        #expect(SessionBench.status(effects) == LinkStatus(faults: [.refused: text]))
        #expect(bench.wait(.seconds(5)).contains(.connect))
    }

    @Test func aBrokerThatAnswersNoSubscriptionIsLeft() throws {
        let bench = try SessionBench()
        _ = bench.receive(.reader(bench.reader))
        bench.session.connect(BrokerLimits(), at: bench.now)
        #expect(!bench.wait(.milliseconds(29_999)).contains(.disconnect))
        let effects = bench.wait(.milliseconds(1))
        #expect(effects.contains(.disconnect))
        #expect(SessionBench.status(effects)?.isConnected == false)
    }

    /// The reader does not believe an old status: an unchanged one is repeated, also without a connection.
    @Test func anUnchangedStatusIsRepeated() throws {
        let bench = try SessionBench()
        _ = bench.receive(.reader(bench.reader))
        _ = bench.fail(.unreachable)
        for _ in 0..<20 {
            let next = try #require(bench.session.nextDeadline)
            #expect(next - bench.now <= FleetLimits.statusInterval)
            let effects = bench.wait(FleetLimits.statusInterval)
            #expect(SessionBench.status(effects) == LinkStatus(faults: [.unreachable: "why"]))
        }
        #expect(FleetLimits.silenceLimit >= FleetLimits.statusInterval * 2, "one may be late")
    }
}
