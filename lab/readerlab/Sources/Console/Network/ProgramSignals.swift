// SPDX-License-Identifier: Apache-2.0

package import Commands

#if NetworkDevices
    import Glibc
    import Synchronization

    /// SIGINT, SIGTERM and SIGUSR1, handled on the main thread.
    package final class ProgramSignals: Sendable {
        private let failure = Mutex<CommandError?>(nil)

        package init() {
            var set = ProgramSignals.set
            pthread_sigmask(SIG_BLOCK, &set, nil)
            signal(SIGPIPE, SIG_IGN)
        }

        private static var set: sigset_t {
            var set = sigset_t()
            sigemptyset(&set)
            for number in [SIGINT, SIGTERM, SIGUSR1] { sigaddset(&set, number) }
            return set
        }

        /// Ends the program, from any thread.
        package func end(with error: CommandError? = nil) {
            if let error { failure.withLock { $0 = error } }
            kill(getpid(), SIGTERM)
        }

        /// Waits for the end, and calls `press` for SIGUSR1. Returns the failure that ended the program, if any.
        package func wait(_ press: () -> Void) -> CommandError? {
            var set = ProgramSignals.set
            while true {
                var number: CInt = 0
                guard sigwait(&set, &number) == 0 else { continue }
                guard number == SIGUSR1 else { return failure.withLock { $0 } }
                press()
            }
        }
    }
#endif
