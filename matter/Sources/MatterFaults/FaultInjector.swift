// SPDX-License-Identifier: Apache-2.0

import MatterInteraction
public import MatterNode
import Timekeeping

extension MatterNode {
    /// The injected faults. Outcomes that a fault delays are sent even if it is removed.
    public var faults: MatterFaults {
        get { (interposer as? FaultInjector)?.faults ?? MatterFaults() }
        set {
            var injector = interposer as? FaultInjector ?? FaultInjector()
            injector.faults = newValue
            interposer = injector
        }
    }
}

/// Applies faults to a node's replies.
struct FaultInjector: NodeInterposer {
    /// An outcome that a fault delays.
    private struct DelayedOutcome {
        var due: Instant
        var ticket: CommandTicket
        var outcome: CommandOutcome
    }

    var faults = MatterFaults()
    private var delayed: [DelayedOutcome] = []
    /// The delays of outcomes that are not known yet; as many as commands wait for the network.
    private var delaysOfLater: [CommandTicket: Duration] = [:]
    private var notices: [String] = []

    mutating func takeNotices() -> [String] {
        defer { notices.removeAll() }
        return notices
    }

    // MARK: - The node

    var isOperational: Bool { !faults.isNeverOperational }

    mutating func dropsMessage(from accessor: Accessor) -> Bool {
        guard faults.isSilentAfterPASE, accessor.authentication == .pase else { return false }
        notices.append("silent after PASE")
        return true
    }

    mutating func dropsReport() -> Bool {
        guard faults.lostReports > 0 else { return false }
        faults.lostReports -= 1
        notices.append("report lost")
        return true
    }

    // MARK: - Fields

    mutating func sendsUnsignedErrorValue() -> Bool {
        guard faults.sendsUnsignedErrorValue else { return false }
        notices.append("unsigned error value")
        return true
    }

    mutating func changeAttestation(nonce: inout [UInt8]) {
        guard faults.spoilsAttestationNonce else { return }
        nonce[0] ^= 1
        notices.append("another nonce in the attestation elements")
    }

    mutating func changeRequest(signature: inout [UInt8]) {
        guard faults.spoilsCSRSignature else { return }
        signature[0] ^= 1
        notices.append("wrong signature of the CSR elements")
    }

    // MARK: - Commands

    private func reaction(to path: CommandPath) -> MatterFaults.Reaction? {
        faults.reactions[MatterFaults.Command(cluster: path.cluster, command: path.command)]
    }

    mutating func outcome(of path: CommandPath, named name: String) -> CommandOutcome? {
        switch reaction(to: path) {
        case .silence:
            notices.append("no answer to \(name)")
            return .unanswered
        case .refusal(let status):
            notices.append("\(name) refused")
            return .status(StatusInformation(status))
        default: return nil
        }
    }

    mutating func outcome(
        _ outcome: CommandOutcome, of path: CommandPath, named name: String, _ ticket: CommandTicket, at now: Instant
    ) -> CommandOutcome {
        guard case .delay(let time) = reaction(to: path) else { return outcome }
        notices.append("answer to \(name) delayed")
        if case .later = outcome {
            delaysOfLater[ticket] = time
        } else {
            delayed.append(DelayedOutcome(due: now + time, ticket: ticket, outcome: outcome))
        }
        return .later(ticket)
    }

    mutating func delays(_ outcome: CommandOutcome, _ ticket: CommandTicket, at now: Instant) -> Bool {
        guard let time = delaysOfLater.removeValue(forKey: ticket) else { return false }
        delayed.append(DelayedOutcome(due: now + time, ticket: ticket, outcome: outcome))
        return true
    }

    var deadline: Instant? { delayed.lazy.map(\.due).min() }

    mutating func takeDue(at now: Instant) -> [(CommandTicket, CommandOutcome)] {
        defer { delayed.removeAll { $0.due <= now } }
        return delayed.filter { $0.due <= now }.map { ($0.ticket, $0.outcome) }
    }
}
