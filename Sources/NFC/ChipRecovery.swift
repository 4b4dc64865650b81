// SPDX-License-Identifier: Apache-2.0

/// The reaction to a failure of a chip that polls.
///
/// A chip that worked is closed and reopened at once, which wakes and configures it again. If it fails again before it
/// has worked for `steady`, the failure is reported, and the pauses of `ReopenPause` apply.
struct ChipRecovery {
    /// The duration of faultless operation after which a failure counts as the first.
    static let steady = Duration.seconds(10)

    private var openedAt: Duration?

    /// The chip was opened.
    mutating func opened(at now: Duration) { openedAt = now }

    /// The chip failed; true if it is reopened at once, without a report.
    mutating func isRecoverable(at now: Duration) -> Bool {
        defer { openedAt = nil }
        return openedAt.map { now - $0 >= ChipRecovery.steady } ?? false
    }
}
