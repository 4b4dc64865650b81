// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// The delivery of a log's events: the delivered ones, the batches in transit, and the next event to read.
///
/// Only the back end's mark proves that an event was delivered; an acknowledgement of the broker does not. After a new
/// connection, or a pause without progress, delivery restarts after the mark.
public struct EventDelivery: Equatable, Sendable {
    /// The log; nil before the reader has reported it.
    public private(set) var log: LogID?
    /// The back end's mark; nil while it is not known.
    public private(set) var mark: UInt64?
    /// The sequence numbers of the batches beyond the mark, in order.
    public private(set) var ahead: [ClosedRange<UInt64>] = []
    private var newest: UInt64 = 0
    /// The next sequence number to be read.
    private var next: UInt64 = 1
    /// The time by which the answer to a read is due; nil while nothing is read.
    private var readBy: Instant?
    private var isConnected = false
    /// The end of the wait for the retained mark; nil if there is no wait.
    private var settleAt: Instant?
    private var resendAt: Instant?
    private var pause = FleetLimits.resendPause
    /// The beginning of the present time without progress; nil while no batch is in transit.
    private var standsSince: Instant?

    /// Creates a delivery without events.
    public init() {}

    /// Begins with a log, or continues with the same one.
    public mutating func begin(_ log: LogID, newest: UInt64) {
        if log != self.log { (self.log, mark) = (log, nil) }
        self.newest = newest
        readBy = nil
        restart()
    }

    /// Records that the log has grown to this sequence number.
    public mutating func grow(to newest: UInt64) { self.newest = max(self.newest, newest) }

    /// Stops reading while the reader is not connected.
    public mutating func suspend() {
        readBy = nil
        restart()
    }

    /// Begins to wait for the mark after subscribing to it.
    public mutating func connect(at now: Instant) {
        isConnected = true
        restart()
        settleAt = now + FleetLimits.markWait
    }

    /// Records the end of the connection.
    public mutating func disconnect() {
        (isConnected, settleAt) = (false, nil)
        restart()
    }

    /// Handles a mark. A mark of another log, or beyond the end of this log, is ignored.
    ///
    /// - Returns: true if events have been delivered.
    public mutating func receive(_ mark: DeliveryMark, at now: Instant) -> Bool {
        guard mark.log == log, mark.upTo <= newest else { return false }
        let former = self.mark
        self.mark = mark.upTo
        if settleAt != nil || mark.upTo < former ?? 0 {
            settleAt = nil
            restart()
        }
        ahead.removeAll { $0.upperBound <= mark.upTo }
        next = max(next, mark.upTo + 1)
        guard mark.upTo > former ?? 0 else { return false }
        pause = FleetLimits.resendPause
        resendAt = ahead.isEmpty ? nil : now + pause
        standsSince = ahead.isEmpty ? nil : now
        return true
    }

    /// The sequence number to read now; nil if no read is due. The caller has to read it, and to pass the answer to
    /// `receive(batch:at:)`.
    public mutating func takeRead(at now: Instant) -> UInt64? {
        guard isConnected, settleAt == nil, readBy == nil, log != nil, next <= newest,
            ahead.count < FleetLimits.batchesAhead
        else { return nil }
        readBy = now + FleetLimits.readWait
        return next
    }

    /// Handles the answer to a read. Returns false if delivery has restarted since, and the batch must not be sent.
    public mutating func receive(batch range: ClosedRange<UInt64>, at now: Instant) -> Bool {
        readBy = nil
        guard isConnected, settleAt == nil, range.lowerBound == next else { return false }
        ahead.append(range)
        next = range.upperBound + 1
        resendAt = resendAt ?? now + pause
        standsSince = standsSince ?? now
        return true
    }

    /// The next time at which something is due.
    public var nextDeadline: Instant? {
        isConnected ? Instant.earlier(readBy, Instant.earlier(settleAt, resendAt)) : nil
    }

    /// Ends the waits for the mark and for the reader, and begins again after a pause without progress.
    public mutating func advance(to now: Instant) {
        guard isConnected else { return }
        if let settleAt, settleAt <= now { self.settleAt = nil }
        if let readBy, readBy <= now { self.readBy = nil }
        if let resendAt, resendAt <= now {
            pause = min(pause * 2, FleetLimits.longestResendPause)
            restart()
        }
    }

    /// True if the back end has not made progress for too long.
    public func isOverdue(at now: Instant) -> Bool {
        standsSince.map { now - $0 >= FleetLimits.undeliveredAfter } ?? false
    }

    private mutating func restart() {
        ahead = []
        resendAt = nil
        next = (mark ?? 0) + 1
    }
}
