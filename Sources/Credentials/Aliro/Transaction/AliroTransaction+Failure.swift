// SPDX-License-Identifier: Apache-2.0

/// A failure of the transaction, with its message to the phone.
enum AliroFailure: Error {
    /// CONTROL FLOW, while there is no secure channel, or after a failure of the channel itself.
    case control(CardRefusal)
    /// A reader status over the channel.
    case status(AliroStatus, CardRefusal)
}

extension AliroTransaction {
    /// The refusal whose message is on its way to the phone.
    public var refusal: CardRefusal? {
        if case .dismissal(.refused(let refusal)) = state { refusal } else { nil }
    }

    /// True while the status or the failure is on its way to the phone.
    public var isConcluding: Bool {
        switch state {
        case .dismissal, .conclusion: true
        default: false
        }
    }

    /// CONTROL FLOW for a phone that has answered SELECT.
    public mutating func interrupt() -> [UInt8]? {
        switch state {
        case .idle, .selection, .dismissal, .conclusion, .ended: return nil
        default: break
        }
        guard case .transmit(let command) = dismiss(.unavailable) else { return nil }
        return command
    }

    mutating func refuse(_ failure: AliroFailure) -> CardStep {
        switch failure {
        case .control(let refusal): return dismiss(refusal)
        case .status(_, let refusal) where parameters.interface == .bluetooth: return end(.refused(refusal))
        case .status(let status, let refusal):
            guard let command = sealed(status.message) else { return dismiss(refusal) }
            state = .dismissal(.refused(refusal))
            return .transmit(command)
        }
    }

    mutating func dismiss(_ refusal: CardRefusal) -> CardStep { dismiss(with: .refused(refusal)) }

    /// Ends the transaction with CONTROL FLOW: failed (00), and the reason 00, or 27 for the version. Over Bluetooth LE
    /// the caller sends an error instead.
    mutating func dismiss(with outcome: CardOutcome) -> CardStep {
        guard parameters.interface == .nfc else { return end(outcome) }
        state = .dismissal(outcome)
        let reason: UInt8 = outcome == .refused(.version) ? 0x27 : 0x00
        return .transmit(
            exchange.begin(0x80, 0x3C, [0x41, 0x01, 0x00, 0x42, 0x01, reason], hasResponse: false))
    }

    /// EXCHANGE with this plaintext; nil without a channel.
    mutating func sealed(_ plaintext: [UInt8]) -> [UInt8]? {
        guard let message = try? channel?.seal(plaintext) else { return nil }
        return exchange.begin(0x80, 0xC9, message)
    }
}
