// SPDX-License-Identifier: Apache-2.0

import CLinux
import Timekeeping

/// A descriptor watched by a reactor. The reactor retains the watch, but does not own the descriptor: cancel the
/// watch, then close.
///
/// To be used on the reactor's thread.
public final class Watch {
    /// The descriptor.
    public let descriptor: CInt
    /// The events of interest.
    public private(set) var interest: Interest

    /// The epoll token: the slot in the reactor's table, and a generation number above it.
    let token: UInt64
    private(set) var handler: ((Readiness) -> Void)?
    private weak var reactor: Reactor?
    /// True if the peer has finished and all data was read: the descriptor would be readable forever.
    private var readingHasEnded = false
    /// The earliest time at which unread input may have arrived, and the last turn in which there may have been some.
    private var unreadSince: Instant
    private var unreadTurn: UInt64
    private var isDrained = false

    /// - Parameter since: the earliest possible arrival of input that is already waiting.
    init(
        _ reactor: Reactor, _ descriptor: CInt, _ interest: Interest, token: UInt64, since: Instant,
        handler: @escaping (Readiness) -> Void
    ) {
        (unreadSince, unreadTurn) = (since, reactor.turns)
        self.reactor = reactor
        self.descriptor = descriptor
        self.interest = interest
        self.token = token
        self.handler = handler
    }

    /// True while the handler may be called: neither cancelled nor at the end of its descriptor.
    public var isActive: Bool { handler != nil }

    /// Changes the events of interest; without any, errors and hang-ups are still reported. No effect if the watch is
    /// not active.
    public func modify(_ interest: Interest) throws(SystemError) {
        guard isActive, let reactor, interest != self.interest else { return }
        // Input is not reported without interest in it, and may be old when it is.
        if self.interest.contains(.readable), !interest.contains(.readable), unreadTurn != reactor.turns || isDrained {
            (unreadSince, isDrained) = (reactor.lastLook, false)
        }
        if !self.interest.contains(.readable), interest.contains(.readable) { unreadTurn = reactor.turns }
        self.interest = interest
        try reactor.register(self, readerd_epoll_change)
    }

    /// Ends the watch: its handler is released and not called again, not even for events that the kernel has already
    /// reported.
    public func cancel() {
        guard isActive else { return }
        // In this order: the handler may own the descriptor.
        reactor?.forget(self)
        handler = nil
    }

    /// Notes that the handler has read all input, as a read of fewer octets than requested shows. Otherwise input of
    /// consecutive turns counts as a backlog (`Reactor.inputAge`).
    public func drained() { isDrained = true }

    /// Returns the earliest time at which the input reported in this turn may have arrived.
    func inputSince(turn: UInt64, lastLook: Instant) -> Instant {
        if isDrained || turn > unreadTurn + 1 { unreadSince = lastLook }
        (unreadTurn, isDrained) = (turn, false)
        return unreadSince
    }

    /// The events for epoll.
    var flags: UInt32 {
        var flags: UInt32 = 0
        if interest.contains(.readable), !readingHasEnded { flags |= readerd_event_in | readerd_event_read_hangup }
        if interest.contains(.writable) { flags |= readerd_event_out }
        return flags
    }

    /// Calls the handler. An ended descriptor is always ready and must not keep the loop running: after a hang-up
    /// with nothing left to read, only events that can still occur are watched.
    func deliver(_ reported: UInt32) {
        guard let handler else { return }
        let readiness = Readiness(flags: reported, interest: interest)
        guard !readiness.isDisjoint(with: [.hangup, .error]) else { return handler(readiness) }

        let canRead = reported & readerd_event_in != 0 && interest.contains(.readable)
        let isDrained = !canRead || readerd_octets_waiting(descriptor) <= 0
        handler(readiness)
        guard isActive, isDrained else { return }
        if readerd_has_ended(descriptor) {
            cancel()
        } else if reported & readerd_event_read_hangup != 0 {
            readingHasEnded = true
            try? reactor?.register(self, readerd_epoll_change)
        }
    }
}
