// SPDX-License-Identifier: Apache-2.0

import CBOR
import Configuration
import Crypto
import Fleet
import Reader
import Remote
import Testing
import Timekeeping

@testable import readerd

/// The pace at which a desired state is asked for.
@Suite struct DesiredPacingTests {
    private let key: P256PrivateKey
    private let commandKey: CommandKey
    private let moment = Moment(instant: .origin, epochSeconds: 1_800_000_000)

    init() throws {
        key = try P256PrivateKey.generate()
        commandKey = try CommandKey(key.publicKey)
    }

    private static func at(_ seconds: Int) -> Instant { .origin + .seconds(seconds) }

    /// Orders that have taken a state of this version, of which a chunk is missing.
    private func orders(_ version: UInt64, isClockSet: Bool = true) throws -> RemoteOrders {
        var orders = RemoteOrders(device: "7761307931597753", keys: [commandKey])
        orders.restore(nil)
        orders.desired.restore(nil)
        let order = RemoteOrder(
            reader: "7761307931597753", key: commandKey.id, id: [UInt8](repeating: 1, count: 16), counter: version,
            notBefore: 1_800_000_000, expires: 1_800_000_100, command: "desired",
            arguments: DesiredManifest.arguments(digests: [[UInt8](repeating: 1, count: 32)]))
        let body = try order.body()
        var signature: [UInt8] = []
        try key.sign(RemoteOrder.Signed.signedOctets(body).span, into: &signature)
        _ = orders.receive(
            try RemoteOrder.Signed.message(body, signature: signature), isRetained: true, number: 1, permitted: [],
            settable: [.blacklist], zone: .utc, at: isClockSet ? moment : Moment(instant: .origin, epochSeconds: nil))
        return orders
    }

    @Test func chunksAreAskedForAtOnceAndMoreAndMoreSeldom() throws {
        var pacing = DesiredPacing()
        let state = try orders(7).desired
        #expect(pacing.follow(state, afterOrder: true, at: Self.at(0)) == .chunks)
        #expect(pacing.follow(state, afterOrder: false, at: Self.at(1)) == nil, "a chunk has come")
        #expect(pacing.follow(state, afterOrder: true, at: Self.at(4)) == nil, "a question of the desk")
        var asked: [Int] = []
        for second in 1...200 where pacing.next(at: Self.at(second)) == .chunks { asked.append(second) }
        #expect(asked == [5, 15, 35, 75, 135, 195])
        #expect(pacing.follow(state, afterOrder: true, at: Self.at(199)) == nil)
        #expect(pacing.follow(state, afterOrder: true, at: Self.at(200)) == .chunks, "another connection")
        #expect(pacing.deadline == Self.at(205))
        let later = try orders(8).desired
        #expect(pacing.follow(later, afterOrder: true, at: Self.at(201)) == .chunks, "another state")
    }

    /// A clock that is not set is set some time later, and the order comes again.
    @Test func aRefusalThatPassesIsReconsideredAfterAMinute() throws {
        var pacing = DesiredPacing()
        let state = try orders(7, isClockSet: false).desired
        #expect(pacing.follow(state, afterOrder: true, at: Self.at(0)) == nil)
        #expect(pacing.follow(state, afterOrder: true, at: Self.at(30)) == nil)
        #expect(pacing.deadline == Self.at(60), "the minute goes on")
        #expect(pacing.next(at: Self.at(59)) == nil)
        #expect(pacing.next(at: Self.at(60)) == .manifest)
        #expect(pacing.deadline == Self.at(120))
        #expect(pacing.follow(try orders(7).desired, afterOrder: true, at: Self.at(61)) == .chunks)
    }

    @Test func whoNeedsNothingAsksForNothing() throws {
        var pacing = DesiredPacing()
        _ = pacing.follow(try orders(7).desired, afterOrder: true, at: Self.at(0))
        let none = RemoteOrders(device: "7761307931597753", keys: []).desired
        #expect(pacing.follow(none, afterOrder: false, at: Self.at(1)) == nil)
        #expect(pacing.deadline == nil && pacing.next(at: Self.at(100)) == nil)
    }
}
