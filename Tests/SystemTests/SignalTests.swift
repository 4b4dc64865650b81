// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport
import Testing
import Timekeeping

@testable import System

/// Signals are sent to one thread, which also runs the loop: the process has others, and no test may assume which
/// signals they block.
@Suite struct SignalTests {
    @Test func signalsComeAsEvents() async throws {
        let seen = Shared<[CInt]>([])
        try await onNewThread {
            try Reactor.blockSignals([SIGUSR1, SIGUSR2])
            let reactor = try Reactor()
            try reactor.onSignal([SIGUSR1, SIGUSR2]) { signal in
                seen.update { $0.append(signal) }
                if signal == SIGUSR2 { reactor.stop() }
            }
            pthread_kill(pthread_self(), SIGUSR1)
            reactor.schedule(at: reactor.now + .milliseconds(1)) { pthread_kill(pthread_self(), SIGUSR2) }
            try run(reactor)
        }
        #expect(seen.value == [SIGUSR1, SIGUSR2])
    }

    @Test func aCancelledWatchTellsNoSignals() async throws {
        let seen = Shared<[CInt]>([])
        try await onNewThread {
            try Reactor.blockSignals([SIGUSR1])
            let reactor = try Reactor()
            let watch = try reactor.onSignal([SIGUSR1]) { signal in seen.update { $0.append(signal) } }
            watch.cancel()
            pthread_kill(pthread_self(), SIGUSR1)
            try runTurns(reactor)
        }
        #expect(seen.value.isEmpty)
    }

    @Test func anImpossibleSignalIsRefused() throws {
        #expect(throws: SystemError(call: "pthread_sigmask", code: EINVAL)) { try Reactor.blockSignals([4711]) }
        let reactor = try Reactor()
        #expect(throws: SystemError(call: "signalfd", code: EINVAL)) { try reactor.onSignal([4711]) { _ in } }
    }
}
