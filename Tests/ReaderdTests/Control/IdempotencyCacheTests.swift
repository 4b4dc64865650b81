// SPDX-License-Identifier: Apache-2.0

import Reader
import Testing
import Timekeeping

@testable import readerd

@Suite struct IdempotencyCacheTests {
    private let key = IdempotencyCache.Key(user: 1000, id: "a")
    private func at(_ seconds: Int) -> Instant { .origin + .seconds(seconds) }

    @Test func aRequestIsCarriedOutOnceAndAnsweredTheSame() {
        var memory = IdempotencyCache()
        #expect(memory.state(of: key, .door(.pulse), at: at(0)) == .new)
        #expect(memory.state(of: key, .door(.pulse), at: at(1)) == .underWay)
        // However long it takes.
        #expect(memory.state(of: key, .door(.pulse), at: at(100)) == .underWay)
        memory.answer(key, .refused(.logFull), at: at(100))
        #expect(memory.state(of: key, .door(.pulse), at: at(159)) == .answered(.refused(.logFull)))
        #expect(memory.state(of: key, .door(.extended), at: at(159)) == .other)
        // Another user's is another request.
        #expect(memory.state(of: .init(user: 1001, id: "a"), .door(.pulse), at: at(159)) == .new)
        #expect(memory.state(of: key, .door(.extended), at: at(160)) == .new)
    }

    /// A request within its time is not forgotten to make room for another.
    @Test func withoutRoomARequestIsRefused() {
        var memory = IdempotencyCache()
        for number in 0..<IdempotencyCache.limit {
            let key = IdempotencyCache.Key(user: 0, id: "\(number)")
            #expect(memory.state(of: key, .door(.tamperReset), at: at(0)) == .new)
            if number != 0 { memory.answer(key, .done, at: at(number == 1 ? 0 : 30)) }
        }
        let next = IdempotencyCache.Key(user: 0, id: "next")
        #expect(memory.state(of: next, .door(.tamperReset), at: at(59)) == .full)
        #expect(memory.state(of: next, .door(.tamperReset), at: at(60)) == .new)
        #expect(memory.state(of: .init(user: 0, id: "0"), .door(.tamperReset), at: at(500)) == .underWay)
    }

    /// A user's ids take no room from another's, however many there are.
    @Test func eachUserHasAShare() {
        var memory = IdempotencyCache()
        for number in 0..<IdempotencyCache.limit {
            #expect(memory.state(of: .init(user: 0, id: "\(number)"), .door(.lockdownOn), at: at(0)) == .new)
        }
        #expect(memory.state(of: .init(user: 0, id: "more"), .door(.lockdownOn), at: at(1)) == .full)
        #expect(memory.state(of: key, .door(.lockdownOn), at: at(1)) == .new)
    }

    /// Users without room are refused; nothing that may be asked again is forgotten.
    @Test func usersAreBounded() {
        var memory = IdempotencyCache()
        for user in 0..<UInt32(IdempotencyCache.users) {
            let key = IdempotencyCache.Key(user: user, id: "a")
            #expect(memory.state(of: key, .door(.tamperReset), at: at(0)) == .new)
            memory.answer(key, .done, at: at(0))
        }
        #expect(memory.state(of: key, .door(.tamperReset), at: at(59)) == .full)
        #expect(memory.state(of: key, .door(.tamperReset), at: at(60)) == .new)
    }
}
