// SPDX-License-Identifier: Apache-2.0

public import Proximity
public import Timekeeping

/// The state of one link: verifying → open → closing, or surveyed → closing during a site survey. While a link is open,
/// its session executes or waits.
///
/// Every state has a deadline. The window of the gate bounds verifying. `maximumConnection` bounds the rest: it runs
/// from connecting and starts again with each completed exchange, never with single octets. A phone that sends slowly
/// or nothing loses its slot, and maintenance may take any number of exchanges.
public enum AccessLinkState {
    /// The gate is measuring; no exchange may take longer than until `idle`.
    case verifying(ProximityGate, idle: Instant)
    /// Messages go to the session.
    case open(idle: Instant)
    /// A site survey measures the link until `idle`. No message goes to the session, and no reading opens the link.
    case surveyed(idle: Instant)
    /// The end of the link was requested, or it has ended.
    case closing

    /// The state of a new link, whose first exchange has to be complete at `idle`. Without a gate it is open.
    public init(gate: ProximityGate?, idle: Instant) {
        if let gate {
            self = .verifying(gate, idle: idle)
        } else {
            self = .open(idle: idle)
        }
    }

    /// The consequence of an input.
    public enum Action: Equatable, Sendable {
        /// Nothing before `nextDeadline`.
        case wait
        /// Request the link's RSSI.
        case sample
        /// The phone is near: held frames go to the session. The median, in dBm.
        case open(median: Int8)
        /// Close the link.
        case refuse(Refusal)
    }

    /// The next time at which `advance` has work; nil while closing, where the transport has the deadline.
    public var nextDeadline: Instant? {
        switch self {
        case .verifying(let gate, let idle): min(gate.nextDeadline, idle)
        case .open(let idle): idle
        case .surveyed(let idle): idle
        case .closing: nil
        }
    }

    /// True if messages go to the session.
    public var isServed: Bool { if case .open = self { true } else { false } }

    /// True while the gate is measuring.
    public var isVerifying: Bool { if case .verifying = self { true } else { false } }

    /// True if the link is closing or has ended.
    public var isClosing: Bool { if case .closing = self { true } else { false } }

    /// True if the link's time is over, although `advance` was not called yet: what comes now may have waited, as while
    /// the process was stopped, and is not served.
    public func isOver(at now: Instant) -> Bool {
        switch self {
        case .verifying(_, let idle), .open(let idle), .surveyed(let idle): now >= idle
        case .closing: true
        }
    }

    /// Handles the deadlines reached at `now`. After `.refuse` the link is closing.
    public mutating func advance(to now: Instant) -> Action {
        switch self {
        case .verifying(var gate, let idle) where now < idle:
            switch gate.advance(to: now) {
            case .decided(let verdict): return decide(verdict, idle: idle)
            case .sample:
                self = .verifying(gate, idle: idle)
                return .sample
            case .wait:
                self = .verifying(gate, idle: idle)
                return .wait
            }
        case .open(let idle) where now < idle: return .wait
        case .surveyed(let idle):
            guard now >= idle else { return .wait }
            self = .closing
            return .refuse(.surveyed)
        case .closing: return .wait
        case .verifying, .open:
            self = .closing
            return .refuse(.idle)
        }
    }

    /// Handles a measurement, which has an effect only while verifying.
    public mutating func receive(_ evidence: DistanceEvidence, at now: Instant) -> Action {
        guard case .verifying(var gate, let idle) = self else { return .wait }
        if let verdict = gate.receive(evidence, at: now) { return decide(verdict, idle: idle) }
        self = .verifying(gate, idle: idle)
        return .wait
    }

    /// Adapts the gate's pace to a new connection interval.
    public mutating func connectionIntervalChanged(to interval: Duration) {
        guard case .verifying(var gate, let idle) = self else { return }
        gate.connectionIntervalChanged(to: interval)
        self = .verifying(gate, idle: idle)
    }

    /// Starts the deadline of an open link again, after a completed exchange.
    public mutating func renew(idle: Instant) {
        if isServed { self = .open(idle: idle) }
    }

    /// Moves the deadline of an open link back.
    mutating func extend(to idle: Instant) {
        if case .open(let present) = self { self = .open(idle: max(present, idle)) }
    }

    /// Brings the deadline of a link forward.
    mutating func shorten(to idle: Instant) {
        switch self {
        case .verifying(let gate, let present): self = .verifying(gate, idle: min(present, idle))
        case .open(let present): self = .open(idle: min(present, idle))
        case .surveyed, .closing: break
        }
    }

    /// Closes the link.
    public mutating func close() {
        self = .closing
    }

    private mutating func decide(_ verdict: ProximityGate.Verdict, idle: Instant) -> Action {
        switch verdict {
        case .near: self = .open(idle: idle)
        case .windowEnded, .wellUnder, .pathLoss: self = .closing
        }
        return Action(verdict)
    }
}

extension AccessLinkState.Action {
    init(_ verdict: ProximityGate.Verdict) {
        switch verdict {
        case .near(let median): self = .open(median: median)
        case .windowEnded(let median): self = .refuse(.tooFar(median: median))
        case .wellUnder(let last): self = .refuse(.wellUnder(last: last))
        case .pathLoss(let median?): self = .refuse(.pathLoss(median: median))
        case .pathLoss(nil): self = .refuse(.powerUnknown)
        }
    }
}
