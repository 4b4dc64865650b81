// SPDX-License-Identifier: Apache-2.0

import Testing
import Timekeeping

@testable import Reader

@Suite struct ReadingScheduleTests {
    private func at(_ milliseconds: Int) -> Instant { .origin + .milliseconds(milliseconds) }

    private func due(_ schedule: inout ReadingSchedule, until end: Int) -> [Int] {
        (0...end).filter { schedule.consume(at: at($0)) }
    }

    @Test(arguments: [(25, 15, [25, 50, 75]), (25, 30, [30, 60, 90])])
    func thePaceIsTheLongerInterval(interval: Int, connection: Int, expected: [Int]) {
        var schedule = ReadingSchedule(
            interval: .milliseconds(interval), connectionInterval: .milliseconds(connection), at: at(0))
        #expect(schedule.next == at(expected[0]))
        #expect(due(&schedule, until: 95) == expected)
    }

    @Test func aSlowerLinkIsReadLessOften() {
        var schedule = ReadingSchedule(interval: .milliseconds(25), connectionInterval: .milliseconds(15), at: at(0))
        schedule.connectionIntervalChanged(to: .milliseconds(100))
        // The reading that is due remains due.
        #expect(due(&schedule, until: 230) == [25, 125, 225])
    }
}
