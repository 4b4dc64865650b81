// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NFC

/// A failing chip is retried after pauses that grow, but never exceed the time a person would wait.
@Suite struct ReopenPauseTests {
    @Test func doublesToTenSeconds() {
        var pause = ReopenPause()
        let pauses = (0..<7).map { _ in pause.failed() }
        #expect(
            pauses == [
                .milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(8), .seconds(10), .seconds(10),
            ])
    }

    @Test func beginsAnewOnceItHasWorked() {
        var pause = ReopenPause()
        _ = pause.failed()
        _ = pause.failed()
        pause.worked()
        #expect(pause.failed() == .milliseconds(500))
    }

    /// A chip that was silent for ten minutes is tried again within ten seconds, however often that has failed.
    @Test func tenMinutesOfSilence() {
        var pause = ReopenPause()
        var passed = Duration.zero
        var attempts = 0
        while passed < .seconds(600) {
            let next = pause.failed()
            #expect(next <= .seconds(10))
            passed += next
            attempts += 1
        }
        #expect(attempts == 64)
    }
}
