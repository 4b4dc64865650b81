// SPDX-License-Identifier: Apache-2.0

import Testing
import Timekeeping

@testable import readerd

/// Admission of clients to the control socket, on a clock of the test's own.
@Suite struct ClientLimiterTests {
    private func at(_ seconds: Int) -> Instant { .origin + .seconds(seconds) }

    /// Eight clients of these users, one a second.
    private func taken(by users: [UInt32]) -> ClientLimiter {
        var places = ClientLimiter()
        for (client, user) in users.enumerated() {
            #expect(places.enter(client, user: user, at: at(client)) == .free)
        }
        return places
    }

    @Test func theLongestIdleLeavesForANewcomer() {
        var places = taken(by: [UInt32](repeating: 5, count: 8))
        places.used(0, at: at(10))
        #expect(places.enter(8, user: 5, at: at(11)) == .evicting(1))
        #expect(places.enter(9, user: 5, at: at(12)) == .evicting(2))
        // A place that was left is there for the next.
        places.leave(0)
        #expect(places.enter(10, user: 5, at: at(13)) == .free)
    }

    @Test func whoWaitsForAnAnswerOrEventsStays() {
        var places = taken(by: [UInt32](repeating: 5, count: 8))
        for client in 0..<6 { #expect(places.subscribe(client) == true) }
        #expect(places.subscribe(6) == false)
        #expect(places.subscribe(0) == true)
        places.update(6, awaitsAnswer: true, isUnread: false, hasRead: false, at: at(9))
        places.update(7, awaitsAnswer: false, isUnread: true, hasRead: false, at: at(9))
        #expect(places.enter(8, user: 0, at: at(10)) == .full)
        // The answer has come: idle from then on.
        places.update(6, awaitsAnswer: false, isUnread: false, hasRead: false, at: at(11))
        #expect(places.enter(8, user: 0, at: at(12)) == .evicting(6))
        // A subscriber that leaves makes room for another.
        places.leave(0)
        #expect(places.subscribe(8) == true)
    }

    @Test func aFloodDisplacesItsOwn() {
        // User 7 has been idle for longest, but has one place; user 5 has seven.
        var places = taken(by: [7, 5, 5, 5, 5, 5, 5, 5])
        for client in 8..<100 {
            guard case .evicting(let evicted) = places.enter(client, user: 5, at: at(client)) else {
                Issue.record("no place")
                return
            }
            #expect(evicted != 0)
        }
        // Even if none of its own can leave.
        var full = taken(by: [7, 5, 5, 5, 5, 5, 5, 5])
        for client in 1..<8 { full.update(client, awaitsAnswer: true, isUnread: false, hasRead: false, at: at(9)) }
        #expect(full.enter(8, user: 5, at: at(10)) == .full)
        // Somebody new takes one of the flood's, not the other's.
        full.update(3, awaitsAnswer: false, isUnread: false, hasRead: false, at: at(11))
        #expect(full.enter(8, user: 0, at: at(12)) == .evicting(3))
    }

    @Test func whoAsksNothingIsOverdueToTheNanosecond() {
        var places = ClientLimiter()
        #expect(places.nextDeadline == nil)
        _ = places.enter(0, user: 5, at: at(0))
        _ = places.enter(1, user: 5, at: at(1))
        _ = places.enter(2, user: 5, at: at(2))
        #expect(places.subscribe(2) == true)
        places.used(0, at: at(5))
        let end = at(1) + ControlLimits.idle
        #expect(places.nextDeadline == end)
        #expect(places.overdue(at: end + .nanoseconds(-1)).isEmpty)
        #expect(places.overdue(at: end).map(\.client) == [1] && places.overdue(at: end).map(\.isStalled) == [false])
        // An answer that is to come keeps the place; its time begins when it has been read.
        places.update(1, awaitsAnswer: true, isUnread: false, hasRead: false, at: at(6))
        places.leave(0)
        #expect(places.nextDeadline == nil)
        places.update(1, awaitsAnswer: false, isUnread: false, hasRead: true, at: at(50))
        #expect(places.nextDeadline == at(50) + ControlLimits.idle)
    }

    @Test func whoDoesNotReadIsOverdue() {
        var places = ClientLimiter()
        _ = places.enter(0, user: 5, at: at(0))
        #expect(places.subscribe(0) == true)
        places.update(0, awaitsAnswer: false, isUnread: true, hasRead: false, at: at(10))
        // More to read does not move the end, having read something does.
        places.update(0, awaitsAnswer: false, isUnread: true, hasRead: false, at: at(20))
        #expect(places.nextDeadline == at(10) + ControlLimits.stall)
        places.update(0, awaitsAnswer: false, isUnread: true, hasRead: true, at: at(25))
        let end = at(25) + ControlLimits.stall
        #expect(places.overdue(at: end + .nanoseconds(-1)).isEmpty)
        #expect(places.overdue(at: end).map(\.isStalled) == [true])
        places.update(0, awaitsAnswer: false, isUnread: false, hasRead: true, at: end)
        #expect(places.nextDeadline == nil)
    }
}
