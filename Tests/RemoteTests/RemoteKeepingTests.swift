// SPDX-License-Identifier: Apache-2.0

import Fleet
import Octets
import Reader
import Testing
import Timekeeping

@testable import Remote

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
        let first = try Self.kept(try bench.receive(order))
        // While it is under way, the repetition waits for the same answer.
        let second = try bench.receive(order)
        #expect(second == .waits)
        _ = bench.orders.kept(first.ticket, true, at: bench.moment)
        let third = try bench.receive(order)
        #expect(third == .waits)
        let acted = bench.orders.acted(first.ticket, .lockdown)
        let reply = try #require(acted)
        #expect(reply.numbers == [1, 2, 3] && reply.answer.reason == .lockdown)
        bench.now = RemoteBench.begin + 1000
        let later = try bench.receive(order)
        #expect(later == .answer(reply.answer), "also after its end")
        // And so after a restart.
        var next = Self.restarted(bench, bench.orders.octets)
        let restarted = try next.receive(order)
        #expect(restarted == .answer(reply.answer))
    }

    @Test func aPowerCutBetweenKeepingAndActing() throws {
        var bench = try RemoteBench()
        let order = bench.order(1, counter: 3)
        let kept = try Self.kept(try bench.receive(order))
        guard case .act = bench.orders.kept(kept.ticket, true, at: bench.moment) else { throw NotKept() }
        // The door may have moved or not: the order is not carried out again.
        var next = Self.restarted(bench, kept.octets)
        let answer = RemoteAnswer(device: RemoteBench.device, id: order.id, command: "pulse", .repeated, counter: 3)
        let again = try next.receive(order)
        #expect(again == .answer(answer))
        let lower = try next.refusal(bench.order(2, counter: 3))
        #expect(lower == .counter)
        let higher = try next.refusal(bench.order(2, counter: 4))
        #expect(higher == nil)
    }

    @Test func anOrderThatCannotBeKeptIsRefused() throws {
        var bench = try RemoteBench()
        let order = bench.order()
        let kept = try Self.kept(try bench.receive(order))
        guard case .answer(let reply) = bench.orders.kept(kept.ticket, false, at: bench.moment) else {
            Issue.record("it acts")
            return
        }
        #expect(reply.answer.reason == .notKept)
        let again = try bench.receive(order)
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
        let kept = try Self.kept(try bench.receive(bench.order()))
        bench.now = seconds.map { RemoteBench.begin + $0 }
        switch bench.orders.kept(kept.ticket, true, at: bench.moment) {
        case .act: #expect(reason == nil)
        case .answer(let reply): #expect(reason != nil && reply.answer.reason == reason)
        case nil: Issue.record("no step")
        }
    }

    /// Before the policy is known, or if it has no ledger that can be read.
    @Test(arguments: [nil, [], [3, 0, 0], [2, 0, 0, 0], [2, 9, 0], [2, 0, 33], [1, 0, 0, 0]] as [[UInt8]?])
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

    /// The number of an opening's event is in the answer, also to its repetition after a restart; a refusal has none.
    @Test func theEventIsInTheAnswer() throws {
        var bench = try RemoteBench()
        for (octet, refusal) in [(1, nil), (2, .lockdown)] as [(UInt8, RemoteAnswer.Reason?)] {
            let order = bench.order(octet, counter: UInt64(octet))
            let kept = try Self.kept(try bench.receive(order))
            guard case .act = bench.orders.kept(kept.ticket, true, at: bench.moment) else { throw NotKept() }
            bench.orders.recorded(kept.ticket, 1205)
            bench.orders.recorded(kept.ticket + 1, 7)
            let acted = bench.orders.acted(kept.ticket, refusal)
            let answer = try #require(acted).answer
            #expect(answer.sequence == (refusal == nil ? 1205 : nil))
            var next = Self.restarted(bench, bench.orders.octets)
            let again = try next.receive(order)
            #expect(again == .answer(answer))
        }
    }

    /// The ledger of a version without numbers: its orders were taken.
    @Test func theFormerLedgerIsRead() throws {
        let key = [UInt8](repeating: 7, count: 8)
        let id = [UInt8](repeating: 9, count: 16)
        let former: [UInt8] =
            [1, 1] + key + [5, 0, 0, 0, 0, 0, 0, 0] + [1] + key + id + [5, 0, 0, 0, 0, 0, 0, 0]
            + [5] + Array("pulse".utf8) + [4] + Array("done".utf8)
        let ledger = try #require(RemoteLedger(former))
        #expect(ledger.counter(of: key) == 5 && ledger.entry(key, id)?.outcome == .done)
        #expect(ledger.octets == [2] + former.dropFirst() + [UInt8](repeating: 0, count: 8))
    }

    /// A policy that was begun has forgotten the counters: what is from before that time stays refused for ever.
    @Test func aPolicyThatWasBegunRevivesNoOrder() throws {
        var bench = try RemoteBench()
        let performed = try bench.perform(bench.order(1, counter: 5))
        #expect(performed != nil)
        func begun(at second: Int64) -> RemoteBench {
            var time: [UInt8] = []
            time.append(littleEndian: UInt64(second))
            var next = bench
            next.orders = RemoteOrders(device: RemoteBench.device, keys: bench.keys)
            next.orders.restore(nil, begunAt: time)
            next.orders.desired.restore(nil)
            return next
        }
        var next = begun(at: RemoteBench.begin + 1)
        next.now = RemoteBench.begin + 1
        let again = try next.refusal(bench.order(1, counter: 5))
        #expect(again == .policyBegun)
        let late = try next.refusal(bench.order(2, counter: 9) { $0.notBefore = UInt64(RemoteBench.begin) })
        #expect(late == .policyBegun)
        let desired = try next.refusal(
            bench.order(3, counter: 9, "desired") { order in
                order.arguments = DesiredManifest.arguments(digests: [[UInt8](repeating: 1, count: 32)])
                order.expires = order.notBefore + 86_400
            })
        #expect(desired == .policyBegun)
        // The same second may be before.
        let same = try next.refusal(bench.order(2, counter: 1) { $0.notBefore = UInt64(RemoteBench.begin + 1) })
        #expect(same == .policyBegun)
        next.now = RemoteBench.begin + 2
        let new = try next.refusal(bench.order(2, counter: 1) { $0.notBefore = UInt64(RemoteBench.begin + 2) })
        #expect(new == nil, "its counter begins again")
        // A setting that cannot be read lets nothing through.
        var damaged = bench
        damaged.orders = RemoteOrders(device: RemoteBench.device, keys: bench.keys)
        damaged.orders.restore(nil, begunAt: [1, 2, 3])
        let refused = try damaged.refusal(bench.order(2, counter: 1))
        #expect(refused == .notKept)
    }

    /// Begun without a certain time, the policy lets no order and no state through, whatever the clock shows, until a
    /// time is vouched for; then it counts as begun at that time.
    @Test func aPolicyThatWasBegunWithoutATimeRefusesAll() throws {
        var bench = try RemoteBench()
        bench.orders = RemoteOrders(device: RemoteBench.device, keys: bench.keys)
        bench.orders.restore(nil, begunAt: PolicyTime.octets(PolicyTime.unknown))
        bench.orders.desired.restore(nil)
        #expect(bench.orders.needsBeginning)
        for (index, now) in [RemoteBench.begin, RemoteBench.begin + 20, 1 << 52].enumerated() {
            bench.now = now
            for (offset, command) in (RemoteCommand.allCases.map(\.rawValue) + ["desired"]).enumerated() {
                let octet = UInt8(index * 16 + offset)
                let reason = try bench.refusal(
                    bench.order(octet, counter: 99, command) { order in
                        (order.notBefore, order.expires) = (UInt64(now), UInt64(now) + 30)
                        guard command == "desired" else { return }
                        order.arguments = DesiredManifest.arguments(digests: [[UInt8](repeating: 1, count: 32)])
                    })
                #expect(reason == .policyBegun, "\(command) at \(now)")
            }
        }
        let beginning = bench.orders.begin(at: RemoteBench.begin + 40)
        #expect(beginning?.name == "begun-at")
        #expect(beginning?.octets == PolicyTime.octets(RemoteBench.begin + 40))
        #expect(!bench.orders.needsBeginning)
        let again = bench.orders.begin(at: RemoteBench.begin)
        #expect(again == nil, "once")
        bench.now = RemoteBench.begin + 41
        let before = try bench.refusal(bench.order(200, counter: 1) { $0.expires = $0.notBefore + 30 })
        #expect(before == .policyBegun)
        let after = try bench.refusal(
            bench.order(201, counter: 1) {
                ($0.notBefore, $0.expires) = (UInt64(RemoteBench.begin + 41), UInt64(RemoteBench.begin + 60))
            })
        #expect(after == nil)
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
            _ = try Self.kept(try bench.receive(bench.order(octet, counter: UInt64(octet))))
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
        let kept = try Self.kept(try bench.receive(order))
        bench.orders.forgetNumbers()
        _ = bench.orders.kept(kept.ticket, true, at: bench.moment)
        let again = try bench.receive(order)
        #expect(again == .waits)
        let reply = bench.orders.acted(kept.ticket, nil)
        #expect(reply?.numbers == [2])
    }
}
