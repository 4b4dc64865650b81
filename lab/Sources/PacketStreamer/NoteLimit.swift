// SPDX-License-Identifier: Apache-2.0

/// A bound on lines about faults: a client that repeats a refused call must not fill a log.
public struct NoteLimit: Sendable {
    /// The number of faults in a period that have a line each, and the period in seconds.
    public static let maximumCount = 20, periodSeconds = 10

    private var period = 0
    private var count = 0

    /// A limit before the first fault.
    public init() {}

    /// Counts a fault at this time, in seconds from any origin. Returns true if it has a line, and the number of faults
    /// of the previous period that had none.
    public mutating func admit(at seconds: Int) -> (isShown: Bool, hidden: Int) {
        var hidden = 0
        if seconds / NoteLimit.periodSeconds != period {
            hidden = max(count - NoteLimit.maximumCount, 0)
            period = seconds / NoteLimit.periodSeconds
            count = 0
        }
        count += 1
        return (count <= NoteLimit.maximumCount, hidden)
    }
}
