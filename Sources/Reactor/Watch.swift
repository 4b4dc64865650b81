import CLinux

/// A descriptor that a reactor watches. The reactor keeps the watch, not the descriptor: cancel it, then close.
///
/// Belongs to the reactor's thread.
public final class Watch {
    /// The descriptor.
    public let descriptor: CInt
    /// What is waited for.
    public private(set) var interest: Interest

    /// What epoll hands back: the slot in the reactor's table, and above it a number that makes it this watch's own.
    let token: UInt64
    private(set) var handler: ((Readiness) -> Void)?
    private weak var reactor: Reactor?
    /// The other end has finished and all of it was read: the descriptor would be readable for ever.
    private var readingHasEnded = false

    init(
        _ reactor: Reactor, _ descriptor: CInt, _ interest: Interest, token: UInt64,
        handler: @escaping (Readiness) -> Void
    ) {
        self.reactor = reactor
        self.descriptor = descriptor
        self.interest = interest
        self.token = token
        self.handler = handler
    }

    /// Whether the handler may still be called: false once cancelled, and once the descriptor has ended.
    public var isActive: Bool { handler != nil }

    /// Waits for something else from now on; with nothing to wait for, errors and hang-ups are still told. Nothing
    /// happens if the watch is not active.
    public func modify(_ interest: Interest) throws(SystemError) {
        guard isActive, let reactor, interest != self.interest else { return }
        self.interest = interest
        try reactor.register(self, readerd_epoll_change)
    }

    /// Ends the watch: its handler is released and not called again, not even for what the kernel has already told.
    public func cancel() {
        guard isActive else { return }
        // In this order: the handler may own the descriptor.
        reactor?.forget(self)
        handler = nil
    }

    /// What epoll is to report.
    var flags: UInt32 {
        var flags: UInt32 = 0
        if interest.contains(.readable), !readingHasEnded { flags |= readerd_event_in | readerd_event_read_hangup }
        if interest.contains(.writable) { flags |= readerd_event_out }
        return flags
    }

    /// Calls the handler, and sees to it that an ended descriptor, which is ready for ever, does not keep the loop
    /// running: when a hang-up has been told with nothing left to be read, only what can still change is waited for.
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
