// SPDX-License-Identifier: Apache-2.0

/// The pause before a faulty chip is reopened, which doubles with each failure, and is reset once the chip has
/// worked.
struct ReopenPause {
    /// The first pause.
    static let first = Duration.milliseconds(500)
    /// The maximum: a chip that returns is found within this time plus the time to open it.
    static let longest = Duration.seconds(10)

    private var next = ReopenPause.first

    /// Resets the pause after success.
    mutating func worked() { next = ReopenPause.first }

    /// Returns the pause before the next attempt, and increases it.
    mutating func failed() -> Duration {
        defer { next = min(next * 2, ReopenPause.longest) }
        return next
    }
}
