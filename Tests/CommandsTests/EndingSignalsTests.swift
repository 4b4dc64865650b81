// SPDX-License-Identifier: Apache-2.0

import Commands
import Glibc
import Testing

@Suite struct EndingSignalsTests {
    /// Signals to this thread, whose mask is restored.
    @Test func signalsAreReceivedInsteadOfEndingTheProcess() throws {
        var mask = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &mask)
        defer { pthread_sigmask(SIG_SETMASK, &mask, nil) }
        let signals = try EndingSignals(and: [SIGUSR1])
        #expect(!signals.arrive(within: .milliseconds(1)))
        for number in [SIGINT, SIGTERM, SIGUSR1] {
            pthread_kill(pthread_self(), number)
            #expect(signals.wait() == number)
        }
        pthread_kill(pthread_self(), SIGTERM)
        #expect(signals.arrive(within: .seconds(10)))
        #expect(!signals.arrive(within: .zero))
        signals.unblock()
        var unblocked = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &unblocked)
        #expect(sigismember(&unblocked, SIGTERM) == 0)
    }
}
