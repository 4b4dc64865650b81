public import Timekeeping

extension GATTServer {
    /// What the server keeps of one client, which ends with its link: the bearers, the security of the link, the client
    /// characteristic configurations and the prepared writes.
    public struct Client: Sendable {
        var isOpen = false
        private(set) var security = LinkSecurityLevel()
        /// The fixed channel, and the enhanced ones that are offered.
        var bearers: [BearerState] = []
        /// The client characteristic configurations, those of the database in order.
        var configurations: [ClientConfiguration] = []
        var prepared = PreparedWriteQueue()
        /// The bearer whose Execute Write waits for the device.
        var executing: Int?
        /// How many bearers are open besides the fixed channel.
        var enhancedBearers = 0
        /// What the client says it can do.
        public internal(set) var features: ClientFeatures = []
        /// True if the client knows the database as it is now (Core 5.4, Vol 3, Part G, 2.5.2.1).
        public internal(set) var isChangeAware = true
        /// The Database Hash was read since the client became change-unaware.
        var hasReadHash = false
        /// The client is to be told that the database has changed.
        var owesServiceChanged = false
        /// True if a deadline may be set, so that without one none is looked for.
        var mayHaveDeadline = false
        /// True if `nextOutput` may find something.
        var mayHaveOutput = false

        /// The client of a link that is not up yet.
        public init() {}

        /// The ATT_MTU of a bearer; 23 for one that is not open.
        public func mtu(bearer: Int = 0) -> Int { isOpen(bearer) ? bearers[bearer].mtu : GATTServer.defaultMTU }

        /// True if an indication waits for its confirmation.
        public func awaitsConfirmation(bearer: Int = 0) -> Bool { isOpen(bearer) && bearers[bearer].indication != nil }

        /// The protection of the link from now on; it takes effect on an open link only, and ends with it.
        public mutating func setSecurity(_ security: LinkSecurityLevel) {
            guard isOpen else { return }
            self.security = security
            mayHaveOutput = mayHaveOutput || owesServiceChanged
        }

        /// When `GATTServer.advance` is next to be called; nil if nothing is waited for.
        public var deadline: Instant? {
            guard mayHaveDeadline else { return nil }
            var next = preparedDeadline
            for bearer in bearers.indices {
                if let deadline = bearers[bearer].indication?.deadline { next = min(next ?? deadline, deadline) }
                if let deadline = bearers[bearer].transaction.deadline { next = min(next ?? deadline, deadline) }
            }
            return next
        }

        /// Not while the queue is being executed: then the request has a deadline.
        var preparedDeadline: Instant? { prepared.isEmpty || executing != nil ? nil : prepared.deadline }

        func isOpen(_ bearer: Int) -> Bool { isOpen && bearers.indices.contains(bearer) && bearers[bearer].isOpen }

        /// Forgets everything, and keeps the memory.
        mutating func reset(configurations count: Int) {
            isOpen = false
            security = LinkSecurityLevel()
            prepared.removeAll()
            executing = nil
            enhancedBearers = 0
            features = []
            isChangeAware = true
            hasReadHash = false
            owesServiceChanged = false
            mayHaveDeadline = false
            mayHaveOutput = false
            for bearer in bearers.indices { bearers[bearer].reset(isOpen: false) }
            configurations.removeAll(keepingCapacity: true)
            configurations.append(contentsOf: repeatElement([], count: count))
        }
    }

    /// Drops prepared writes whose lifetime is over, and lets requests fail that the device has not answered in time
    /// (take the errors with `nextOutput`).
    ///
    /// - Returns: whether an indication was not confirmed in time: no more PDUs may be exchanged then, so the link is to
    ///   be disconnected (Core 5.4, Vol 3, Part F, 3.3.3).
    public mutating func advance(_ client: inout Client, to now: Instant) -> Bool {
        guard client.isOpen, client.mayHaveDeadline else { return false }
        if let deadline = client.preparedDeadline, deadline <= now { dropPrepared(&client) }
        var isTimedOut = false
        for bearer in client.bearers.indices {
            if let indication = client.bearers[bearer].indication, indication.deadline <= now {
                client.bearers[bearer].indication = nil
                isTimedOut = true
            }
            if let deadline = client.bearers[bearer].transaction.deadline, deadline <= now {
                client.bearers[bearer].transaction.fail(.unlikelyError)
                client.mayHaveOutput = true
            }
        }
        client.mayHaveDeadline = client.deadline != nil
        return isTimedOut
    }
}
