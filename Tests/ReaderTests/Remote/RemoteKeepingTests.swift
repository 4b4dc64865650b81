// SPDX-License-Identifier: Apache-2.0

import Fleet
import Testing
import Timekeeping

@testable import Reader

/// An order acts once at most: across repetitions, a disk that fails, and a power cut at any point.
@Suite struct RemoteKeepingTests {
    private static func kept(_ step: RemoteOrders.Step) throws -> (ticket: UInt64, octets: [UInt8]) {
        guard case .keep(let ticket, _, let octets) = step else { throw NotKept() }
        return (ticket, octets)
    }

    private struct NotKept: Error {}

    /// The reader as it is after a power cut with these octets on the disk.
    private static func restarted(_ bench: RemoteBench, _ octets: [UInt8]?) -> RemoteBench {
        var next = bench
        next.orders = RemoteOrders(device: RemoteBench.device, keys: bench.keys)
        next.orders.restore(octets)
        return next
    }

    @Test func aRepeatedOrderHasTheSameAnswerAndMovesNothing() throws {
        var bench = try RemoteBench()
        let order = bench.order(1, counter: 3)
        let first = try Self.kept(try bench.take(order))
        // While it is under way, the repetition waits for the same answer.
        let second = try bench.take(order)
        #expect(second == .waits)
        _ = bench.orders.kept(first.ticket, true, at: bench.moment)
        let third = try bench.take(order)
        #expect(third == .waits)
        let acted = bench.orders.acted(first.ticket, .lockdown)
        let reply = try #require(acted)
        #expect(reply.numbers == [1, 2, 3] && reply.answer.reason == .lockdown)
        bench.now = RemoteBench.begin + 1000
        let later = try bench.take(order)
        #expect(later == .answer(reply.answer), "also after its end")
        // And so after a restart.
        var next = Self.restarted(bench, bench.orders.octets)
        let restarted = try next.take(order)
        #expect(restarted == .answer(reply.answer))
    }

    @Test func aPowerCutBetweenKeepingAndActing() throws {
        var bench = try RemoteBench()
        let order = bench.order(1, counter: 3)
        let kept = try Self.kept(try bench.take(order))
        guard case .act = bench.orders.kept(kept.ticket, true, at: bench.moment) else { throw NotKept() }
        // The door may have moved or not: the order is not carried out again.
        var next = Self.restarted(bench, kept.octets)
        let answer = RemoteAnswer(device: RemoteBench.device, id: order.id, command: "pulse", .repeated, counter: 3)
        let again = try next.take(order)
        #expect(again == .answer(answer))
        let lower = try next.refusal(bench.order(2, counter: 3))
        #expect(lower == .counter)
        let higher = try next.refusal(bench.order(2, counter: 4))
        #expect(higher == nil)
    }

    @Test func anOrderThatCannotBeKeptIsRefused() throws {
        var bench = try RemoteBench()
        let order = bench.order()
        let kept = try Self.kept(try bench.take(order))
        guard case .answer(let reply) = bench.orders.kept(kept.ticket, false, at: bench.moment) else {
            Issue.record("it acts")
            return
        }
        #expect(reply.answer.reason == .notKept)
        let again = try bench.take(order)
        #expect(again == .answer(reply.answer), "its identifier is used up")
        let late = bench.orders.kept(kept.ticket, true, at: bench.moment)
        #expect(late == nil)
    }

    /// The disk was slow: the last second is included, the next is not; nor is a clock that was lost.
    @Test(
        arguments: [
            (30, nil), (31, .expired), (nil, .clock),
        ] as [(Int64?, RemoteAnswer.Reason?)]) func theEndIsCheckedAgainOnceKept(
            seconds: Int64?, reason: RemoteAnswer.Reason?
        ) throws
    {
        var bench = try RemoteBench()
        let kept = try Self.kept(try bench.take(bench.order()))
        bench.now = seconds.map { RemoteBench.begin + $0 }
        switch bench.orders.kept(kept.ticket, true, at: bench.moment) {
        case .act: #expect(reason == nil)
        case .answer(let reply): #expect(reason != nil && reply.answer.reason == reason)
        case nil: Issue.record("no step")
        }
    }

    /// Before the policy is known, or if it has no ledger that can be read.
    @Test(arguments: [nil, [], [2, 0, 0], [1, 0, 0, 0], [1, 9, 0], [1, 0, 33]] as [[UInt8]?])
    func withoutALedgerNothingIsTaken(octets: [UInt8]?) throws {
        var bench = try RemoteBench()
        bench.orders = RemoteOrders(device: RemoteBench.device, keys: bench.keys)
        if let octets { bench.orders.restore(octets) }
        let reason = try bench.refusal(bench.order())
        #expect(reason == .notKept)
        #expect(bench.orders.octets == nil)
        let forged = try bench.refusal(bench.order(), by: bench.former)
        #expect(forged == .signature)
    }

    /// A later reading of the disk is older than what this value knows.
    @Test func aSecondRestorationChangesNothing() throws {
        var bench = try RemoteBench()
        let performed = try bench.perform(bench.order(1, counter: 5))
        #expect(performed != nil)
        bench.orders.restore(RemoteLedger().octets)
        let reason = try bench.refusal(bench.order(2, counter: 5))
        #expect(reason == .counter)
    }

    @Test func theLedgerIsBoundedAndForgetsNoCounter() throws {
        var bench = try RemoteBench()
        var octets: [UInt8] = []
        for number in 1...UInt8(100) {
            let kept = try bench.perform(bench.order(number, counter: UInt64(number)))
            octets = try #require(kept)
        }
        #expect(octets.count <= PolicyDocument.valueLimit)
        let ledger = try #require(RemoteLedger(octets))
        #expect(ledger.octets == octets)
        #expect(ledger.entries.map(\.counter) == (69...100).map { UInt64($0) })
        // One that has left the list is refused by its counter.
        let old = try bench.refusal(bench.order(1, counter: 1))
        #expect(old == .counter)
        for count in octets.indices { #expect(RemoteLedger(Array(octets[..<count])) == nil) }
        #expect(RemoteLedger(octets + [0]) == nil)
    }

    /// Keys come and go: the counters of installed ones stay.
    @Test func countersOfManyKeys() throws {
        let bench = try RemoteBench()
        let installed = bench.keys.map(\.id)
        var ledger = RemoteLedger()
        ledger.append(bench.order(1, counter: 77), installed: installed) { _ in false }
        for octet in 0..<UInt8(40) {
            let order = bench.order(octet) { $0.key = [UInt8](repeating: octet, count: 8) }
            ledger.append(order, installed: installed) { _ in false }
        }
        #expect(ledger.counter(of: installed[0]) == 77)
        #expect(ledger.counter(of: [UInt8](repeating: 39, count: 8)) == 1)
        #expect(ledger.counter(of: [UInt8](repeating: 1, count: 8)) == nil)
        #expect(RemoteLedger(ledger.octets) == ledger)
    }

    @Test func tooManyUnderWay() throws {
        var bench = try RemoteBench()
        for octet in 1...UInt8(FleetLimits.ordersAhead) {
            _ = try Self.kept(try bench.take(bench.order(octet, counter: UInt64(octet))))
        }
        let order = bench.order(99, counter: 99)
        let reason = try bench.refusal(order)
        #expect(reason == .busy)
        _ = bench.orders.kept(1, true, at: bench.moment)
        _ = bench.orders.acted(1, nil)
        let later = try bench.refusal(order)
        #expect(later == nil, "it was not used up")
    }

    /// The answer to an order of a process that is gone reaches nobody under a number of the next one.
    @Test func numbersEndWithTheirProcess() throws {
        var bench = try RemoteBench()
        let order = bench.order()
        let kept = try Self.kept(try bench.take(order))
        bench.orders.forgetNumbers()
        _ = bench.orders.kept(kept.ticket, true, at: bench.moment)
        let again = try bench.take(order)
        #expect(again == .waits)
        let reply = bench.orders.acted(kept.ticket, nil)
        #expect(reply?.numbers == [2])
    }
}
