import Timekeeping

/// One command at a time towards the controller (Core 5.4, Vol 4, Part E, 4.4).
///
/// The controller says with each answer how many commands it takes; 0 is respected until it says otherwise, but not
/// for longer than a command may take.
struct HCICommandFlow {
    /// What a command was for.
    enum Purpose: Equatable {
        /// A step of the start.
        case bringUp(BringUp.Step)
        /// What the advertiser had in flight.
        case advertising
        /// The power of the legacy advertiser.
        case transmitPower
        /// The end of a link.
        case disconnect(LinkID)
        /// The end of a connection that has no place in the link table.
        case rejected(handle: UInt16)
        /// The answer to a request for a key, for a link with this handle.
        case keyReply(handle: UInt16)
        /// Longer data PDUs for a link.
        case dataLength
        /// Another interval for a link.
        case interval(LinkID)
        /// A link's RSSI.
        case rssi(LinkID, handle: UInt16)

        /// Whether the host does without, if there is no answer.
        var isOptional: Bool {
            switch self {
            case .bringUp(let step): !BringUp.isNecessary(step)
            case .transmitPower, .dataLength, .interval, .rssi: true
            case .advertising, .disconnect, .rejected, .keyReply: false
            }
        }
    }

    /// A command that has not been answered.
    struct Pending: Equatable {
        var opcode: HCIOpcode
        var purpose: Purpose
        var deadline: Instant
    }

    private(set) var pending: Pending?
    private var credits = 1
    private var stalledAt: Instant?

    /// Whether a command may be sent.
    var isReady: Bool { pending == nil && credits > 0 }

    /// When `overdue` is to be called.
    var deadline: Instant? { pending?.deadline ?? stalledAt }

    /// Forgets everything: a reset may be sent whatever the controller has said.
    mutating func reset() {
        pending = nil
        credits = 1
        stalledAt = nil
    }

    /// A command has been sent. Precondition: `isReady`.
    mutating func sent(_ opcode: HCIOpcode, for purpose: Purpose, deadline: Instant) {
        pending = Pending(opcode: opcode, purpose: purpose, deadline: deadline)
        credits -= 1
    }

    /// The controller takes this many commands now.
    mutating func allowed(_ count: UInt8, at now: Instant, patience: Duration) {
        credits = Int(count)
        if credits > 0 {
            stalledAt = nil
        } else if stalledAt == nil {
            stalledAt = now + patience
        }
    }

    /// The command in flight, if it has this number; it is answered then. An answer to anything else is late, sent
    /// twice or unasked, and changes nothing.
    mutating func answered(_ opcode: HCIOpcode) -> Purpose? {
        guard let pending, pending.opcode == opcode else { return nil }
        self.pending = nil
        return pending.purpose
    }

    /// The command that has not been answered in time. It is forgotten, and the controller is taken to be ready for the
    /// next one: some never answer what they do not know, or do not allow a command again.
    mutating func overdue(at now: Instant) -> Pending? {
        guard let deadline, now >= deadline else { return nil }
        defer { reset() }
        return pending
    }
}
