// SPDX-License-Identifier: Apache-2.0

import Testing
import Timekeeping

@testable import readerd

@Suite struct CompanionPacingTests {
    private static func at(milliseconds: Int) -> Instant { Instant.origin + .milliseconds(milliseconds) }

    @Test func messagesOfASecondAreBounded() {
        var pacing = CompanionPacing()
        let early = (0..<CompanionPacing.messagesPerSecond).map { _ in
            pacing.takeMessage(at: Self.at(milliseconds: 1500))
        }
        #expect(early.allSatisfy { $0 })
        let late = [2499, 2500].map { pacing.takeMessage(at: Self.at(milliseconds: $0)) }
        #expect(late == [false, true])
        let orders = (0..<9).map { _ in pacing.takeOrder(at: Self.at(milliseconds: 2500)) }
        #expect(orders == [Bool](repeating: true, count: 8) + [false])
    }

    /// Ten in a row, then one each 2 s; a process that rests has ten again.
    @Test func connectionsAreBounded() {
        var pacing = CompanionPacing()
        func takes(_ milliseconds: [Int]) -> [Bool] {
            milliseconds.map { pacing.takeConnection(at: Self.at(milliseconds: $0)) }
        }
        #expect(takes((0..<12).map { 100_000 + $0 }) == [Bool](repeating: true, count: 10) + [false, false])
        #expect(takes([101_999, 102_000, 102_001, 103_999, 104_000]) == [false, true, false, false, true])
        #expect(takes((0..<11).map { 200_000 + $0 }) == [Bool](repeating: true, count: 10) + [false])
    }
}

@Suite struct LinePacingTests {
    private static func at(_ seconds: Int) -> Instant { Instant.origin + .seconds(seconds) }

    @Test func linesOfAMinuteAreBoundedAndTheRestIsCounted() {
        var pacing = LinePacing(limit: 2)
        let admitted = (0..<5).map { pacing.admits("uid 1000", at: Self.at($0)) }
        #expect(admitted == [true, true, false, false, false])
        // Another subject's are its own.
        #expect([4, 5].map { pacing.admits("uid 0", at: Self.at($0)) } == [true, true])
        #expect(pacing.nextDeadline == Self.at(60))
        #expect(pacing.takeCounts(at: Self.at(59)) == [])
        #expect(pacing.takeCounts(at: Self.at(60)) == [LinePacing.Count(subject: "uid 1000", omitted: 3)])
        #expect(pacing.nextDeadline == nil)
        #expect(pacing.admits("uid 1000", at: Self.at(60)) == true)
    }

    @Test func subjectsAreBounded() {
        var pacing = LinePacing(limit: 1)
        let admitted = (0..<1000).count { pacing.admits("uid \($0)", at: Self.at(1)) }
        #expect(admitted == LinePacing.subjects)
        #expect(pacing.takeCounts(at: Self.at(100)).reduce(0) { $0 + $1.omitted } == 1000 - LinePacing.subjects)
    }
}
