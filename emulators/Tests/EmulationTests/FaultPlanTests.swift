// SPDX-License-Identifier: Apache-2.0

import Emulation
import JSON
import Testing
import Timekeeping

@Suite struct FaultPlanTests {
    /// The indices, among the first eight occurrences of a step, on which a rule acts.
    private static func times(_ rule: FaultRule) -> [Int] {
        var plan = FaultPlan([rule])
        return (1...8).filter { _ in !plan.faults(at: "step", device: 0).isEmpty }
    }

    @Test func aRuleActsWhenItSays() {
        #expect(Self.times(FaultRule(.drop, at: "step")) == [1])
        #expect(Self.times(FaultRule(.drop, at: "step", occurrence: 3)) == [3])
        #expect(Self.times(FaultRule(.drop, at: "step", occurrence: 3, times: 2)) == [3, 4])
        #expect(Self.times(FaultRule(.drop, at: "step", times: nil)) == Array(1...8))
        #expect(Self.times(FaultRule(.drop, at: "step", occurrence: 7, times: nil)) == [7, 8])
        #expect(Self.times(FaultRule(.drop, at: "other")) == [])
        #expect(Self.times(FaultRule(.drop, at: "step", device: 2)) == [])
        #expect(Self.times(FaultRule(.drop, at: "step", device: 1)) == [1])
    }

    @Test func rulesThatAreOverAreGone() {
        var plan = FaultPlan([FaultRule(.drop, at: "step"), FaultRule(.duplicate, at: "step", times: nil)])
        var faults = plan.faults(at: "step", device: 0)
        #expect(faults == [.drop, .duplicate])
        #expect(plan.rules == [FaultRule(.duplicate, at: "step", times: nil)])
        plan.removeAll()
        faults = plan.faults(at: "step", device: 0)
        #expect(faults == [])
    }

    @Test func oneFaultIsReleased() {
        let rules = [
            FaultRule(.drop, at: "step", times: nil), FaultRule(.delay(.seconds(1)), at: "step"),
            FaultRule(.drop, at: "other"),
        ]
        var plan = FaultPlan(rules)
        let isRemoved = plan.remove("drop", at: "step")
        #expect(isRemoved && plan.rules == Array(rules.dropFirst()))
        let isThere = plan.remove("drop", at: "step")
        #expect(!isThere && plan.rules.count == 2)
        let state = ObservedState(
            switches: [.init("disk", "full", of: ["sound", "full"])], faults: plan.observed, details: ["more": 1])
        #expect(
            state.json.text
                == #"{"event":"state","switches":[{"name":"disk","value":"full","choices":[{"value":"sound","#
                + #""line":"disk sound"},{"value":"full","line":"disk full"}]}],"faults":[{"fault":"delay","step":"step","#
                + #""text":"delay 1000 ms at step, the next time","release":"release delay step"},{"fault":"drop","#
                + #""step":"other","text":"drop at other, the next time","release":"release drop other"}],"more":1}"#)
        var log = ObservedStateLog()
        let lines = (0..<2).map { _ in log.line(state) }
        #expect(lines == [state.json.text, nil])
    }

    @Test func thereAreAtMostSoManyRules() {
        var plan = FaultPlan()
        let added = (0...FaultPlan.maximumRules).map { _ in plan.add(FaultRule(.drop, at: "step")) }
        #expect(added == [Bool](repeating: true, count: 256) + [false])
        let faults = plan.faults(at: "step", device: 0)
        #expect(faults.count == 256)
    }

    @Test(
        arguments: [
            ([], [[1, 2, 3]]), ([.drop], []), ([.duplicate], [[1, 2, 3], [1, 2, 3]]), ([.replace([9])], [[9]]),
            ([.replace([])], [[]]), ([.truncate(2)], [[1, 2]]), ([.truncate(0)], [[]]), ([.truncate(9)], [[1, 2, 3]]),
            ([.extend([4, 5])], [[1, 2, 3, 4, 5]]), ([.duplicate, .truncate(1)], [[1], [1]]),
            ([.drop, .duplicate], []), ([.code(7)], [[1, 2, 3]]),
        ] as [([Fault], [[UInt8]])])
    func aValueBecomesWhatTheFaultsSay(_ faults: [Fault], _ expected: [[UInt8]]) {
        #expect(FaultedValue([1, 2, 3], faults).octets == expected)
    }

    @Test func linksEndAndAnswersAreLate() {
        let value = FaultedValue([], [.delay(.seconds(1)), .delay(.seconds(2)), .disconnectBefore])
        #expect(value.delay == .seconds(3))
        #expect(value.disconnectsBefore && !value.disconnectsAfter)
        let request = FaultedRequest([.error(0x80), .delay(.seconds(1)), .disconnectAfter])
        #expect(request.error == 0x80)
        #expect(request.delay == .seconds(1))
        #expect(!request.disconnectsBefore && request.disconnectsAfter)
    }

    @Test func whatWaitsHoldsUpWhatIsBehindIt() {
        var queue = LateQueue<Int>()
        var next: Int?
        queue.add(1, delay: .seconds(5), at: .origin)
        queue.add(2, delay: .zero, at: .origin)
        queue.add(3, delay: .seconds(9), at: .origin)
        queue.add(4, delay: .zero, at: .origin)
        next = queue.next(at: .origin + .milliseconds(4999))
        #expect(next == nil)
        #expect(queue.deadline == .origin + .seconds(5))
        next = queue.next(at: .origin + .seconds(5))
        #expect(next == 1)
        next = queue.next(at: .origin + .seconds(5))
        #expect(next == 2)
        next = queue.next(at: .origin + .seconds(5))
        #expect(next == nil)
        next = queue.next(at: .origin + .seconds(9))
        #expect(next == 3)
        next = queue.next(at: .origin + .seconds(9))
        #expect(next == 4)
        #expect(queue.isEmpty)
    }

    /// A link that ends soon: data sent before the end is delivered, and nothing after it.
    @Test func whatComesBeforeTheEndGoesBeforeIt() {
        var queue = LateQueue<String>()
        var next: String?
        queue.add("value", delay: .seconds(5), at: .origin)
        #expect(!queue.isEnding)
        queue.end(with: "end", delay: .milliseconds(100), at: .origin)
        #expect(queue.isEnding)
        queue.end(with: "a second end", delay: .zero, at: .origin)
        queue.add("answer", delay: .zero, at: .origin)
        queue.add("too late", delay: .seconds(6), at: .origin)
        #expect(queue.deadline == .origin + .seconds(5))
        next = queue.next(at: .origin + .seconds(5))
        #expect(next == "value")
        next = queue.next(at: .origin + .seconds(5))
        #expect(next == "answer")
        next = queue.next(at: .origin + .seconds(5))
        #expect(next == nil)
        #expect(queue.deadline == .origin + .milliseconds(5100) && !queue.isEmpty)
        next = queue.next(at: .origin + .seconds(7))
        #expect(next == "end")
        #expect(queue.isEmpty && !queue.isEnding && queue.deadline == nil)
        // As long after the waiting item as after nothing.
        queue.add("value", delay: .seconds(1), at: .origin)
        queue.end(with: "end", delay: .milliseconds(100), at: .origin)
        #expect(queue.deadline == .origin + .seconds(1))
        next = queue.next(at: .origin + .seconds(1))
        #expect(next == "value")
        next = queue.next(at: .origin + .seconds(1))
        #expect(next == nil && queue.deadline == .origin + .milliseconds(1100))
        next = queue.next(at: .origin + .milliseconds(1100))
        #expect(next == "end")
    }

    @Test func anActionKeepsItsGapToADelayedOne() {
        var queue = LateQueue<String>()
        queue.add("close", delay: .zero, behind: .milliseconds(100), at: .origin)
        #expect(queue.deadline == .origin)
        _ = queue.next(at: .origin)
        queue.add("value", delay: .seconds(2), at: .origin)
        queue.add("close", delay: .zero, behind: .milliseconds(100), at: .origin + .seconds(1))
        let first = queue.next(at: .origin + .seconds(2))
        #expect(first == "value" && queue.deadline == .origin + .milliseconds(2100))
    }
}
