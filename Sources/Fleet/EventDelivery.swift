// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// The delivery of a log's events: what the back end has, what is on its way, and what is read next.
///
/// Only the back end's mark says that an event has arrived; an acknowledgement of the broker says nothing. A new
/// connection, and a pause without progress, begin again after the mark.
public struct EventDelivery: Equatable, Sendable {
    /// The log; nil before the reader has told it.
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
    /// The time since which there has been no progress; nil while nothing is on its way.
    private var standsSince: Instant?

    /// Nothing to be delivered yet.
    public init() {}

    /// Begins with a log, or goes on with it.
    public mutating func begin(_ log: LogID, newest: UInt64) {
        if log != self.log { (self.log, mark) = (log, nil) }
        self.newest = newest
        readBy = nil
        restart()
    }

    /// The log has grown up to this sequence number.
    public mutating func grow(to newest: UInt64) { self.newest = max(self.newest, newest) }

    /// The reader is not there: nothing is read.
    public mutating func suspend() {
        readBy = nil
        restart()
    }

    /// The subscription to the mark has begun.
    public mutating func connect(at now: Instant) {
        isConnected = true
        restart()
        settleAt = now + FleetLimits.markWait
    }

    /// The connection has ended.
    public mutating func disconnect() {
        (isConnected, settleAt) = (false, nil)
        restart()
    }

    /// Takes a mark. One of another log, or beyond the end of this one, is of no back end that has its events.
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

    /// The sequence number to be read now, if any: it is an order, and its answer goes to `receive(batch:at:)`.
    public mutating func takeRead(at now: Instant) -> UInt64? {
        guard isConnected, settleAt == nil, readBy == nil, log != nil, next <= newest,
            ahead.count < FleetLimits.batchesAhead
        else { return nil }
        readBy = now + FleetLimits.readWait
        return next
    }

    /// Takes the answer to a read; false if it is not to be sent, since the delivery has begun anew.
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
