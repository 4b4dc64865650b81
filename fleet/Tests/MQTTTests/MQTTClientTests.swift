// SPDX-License-Identifier: Apache-2.0

import Fleet
import Testing
import Timekeeping

@testable import MQTT

/// A client on one connection, on virtual time.
@Suite struct MQTTClientTests {
    /// A client, whose output is taken as it comes.
    private final class Bench {
        var client: MQTTClient
        var now = Instant.origin

        init(_ properties: [UInt8]? = []) {
            client = MQTTClient(identity: "r", will: nil, keepalive: .seconds(20))
            client.begin(at: now)
            _ = output()
            if let properties {
                _ = receive(Packet.connack(properties))
                _ = output()
            }
        }

        func output() -> [UInt8] {
            let output = client.output
            client.sent(output.count, at: now)
            return output
        }

        func receive(_ octets: [UInt8]) -> [MQTTClient.Event] {
            client.receive(octets.span, at: now)
            return client.takeEvents()
        }

        func wait(_ duration: Duration) -> [MQTTClient.Event] {
            now = now + duration
            client.advance(to: now)
            return client.takeEvents()
        }

        func limits(_ packet: Int) -> BrokerLimits {
            var limits = BrokerLimits()
            limits.maximumPacket = packet
            return limits
        }

        func publish(_ count: Int = 1, isRetained: Bool = false) -> UInt16? {
            client.publish(
                MQTTMessage(topic: "t", payload: [UInt8](repeating: 7, count: count), isRetained: isRetained))
        }
    }

    // MARK: - CONNACK

    @Test func nothingIsSentBeforeConnack() {
        let bench = Bench(nil)
        #expect(bench.publish() == nil)
        bench.client.subscribe("t")
        #expect(bench.output().isEmpty)
        #expect(bench.receive(Packet.connack([0x27, 0, 0, 0x20, 0])) == [.connected(bench.limits(8192))])
    }

    /// 3.2.2.2: a reason is the broker's; a return code of MQTT 3.1.1 is another version's.
    @Test func refusals() {
        #expect(
            Bench(nil).receive(Packet.connack(reason: 0x9A)) == [.ended(.refused(.retainNotSupported, reference: nil))])
        for octets in [Packet.connack(reason: 0x84), Packet.connack(reason: 1), [0x20, 2, 0, 1], [0x20, 2, 0, 0]] {
            #expect(Bench(nil).receive(octets) == [.ended(.formerVersion)])
        }
        #expect(
            Bench(nil).receive([0xE0, 1, 0x88]) == [.ended(.disconnected(MQTTReason(0x88), reference: nil))])
    }

    @Test(arguments: [Packet.publish(), Packet.suback(1, 1), Packet.puback(1), [0xD0, 0]])
    func nothingComesBeforeConnack(octets: [UInt8]) {
        let bench = Bench(nil)
        #expect(bench.receive(octets).count == 1)
        #expect(bench.output().isEmpty, "4.13.1: without CONNACK there is no DISCONNECT")
        #expect(bench.receive(Packet.connack()).isEmpty, "nothing follows an end")
    }

    /// 4.13.1: the broker is given the reason, and nothing of what follows is read.
    @Test(
        arguments: [
            (Packet.connack(), 0x82), (Packet.publish([0x7E, 0]), 0x81), ([0x30, 0x80, 0x84, 0xAF, 0x5F], 0x95),
            (Packet.publish([0x23, 0, 1]), 0x94), ([0x20, 2, 0, 0], 0x81),
        ] as [([UInt8], UInt8)]) func aViolationEndsTheConnection(octets: [UInt8], reason: UInt8)
    {
        let bench = Bench()
        let events = bench.receive(octets + Packet.publish())
        #expect(events.count == 1)
        guard case .ended(.violation)? = events.first else {
            Issue.record("\(events)")
            return
        }
        #expect(bench.output() == [0xE0, 1, reason])
        #expect(!bench.client.wantsInput)
        #expect(bench.receive(Packet.publish()).isEmpty)
        #expect(bench.publish() == nil && bench.client.nextDeadline == nil)
    }

    // MARK: - Limits

    /// 3.2.2.3.3: no more messages are unacknowledged than the broker permits.
    @Test func theReceiveMaximumIsKept() throws {
        let bench = Bench([0x21, 0, 2])
        let numbers = try (0..<5).map { _ in try #require(bench.publish()) }
        #expect(Set(numbers).count == 5)
        #expect(bench.output().count == 2 * 9)
        #expect(bench.receive(Packet.puback(1)) == [.published(1, .success)])
        #expect(bench.output().count == 9)
        #expect(bench.receive(Packet.puback(2, 0x87)) == [.published(2, MQTTReason(0x87))])
        // One that was not sent, and one that was acknowledged, change nothing.
        #expect(bench.receive(Packet.puback(9) + Packet.puback(1)).isEmpty)
        #expect(bench.output().count == 9)
        #expect(bench.receive(Packet.puback(3) + Packet.puback(4) + Packet.puback(5)).count == 3)
    }

    /// 3.2.2.3.6: a longer packet is not sent; the answer is the broker's.
    @Test func theMaximumPacketSizeIsKept() {
        let bench = Bench([0x27, 0, 0, 0, 20])
        #expect(bench.publish(12) == 1)
        #expect(bench.output().count == 20)
        #expect(bench.publish(13) == 2)
        #expect(bench.output().isEmpty)
        #expect(bench.client.takeEvents() == [.published(2, .packetTooLarge)])
    }

    /// 3.2.2.3.4, 3.2.2.3.5.
    @Test func whatTheBrokerDoesNotHaveIsNotSent() {
        let withoutRetain = Bench([0x25, 0])
        _ = withoutRetain.publish(isRetained: true)
        #expect(withoutRetain.output().isEmpty)
        #expect(withoutRetain.client.takeEvents() == [.published(1, .retainNotSupported)])
        _ = withoutRetain.publish()
        #expect(!withoutRetain.output().isEmpty)
        let withoutQoS = Bench([0x24, 0])
        _ = withoutQoS.publish()
        #expect(withoutQoS.output().isEmpty)
        #expect(withoutQoS.client.takeEvents() == [.published(1, .qosNotSupported)])
    }

    /// A broker that does not read is not read, so that what it is answered does not grow.
    @Test func outputIsBounded() {
        let bench = Bench()
        let message = Packet.of(0x32, Packet.text("t") + [0, 1, 0])
        var received = 0
        while bench.client.wantsInput {
            received += bench.receive(message).count
        }
        #expect(received == MQTTClient.outputLimit / 4)
        _ = bench.output()
        #expect(bench.client.wantsInput)
    }

    @Test func identifiersAreNotUsedTwiceAtOnce() throws {
        let bench = Bench()
        let first = try #require(bench.publish())
        for _ in 0..<70_000 {
            let number = try #require(bench.publish())
            #expect(number != first && number != 0)
            _ = bench.output()
            let octets = [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)]
            #expect(bench.receive(Packet.of(0x40, octets)) == [.published(number, .success)])
        }
    }

    // MARK: - Messages

    @Test func aMessageIsAcknowledged() {
        let bench = Bench()
        let message = MQTTMessage(topic: "t", payload: [5])
        #expect(bench.receive(Packet.of(0x32, Packet.text("t") + [1, 2, 0, 5])) == [.received(message)])
        #expect(bench.output() == [0x40, 2, 1, 2])
        #expect(bench.receive(Packet.publish(payload: [5])) == [.received(message)])
        #expect(bench.output().isEmpty, "QoS 0")
    }

    @Test func subscriptionsAreAnsweredByTheirFilter() {
        let bench = Bench()
        for filter in ["a", "b"] { bench.client.subscribe(filter) }
        #expect(bench.receive(Packet.suback(2, 0x87)) == [.subscribed(filter: "b", MQTTReason(0x87))])
        #expect(bench.receive(Packet.suback(1, 1)) == [.subscribed(filter: "a", MQTTReason(1))])
        #expect(bench.receive(Packet.suback(1, 1)).isEmpty)
    }

    @Test func closing() {
        let bench = Bench()
        bench.client.close()
        #expect(bench.output() == [0xE0, 1, 4])
        #expect(bench.receive(Packet.publish()).isEmpty)
    }

    // MARK: - Keepalive

    /// 3.1.2.10: a packet within the keepalive; a broker that does not answer within 10 s is silent.
    @Test func aSilentBrokerIsFound() {
        let bench = Bench()
        #expect(bench.wait(.milliseconds(19_999)).isEmpty)
        #expect(bench.output().isEmpty)
        #expect(bench.wait(.milliseconds(1)).isEmpty)
        #expect(bench.output() == [0xC0, 0])
        #expect(bench.client.nextDeadline == bench.now + .seconds(10))
        #expect(bench.receive([0xD0, 0]).isEmpty)
        #expect(bench.client.nextDeadline == bench.now + .seconds(20))
        #expect(bench.wait(.seconds(20)).isEmpty)
        #expect(bench.wait(.milliseconds(9999)).isEmpty)
        #expect(bench.wait(.milliseconds(1)) == [.ended(.silent)])
    }

    /// Sending alone, without an answer, does not show that the broker is there.
    @Test func ownMessagesDoNotHideASilence() {
        let bench = Bench()
        for _ in 0..<19 {
            _ = bench.publish()
            _ = bench.output()
            #expect(bench.wait(.seconds(1)).isEmpty)
        }
        #expect(bench.wait(.seconds(1)).isEmpty)
        #expect(bench.output() == [0xC0, 0])
    }

    /// 3.2.2.3.14: the broker's keepalive, unless it is longer: half-open connections are found as soon as without it.
    @Test(arguments: [(5, 5), (20, 20), (600, 20), (0, 20)] as [(UInt16, Int64)])
    func theBrokersKeepalive(stated: UInt16, seconds: Int64) {
        let bench = Bench([0x13, UInt8(stated >> 8), UInt8(truncatingIfNeeded: stated)])
        #expect(bench.client.nextDeadline == .origin + .seconds(seconds))
        _ = bench.wait(.seconds(seconds))
        #expect(bench.client.nextDeadline == bench.now + .seconds(min(seconds, 10)), "twice the keepalive at most")
    }
}
