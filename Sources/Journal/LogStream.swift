// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Non-blocking output of log lines, so that a stalled reader of the log does not stop the door.
///
/// A line that does not fit is dropped; the next one states the number of dropped lines.
public final class LogStream: Sendable {
    private let descriptor: Int32
    private let lost = Atomic<Int>(0)

    /// A stream at this descriptor.
    public init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Writes one line with its line feed, or counts it as dropped.
    public func write(_ line: String) {
        let missing = lost.load(ordering: .relaxed)
        let whole = missing == 0 ? line : "(\(missing) log lines lost here: standard error was not read)\n" + line
        if StandardStream.offer(whole, to: descriptor) {
            lost.subtract(missing, ordering: .relaxed)
        } else {
            lost.add(1, ordering: .relaxed)
        }
    }
}
