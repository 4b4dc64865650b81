// SPDX-License-Identifier: Apache-2.0

extension ReaderSettings {
    /// `[updater]`: the platform's program that replaces this firmware.
    public struct Updater: Equatable, Sendable {
        /// `command`: the program, then its arguments; empty for none.
        public var command: [String] = []

        /// The maximum number of texts in a command and of octets in each: far more than an updater needs, and far less
        /// than the kernel's limits.
        static let maximumCount = 16
        static let maximumOctets = 1024
    }
}
