public import Timekeeping

/// The life of one link as the reader sees it: verifying → open → executing → closing.
///
/// Every state has a deadline. The window of the gate bounds verifying. `maximumConnection` bounds the rest: it runs
/// from connecting and starts again with each completed exchange, never with single octets, so a phone that
/// sends slowly or nothing at all loses its slot, and maintenance may take as many exchanges as it needs.
public enum LinkLife: ~Copyable {
    /// The gate is measuring; no exchange may take longer than until `idle`.
    case verifying(ProximityGate, idle: Instant)
    /// Frames go to the session.
    case open(idle: Instant)
    /// A message is being answered.
    case executing(idle: Instant)
    /// The host has been asked to end the link, or it has ended.
    case closing

    /// A link whose first exchange has to be complete at `idle`. Without a gate it is open at once.
    public init(gate: ProximityGate?, idle: Instant) {
        if let gate {
            self = .verifying(gate, idle: idle)
        } else {
            self = .open(idle: idle)
        }
    }

    /// What the link has come to.
    public enum Action: Equatable, Sendable {
        /// Nothing before `nextDeadline`.
        case wait
        /// Ask for the link's RSSI.
        case sample
        /// The phone is near: frames that were held go to the session. The median, in dBm.
        case open(median: Int8)
        /// The link is to be closed.
        case refuse(Refusal)
    }

    /// When `advance` has something to do next; nil while closing, where the host has the deadline.
    public var nextDeadline: Instant? {
        switch self {
        case .verifying(let gate, let idle): min(gate.nextDeadline, idle)
        case .open(let idle): idle
        case .executing(let idle): idle
        case .closing: nil
        }
    }

    /// Whether frames go to the session (true) or wait (false).
    public var isServed: Bool {
        switch self {
        case .open: true
        case .executing: true
        case .verifying: false
        case .closing: false
        }
    }

    /// Whether the link is on its way out.
    public var isClosing: Bool {
        switch self {
        case .closing: true
        case .verifying: false
        case .open: false
        case .executing: false
        }
    }

    /// Says what is due at `now`. After `.refuse` the link is closing.
    public mutating func advance(to now: Instant) -> Action {
        switch consume self {
        case .verifying(var gate, let idle):
            if now >= idle {
                self = .closing
                return .refuse(.idle)
            }
            switch gate.advance(to: now) {
            case .decided(let verdict):
                self = LinkLife(after: verdict, idle: idle)
                return Action(verdict)
            case .sample:
                self = .verifying(gate, idle: idle)
                return .sample
            case .wait:
                self = .verifying(gate, idle: idle)
                return .wait
            }
        case .open(let idle):
            if now >= idle {
                self = .closing
                return .refuse(.idle)
            }
            self = .open(idle: idle)
        case .executing(let idle):
            if now >= idle {
                self = .closing
                return .refuse(.idle)
            }
            self = .executing(idle: idle)
        case .closing:
            self = .closing
        }
        return .wait
    }

    /// Takes a measurement; it matters only while verifying.
    public mutating func receive(_ evidence: DistanceEvidence, at now: Instant) -> Action {
        switch consume self {
        case .verifying(var gate, let idle):
            if let verdict = gate.receive(evidence, at: now) {
                self = LinkLife(after: verdict, idle: idle)
                return Action(verdict)
            }
            self = .verifying(gate, idle: idle)
        case .open(let idle): self = .open(idle: idle)
        case .executing(let idle): self = .executing(idle: idle)
        case .closing: self = .closing
        }
        return .wait
    }

    /// The connection interval has changed.
    public mutating func connectionIntervalChanged(to interval: Duration) {
        switch consume self {
        case .verifying(var gate, let idle):
            gate.connectionIntervalChanged(to: interval)
            self = .verifying(gate, idle: idle)
        case .open(let idle): self = .open(idle: idle)
        case .executing(let idle): self = .executing(idle: idle)
        case .closing: self = .closing
        }
    }

    /// A message is being answered; the deadline stands.
    public mutating func exchangeBegan() {
        switch consume self {
        case .open(let idle): self = .executing(idle: idle)
        case .executing(let idle): self = .executing(idle: idle)
        case .verifying(let gate, let idle): self = .verifying(gate, idle: idle)
        case .closing: self = .closing
        }
    }

    /// The answer has left whole. If it completed an exchange, the deadline starts again as `nextIdle`; half of a
    /// handshake or a refusal does not earn that, and passes nil.
    public mutating func answerLeft(nextIdle: Instant?) {
        switch consume self {
        case .open(let idle): self = .open(idle: nextIdle ?? idle)
        case .executing(let idle): self = .open(idle: nextIdle ?? idle)
        case .verifying(let gate, let idle): self = .verifying(gate, idle: idle)
        case .closing: self = .closing
        }
    }

    /// The link is being closed.
    public mutating func close() {
        self = .closing
    }

    private init(after verdict: ProximityGate.Verdict, idle: Instant) {
        switch verdict {
        case .near: self = .open(idle: idle)
        case .windowEnded, .wellUnder: self = .closing
        }
    }
}

extension LinkLife.Action {
    init(_ verdict: ProximityGate.Verdict) {
        switch verdict {
        case .near(let median): self = .open(median: median)
        case .windowEnded(let median): self = .refuse(.tooFar(median: median))
        case .wellUnder(let last): self = .refuse(.wellUnder(last: last))
        }
    }
}
