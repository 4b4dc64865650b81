// SPDX-License-Identifier: Apache-2.0

import Testing
import Timekeeping

@testable import NordicProvisioning

@Suite struct GatewayWindowTests {
    private static func at(_ seconds: Int64) -> Instant { .origin + .seconds(seconds) }

    @Test func endsWithItsTime() {
        var window = GatewayWindow(.button, at: .origin, for: .seconds(60))
        #expect(window.end(at: Self.at(59), isJoining: false) == nil)
        #expect(window.end(at: Self.at(60), isJoining: false) == .timeOver)
    }

    /// The window stays open for a join, but not without limit.
    @Test func waitsForAJoin() {
        var window = GatewayWindow(.control, at: .origin, for: .seconds(60))
        #expect(window.end(at: Self.at(60), isJoining: true) == nil)
        #expect(window.until == Self.at(61))
        #expect(window.end(at: Self.at(149), isJoining: true) == nil)
        #expect(window.end(at: Self.at(150), isJoining: true) == .timeOver)
    }

    /// After a successful join the phone has time to read the status.
    @Test func staysAWhileWhenItIsDone() {
        var window = GatewayWindow(.firstBoot, at: .origin, for: .seconds(300))
        window.done(at: Self.at(10))
        #expect(window.end(at: Self.at(39), isJoining: false) == nil)
        #expect(window.end(at: Self.at(40), isJoining: false) == .done)
        var late = GatewayWindow(.firstBoot, at: .origin, for: .seconds(300))
        late.done(at: Self.at(299))
        #expect(late.until == Self.at(300))
    }

    /// A phone that has its network forgotten is not done: the window has all of its time again.
    @Test func goesOnWhenTheNetworkIsForgotten() {
        var window = GatewayWindow(.button, at: .origin, for: .seconds(300))
        window.done(at: Self.at(10))
        window.undone()
        #expect(!window.isDone)
        #expect(window.end(at: Self.at(40), isJoining: false) == nil)
        #expect(window.end(at: Self.at(300), isJoining: false) == .timeOver)
    }
}
