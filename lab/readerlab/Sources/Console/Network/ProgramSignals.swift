// SPDX-License-Identifier: Apache-2.0

#if NetworkDevices
    package import Commands
    import Glibc
    import Synchronization

    /// The signals that end a program, and SIGUSR1, handled on the main thread.
    package final class ProgramSignals: Sendable {
        private let failure = Mutex<CommandError?>(nil)
        private let signals: EndingSignals

        package init() throws(CommandError) { signals = try EndingSignals(and: [SIGUSR1]) }

        /// Ends the program, from any thread.
        package func end(with error: CommandError? = nil) {
            if let error { failure.withLock { $0 = error } }
            EndingSignals.send()
        }

        /// Waits for the end, and calls `press` for SIGUSR1. Returns the failure that ended the program, if any.
        package func wait(_ press: () -> Void) -> CommandError? {
            while signals.wait() == SIGUSR1 { press() }
            return failure.withLock { $0 }
        }
    }
#endif
