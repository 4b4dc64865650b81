// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

extension GATTServer {
    /// The server's state of one client, which ends with its link: the bearers, the security of the link, the client
    /// characteristic configurations and the prepared writes.
    public struct Client: Sendable {
        var isOpen = false
        private(set) var security = LinkSecurityLevel()
        /// The fixed channel, and the configured enhanced bearers.
        var bearers: [BearerState] = []
        /// The client characteristic configurations in the order of the database.
        var configurations: [ClientConfiguration] = []
        var prepared = PreparedWriteQueue()
        /// The bearer with an Execute Write that waits for the device.
        var executing: Int?
        /// The number of open enhanced bearers.
        var enhancedBearers = 0
        /// The features supported by the client.
        public internal(set) var features: ClientFeatures = []
        /// True if the client is change-aware (Core 5.4, Vol 3, Part G, 2.5.2.1).
        public internal(set) var isChangeAware = true
        /// The Database Hash was read since the client became change-unaware.
        var hasReadHash = false
        /// A Service Changed indication is outstanding.
        var owesServiceChanged = false
        /// False if no deadline is set, to save the search.
        var mayHaveDeadline = false
        /// False if `nextOutput` has nothing, to save the search.
        var mayHaveOutput = false

        /// A client without a link.
        public init() {}

        /// The ATT_MTU of a bearer; 23 if it is not open.
        public func mtu(bearer: Int = 0) -> Int { isOpen(bearer) ? bearers[bearer].mtu : GATTServer.defaultMTU }

        /// True if an indication waits for its confirmation.
        public func awaitsConfirmation(bearer: Int = 0) -> Bool { isOpen(bearer) && bearers[bearer].indication != nil }

        /// Sets the security level of the link; without effect on a closed link.
        public mutating func setSecurity(_ security: LinkSecurityLevel) {
            guard isOpen else { return }
            self.security = security
            mayHaveOutput = mayHaveOutput || owesServiceChanged
        }

        /// The time at which `GATTServer.advance` must be called; nil without a deadline.
        public var deadline: Instant? {
            guard mayHaveDeadline else { return nil }
            var next = preparedDeadline
            for bearer in bearers.indices {
                if let deadline = bearers[bearer].indication?.deadline { next = min(next ?? deadline, deadline) }
                if let deadline = bearers[bearer].transaction.deadline { next = min(next ?? deadline, deadline) }
            }
            return next
        }

        /// Nil while the queue is executed: the request has a deadline then.
        var preparedDeadline: Instant? { prepared.isEmpty || executing != nil ? nil : prepared.deadline }

        func isOpen(_ bearer: Int) -> Bool { isOpen && bearers.indices.contains(bearer) && bearers[bearer].isOpen }

        /// Resets the state; memory is retained.
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

    /// Drops expired prepared writes, and fails requests that the device has not answered in time (the errors are taken
    /// with `nextOutput`).
    ///
    /// - Returns: True if an indication was not confirmed in time: no more PDUs may be exchanged then, so the link must
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
