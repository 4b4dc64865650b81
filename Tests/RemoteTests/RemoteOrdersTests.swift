// SPDX-License-Identifier: Apache-2.0

import CBOR
import Fleet
import Reader
import Testing
import Timekeeping

@testable import Remote

/// The orders of a back end that are taken, and the reasons to refuse others.
@Suite struct RemoteOrdersTests {
    private static let begin = RemoteBench.begin

    @Test func aValidOrderIsKeptThenActsOnceAndIsAnswered() throws {
        var bench = try RemoteBench()
        let order = bench.order(counter: 7)
        guard case .keep(let ticket, "remote-orders", let octets) = try bench.receive(order) else {
            Issue.record("not kept")
            return
        }
        #expect(RemoteLedger(octets)?.counter(of: order.key) == 7, "what is kept has the order")
        let actor = "key " + order.key.prefix(4).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let act = RemoteOrders.Act(command: .pulse, actor: actor, until: Self.begin + 30)
        let kept = bench.orders.kept(ticket, true, at: bench.moment)
        #expect(kept == .act(act))
        let again = bench.orders.kept(ticket, true, at: bench.moment)
        #expect(again == nil, "it acts once")
        let reply = bench.orders.acted(ticket, nil)
        let answer = RemoteAnswer(device: RemoteBench.device, id: order.id, command: "pulse", .done, counter: 7)
        #expect(reply == RemoteOrders.Reply(answer: answer, numbers: [1]))
        let after = bench.orders.acted(ticket, nil)
        #expect(after == nil)
    }

    // MARK: - Each check

    @Test func whatIsNoOrder() throws {
        var bench = try RemoteBench()
        let message = try bench.message(bench.order())
        let none = RemoteAnswer(device: RemoteBench.device, id: nil, command: nil, .refused, .form)
        let long = [UInt8](repeating: 0, count: FleetLimits.orderCount + 1)
        for octets in [[], [0x80], message + [0], Array(message.dropLast()), long] {
            let step = bench.receive(octets)
            #expect(step == .answer(none))
        }
    }

    @Test func ofAnotherReader() throws {
        var bench = try RemoteBench()
        let reason = try bench.refusal(bench.order { $0.reader = "0000000000000000" })
        #expect(reason == .reader)
    }

    @Test func ofAKeyThatTheReaderDoesNotHave() throws {
        var bench = try RemoteBench()
        let unknown = try bench.refusal(bench.order { $0.key[0] ^= 1 })
        #expect(unknown == .key)
        bench.orders = RemoteOrders(device: RemoteBench.device, keys: [])
        bench.orders.restore(nil)
        let none = try bench.refusal(bench.order())
        #expect(none == .key, "without a key")
    }

    /// To the end of its minute, by the latest time that the clock has shown, and not without a clock.
    @Test func ofTheFormerKey() throws {
        var bench = try RemoteBench()
        func order(_ octet: UInt8) -> RemoteOrder {
            bench.order(octet, counter: UInt64(octet), "lockdown-on") { $0.key = bench.keys[1].id }
        }
        bench.now = Self.begin + 59
        let (first, second, third) = (order(1), order(2), order(3))
        let beforeTheEnd = try bench.refusal(first, by: bench.former)
        #expect(beforeTheEnd != .key)
        bench.now = Self.begin + 60
        let after = try bench.refusal(second, by: bench.former)
        #expect(after == .key)
        (bench.now, bench.latest) = (Self.begin, Self.begin + 60)
        let setBack = try bench.refusal(third, by: bench.former)
        #expect(setBack == .key)
        (bench.now, bench.latest) = (nil, nil)
        let unset = try bench.refusal(third, by: bench.former)
        #expect(unset == .key)
    }

    @Test func signedByAnotherKeyOrForAnotherBody() throws {
        var bench = try RemoteBench()
        let other = try bench.refusal(bench.order(), by: bench.former)
        #expect(other == .signature)
        let sound = try RemoteOrder.Signed(bench.message(bench.order()))
        let altered = try RemoteOrder.Signed.message(
            bench.order(1, counter: 1, "extended").body(), signature: sound.signature)
        guard case .answer(let answer) = bench.receive(altered) else {
            Issue.record("taken")
            return
        }
        #expect(answer.reason == .signature && answer.counter == nil)
    }

    @Test func aRetainedMessageOpensNothing() throws {
        var bench = try RemoteBench()
        for command in ["pulse", "extended", "office-on", "lockdown-off", "tamper-reset", "unknown"] {
            let reason = try bench.refusal(bench.order(1, counter: 1, command), isRetained: true)
            #expect(reason == .retained)
        }
        let other = try bench.refusal(bench.order(1, counter: 1, "lockdown-on"), isRetained: true)
        #expect(other == nil)
    }

    @Test func withoutAClock() throws {
        var bench = try RemoteBench()
        bench.now = nil
        for command in RemoteCommand.allCases {
            let reason = try bench.refusal(bench.order(1, counter: 1, command.rawValue))
            #expect(reason == .clock)
        }
    }

    /// Both ends are included; an end that the clock has shown has passed.
    @Test func beforeAndAfterItsTime() throws {
        var bench = try RemoteBench()
        let rows: [(now: Int64, latest: Int64?, RemoteAnswer.Reason?)] = [
            (-1, nil, .early), (0, nil, nil), (30, nil, nil), (31, nil, .expired), (10, 30, nil), (10, 31, .expired),
        ]
        for (index, (now, latest, expected)) in rows.enumerated() {
            (bench.now, bench.latest) = (Self.begin + now, latest.map { Self.begin + $0 })
            let reason = try bench.refusal(bench.order(UInt8(index), counter: UInt64(index)))
            #expect(reason == expected, "at \(now), \(String(describing: latest))")
        }
    }

    /// Half a minute for what opens or ends a protection, and for what this firmware does not know; a day for the rest.
    @Test(arguments: RemoteCommand.allCases.map { ($0.rawValue, $0.lifeSeconds) } + [("unknown", 30)])
    func livesTooLong(command: String, seconds: UInt64) throws {
        var bench = try RemoteBench()
        let longest = try bench.refusal(bench.order(1, counter: 1, command) { $0.expires = $0.notBefore + seconds })
        #expect(longest == (command == "unknown" ? .forbidden : nil))
        let longer = try bench.refusal(bench.order(2, counter: 2, command) { $0.expires = $0.notBefore + seconds + 1 })
        #expect(longer == .expired)
        #expect([30, 86_400].contains(seconds))
    }

    @Test func theCounterRises() throws {
        var bench = try RemoteBench()
        let performed1 = try bench.perform(bench.order(1, counter: 5))
        #expect(performed1 != nil)
        for counter: UInt64 in [0, 4, 5] {
            guard case .answer(let answer) = try bench.receive(bench.order(2, counter: counter)) else {
                Issue.record("taken")
                continue
            }
            #expect(answer.reason == .counter && answer.counter == 5, "the back end learns the last one")
        }
        let performed2 = try bench.perform(bench.order(2, counter: 6))
        #expect(performed2 != nil)
        // The former key has a counter of its own.
        let other = bench.order(3, counter: 1) { $0.key = bench.keys[1].id }
        let reason = try bench.refusal(other, by: bench.former)
        #expect(reason == nil)
    }

    @Test func onlyWhatTheConfigurationPermits() throws {
        var bench = try RemoteBench()
        bench.permitted = []
        for command in RemoteCommand.allCases.map(\.rawValue) + ["unknown"] {
            let reason = try bench.refusal(bench.order(1, counter: 1, command))
            #expect(reason == .forbidden)
        }
        bench.permitted = [.lockdownOn]
        let other = try bench.refusal(bench.order(1, counter: 1, "lockdown-off"))
        #expect(other == .forbidden)
        let one = try bench.refusal(bench.order(1, counter: 1, "lockdown-on"))
        #expect(one == nil)
    }

    @Test func argumentsThatNoCommandHas() throws {
        var bench = try RemoteBench()
        let reason = try bench.refusal(bench.order { $0.arguments = ["seconds": .integer(5)] })
        #expect(reason == .form)
    }

    /// With several things wrong the first check gives the reason, so that a stranger learns nothing of later ones.
    @Test func theOrderOfTheChecks() throws {
        var bench = try RemoteBench()
        let performed3 = try bench.perform(bench.order(9, counter: 9))
        #expect(performed3 != nil)
        bench.permitted = []
        (bench.now, bench.latest) = (Self.begin - 1, Self.begin + 100)
        var order = bench.order(1, counter: 1) {
            $0.arguments = ["a": .integer(1)]
            $0.expires += 1
            $0.reader = "0000000000000000"
            $0.key[0] ^= 1
        }
        var isRetained = true
        func expect(_ expected: RemoteAnswer.Reason?, _ what: Comment = "") throws {
            let key = order.key == bench.keys[0].id ? bench.current : bench.former
            let reason = try bench.refusal(order, by: key, isRetained: isRetained)
            #expect(reason == expected, what)
        }
        try expect(.reader)
        order.reader = RemoteBench.device
        try expect(.key)
        order.key[0] ^= 1
        let forged = try bench.refusal(order, by: bench.former, isRetained: true)
        #expect(forged == .signature)
        // One that was taken: its answer, whatever else is wrong by now.
        var taken = order
        taken.id = bench.order(9).id
        guard case .answer(let answer) = try bench.receive(taken, isRetained: true) else {
            Issue.record("taken again")
            return
        }
        #expect(answer.result == .done)
        try expect(.retained)
        isRetained = false
        bench.now = nil
        try expect(.clock)
        bench.now = Self.begin - 1
        try expect(.early)
        bench.now = Self.begin
        try expect(.expired, "the latest time")
        bench.latest = nil
        try expect(.expired, "the life")
        order.expires -= 1
        try expect(.counter)
        order.counter = 10
        try expect(.forbidden)
        bench.permitted = [.pulse]
        try expect(.form)
        order.arguments = [:]
        try expect(nil)
    }
}
