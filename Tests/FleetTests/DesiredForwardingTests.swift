// SPDX-License-Identifier: Apache-2.0

import Fleet
import TestSupport
import Testing
import Timekeeping

/// The desired state on its way through the link: the order as an order, and as many chunks as the reader asks for.
@Suite struct DesiredForwardingTests {
    private static let device = "7761307931597753"
    private static let desired = "acc/v1/7761307931597753/down/desired"
    private var session = FleetSession(spread: .zero, tellsHomeAssistant: false, random: SplitMix64(seed: 1))
    private let now = Instant.origin

    init() throws {
        let log = try #require(LogID([UInt8](repeating: 7, count: 16)))
        session.receive(
            .reader(LinkReader(firmware: "1", device: Self.device, name: "x", log: log, newest: 0)), at: now)
        session.advance(to: now)
        session.establish(at: now)
        _ = session.takeEffects()
    }

    private mutating func receive(_ payload: [UInt8], _ topic: String) -> [FleetSession.Effect] {
        session.receive(payload, topic: topic, isRetained: true, correlation: [9], at: now)
        return session.takeEffects()
    }

    private mutating func fetch(_ part: DesiredPart) -> [FleetSession.Effect] {
        session.receive(.fetch(part), at: now)
        return session.takeEffects()
    }

    @Test func theOrderGoesTheWayOfOrders() {
        var test = self
        #expect(test.receive([1, 2], Self.desired) == [.request(.order([1, 2], isRetained: true, number: 1))])
        #expect(test.receive([], Self.desired).isEmpty, "a retained message was removed")
        #expect(test.fetch(.manifest) == [.subscribe(Self.desired)])
    }

    @Test func chunksComeOnlyWhenAskedForAndNoMoreThanThereAre() {
        var test = self
        #expect(test.receive([1], "\(Self.desired)/0").isEmpty, "unasked")
        #expect(test.fetch(.chunks) == [.subscribe("\(Self.desired)/+")])
        #expect(test.receive([1], "\(Self.desired)/3") == [.request(.chunk([1], index: 3))])
        for topic in ["/48", "/-1", "/03", "/x", "/", "/1/2"] {
            #expect(test.receive([1], Self.desired + topic).isEmpty, "\(topic)")
        }
        #expect(test.receive([], "\(Self.desired)/4").isEmpty)
        #expect(test.receive([UInt8](repeating: 0, count: 1537), "\(Self.desired)/4").isEmpty)
        for _ in 1..<48 { #expect(test.receive([1], "\(Self.desired)/4").count == 1) }
        #expect(test.receive([1], "\(Self.desired)/5").isEmpty, "a broker that sends more")
        #expect(test.fetch(.chunks).count == 1)
        #expect(test.receive([1], "\(Self.desired)/5").count == 1)
    }

    @Test func withoutAConnectionNothingIsAskedFor() {
        var test = self
        _ = test.fetch(.chunks)
        test.session.fail(LinkFailure(.lost, "gone"), at: now)
        _ = test.session.takeEffects()
        #expect(test.receive([1], "\(Self.desired)/0").isEmpty)
        #expect(test.fetch(.chunks).isEmpty)
    }
}
