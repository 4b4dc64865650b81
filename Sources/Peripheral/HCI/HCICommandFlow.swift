// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// The flow control of commands, of which at most one is pending (Core 5.4, Vol 4, Part E, 4.4).
///
/// Each answer contains the number of commands that the controller accepts. After 0, no command is sent until the next
/// number, or until the time-out of a command. An optional command is given up earlier; its credit is not.
struct HCICommandFlow {
    /// The purpose of a command.
    enum Purpose: Equatable {
        /// A step of the start.
        case bringUp(BringUp.Step)
        /// A command of the advertiser.
        case advertising
        /// The power of the legacy advertiser.
        case transmitPower
        /// The end of a link.
        case disconnect(LinkID)
        /// The end of a connection without a place in the link table.
        case rejected(handle: UInt16)
        /// The answer to a request for a long-term key.
        case keyReply(handle: UInt16)
        /// A longer maximum data length of a link.
        case dataLength
        /// Another connection interval of a link.
        case interval(LinkID)
        /// A link's RSSI.
        case rssi(LinkID, handle: UInt16)
        /// The verification of an enabled advertising set; `isKnown` if the command has shown that the set is on.
        case advertisingReview(isKnown: Bool)
        /// The verification of a value that the host has set; `isKnown` if the controller has returned it before.
        case settingReview(isKnown: Bool)
        /// The verification of a link's handle.
        case linkReview(LinkID, handle: UInt16, isAnsweredByStatus: Bool)
        /// The event mask that the controller should have, again.
        case eventMask
        /// The LE event mask that the controller should have, again.
        case leEventMask
        /// Reports of transmit power in the event mask.
        case powerEvents
        /// Reports of changes of a central's transmit power.
        case powerReports(LinkID)
        /// A central's transmit power.
        case remotePower(LinkID)

        /// The handle whose RSSI may be read by the command.
        var handleOfReading: UInt16? {
            switch self {
            case .rssi(_, let handle), .linkReview(_, let handle, _): handle
            default: nil
            }
        }

        /// True if Command Status is the answer to the command, successful or not.
        var isAnsweredByStatus: Bool {
            switch self {
            case .disconnect, .rejected, .interval, .remotePower: true
            case .linkReview(_, _, let isAnsweredByStatus): isAnsweredByStatus
            case .bringUp, .advertising, .transmitPower, .keyReply, .dataLength, .rssi, .advertisingReview,
                .settingReview, .eventMask, .leEventMask, .powerEvents, .powerReports:
                false
            }
        }

        /// True if the host continues without an answer.
        var isOptional: Bool {
            switch self {
            case .bringUp(let step): !BringUp.isNecessary(step)
            case .advertisingReview(let isKnown), .settingReview(let isKnown): !isKnown
            case .transmitPower, .dataLength, .interval, .rssi, .linkReview, .powerEvents, .powerReports, .remotePower:
                true
            case .advertising, .disconnect, .rejected, .keyReply, .eventMask, .leEventMask: false
            }
        }
    }

    /// A command that has not been answered.
    struct Pending: Equatable {
        var opcode: HCIOpcode
        var purpose: Purpose
        var deadline: Instant
        /// The time from which another command may be sent without an answer.
        var creditDeadline: Instant
    }

    private(set) var pending: Pending?
    private var credits = 1
    private var stalledAt: Instant?

    /// True if a command may be sent.
    var isReady: Bool { pending == nil && credits > 0 }

    /// The deadline of `overdue`.
    var deadline: Instant? { pending?.deadline ?? stalledAt }

    /// Returns to the initial state: Reset may be sent without credits.
    mutating func reset() {
        pending = nil
        credits = 1
        stalledAt = nil
    }

    /// A command has been sent. Precondition: `isReady`.
    mutating func sent(_ opcode: HCIOpcode, for purpose: Purpose, deadline: Instant, creditDeadline: Instant) {
        pending = Pending(opcode: opcode, purpose: purpose, deadline: deadline, creditDeadline: creditDeadline)
        credits -= 1
    }

    /// Handles the number of commands that the controller accepts.
    mutating func setCredits(_ count: UInt8, at now: Instant, timeout: Duration) {
        credits = Int(count)
        if credits > 0 {
            stalledAt = nil
        } else if stalledAt == nil {
            stalledAt = now + timeout
        }
    }

    /// Completes the pending command if it has this opcode. Other answers are late, repeated or unsolicited, and are
    /// ignored.
    mutating func answered(_ opcode: UInt16) -> Purpose? {
        guard let pending, pending.opcode.rawValue == opcode else { return nil }
        self.pending = nil
        return pending.purpose
    }

    /// Removes and returns the pending command after its time-out. The next command may be sent with the credit of a
    /// late answer, or after the time for it: some controllers never answer an unknown command, or never give a credit
    /// again.
    mutating func overdue(at now: Instant) -> Pending? {
        guard let deadline, now >= deadline else { return nil }
        guard let pending, credits == 0, now < pending.creditDeadline else {
            defer { reset() }
            return pending
        }
        self.pending = nil
        stalledAt = pending.creditDeadline
        return pending
    }
}
