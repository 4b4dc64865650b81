/// Values that wait for room on one link, in the order in which they are to go.
struct LinkOutbox {
    /// How a value is sent.
    enum Kind: CaseIterable { case notification, indication }

    /// A value that waits.
    struct Waiting: Equatable {
        var characteristic: Int
        var octets: [UInt8]
    }

    private var notifications: [Waiting] = []
    private var indications: [Waiting] = []

    /// Whether nothing waits.
    var isEmpty: Bool { notifications.isEmpty && indications.isEmpty }

    /// The next value of a kind.
    func first(_ kind: Kind) -> Waiting? { self[kind].first }

    /// The value has gone, or never will.
    mutating func removeFirst(_ kind: Kind) { self[kind].removeFirst() }

    /// The client does not want the characteristic's values of this kind any more.
    mutating func removeAll(_ kind: Kind, of characteristic: Int) {
        self[kind].removeAll { $0.characteristic == characteristic }
    }

    /// Lets a value wait, as far as the policy allows.
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
