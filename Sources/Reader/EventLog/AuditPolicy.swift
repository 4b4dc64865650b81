// SPDX-License-Identifier: Apache-2.0

/// The policy of the event log.
public struct AuditPolicy: Equatable, Sendable {
    /// True if a grant waits until its record is on the disk.
    public var isStrict: Bool
    /// True if access is granted while the log cannot be written.
    public var grantsWhileFailing: Bool
    /// The time a disk may take before that is a fault.
    public var maximumWait: Duration
    /// The number of records that the log keeps, on which the shares of origins depend.
    public var capacity: Int

    /// Creates a policy. By default a grant waits for at most a second, and there is no access without a record.
    public init(
        isStrict: Bool = true, grantsWhileFailing: Bool = false, maximumWait: Duration = .seconds(1),
        capacity: Int = 10_000
    ) {
        self.capacity = capacity
        self.isStrict = isStrict
        self.grantsWhileFailing = grantsWhileFailing
        self.maximumWait = maximumWait
    }
}

/// A change of the log's state, reported once.
public enum LogNotice: Hashable, Sendable {
    /// The log cannot be written.
    case failing(DiskFault)
    /// The log can be written again; this many events were lost.
    case restored(lost: Int32)
    /// The log is full, and `when-full` is to refuse.
    case full
    /// The log has room again.
    case hasRoom
}
