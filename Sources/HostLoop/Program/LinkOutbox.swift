// SPDX-License-Identifier: Apache-2.0

/// The values queued on one link, in sending order.
struct LinkOutbox {
    /// The ATT procedure by which a value is sent.
    enum Kind: CaseIterable { case notification, indication }

    /// A queued value.
    struct Waiting: Equatable {
        var characteristic: Int
        var octets: [UInt8]
    }

    private var notifications: [Waiting] = []
    private var indications: [Waiting] = []

    var isEmpty: Bool { notifications.isEmpty && indications.isEmpty }

    /// The next value of a kind.
    func first(_ kind: Kind) -> Waiting? { self[kind].first }

    /// Removes the next value: it has been sent, or cannot be.
    mutating func removeFirst(_ kind: Kind) { self[kind].removeFirst() }

    /// Removes a characteristic's values: the client has unsubscribed.
    mutating func removeAll(_ kind: Kind, of characteristic: Int) {
        self[kind].removeAll { $0.characteristic == characteristic }
    }

    /// Queues a value if the policy allows it.
    mutating func add(_ value: Waiting, _ kind: Kind, _ policy: SendingPolicy) -> SendOutcome {
        let count = self[kind].count { $0.characteristic == value.characteristic }
        if count < policy.capacity {
            self[kind].append(value)
            return .waiting
        }
        guard policy == .latest,
            let older = self[kind].firstIndex(where: { $0.characteristic == value.characteristic })
        else { return .full }
        self[kind][older] = value
        return .replaced
    }

    private subscript(_ kind: Kind) -> [Waiting] {
        get { kind == .notification ? notifications : indications }
        set { if kind == .notification { notifications = newValue } else { indications = newValue } }
    }
}
