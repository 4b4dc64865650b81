// SPDX-License-Identifier: Apache-2.0

#if NetworkDevices
    import Synchronization

    /// The reason why the program ends, passed from the event loop to the main thread.
    final class SoftAPFailure: Sendable {
        private let error = Mutex<EmulationError?>(nil)

        func put(_ error: EmulationError) { self.error.withLock { $0 = error } }
        func take() -> EmulationError? { error.withLock { $0 } }
    }
#endif
