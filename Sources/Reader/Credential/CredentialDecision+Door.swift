// SPDX-License-Identifier: Apache-2.0

/// Returns the door request for `decision`; nil for a refusal: a denial, or a credential that could not be read.
///
/// A toggle is office mode. Its direction is part of the decision, so that the record and the door agree.
public func doorRequest(for decision: CredentialDecision) -> DoorRequest? {
    switch decision.outcome {
    case .granted(.defaultTime): .pulse
    case .granted(.extendedTime): .extended
    case .granted(.toggle(let secures)): secures ? .officeOff : .officeOn
    case .denied, .failed: nil
    }
}

extension CredentialDecision.Denial {
    /// The door's reason; nil for a request that was carried out.
    public init?(_ verdict: DoorVerdict) {
        switch verdict {
        case .done: return nil
        case .inactive: self = .doorInactive
        case .lockdown: self = .lockdown
        case .tampered: self = .tampered
        case .lockedOut: self = .lockedOut
        case .leftToPanel: self = .leftToPanel
        }
    }
}

extension CredentialDecision {
    /// Applies the door's verdict on the request: a request that the door refuses becomes a denial.
    public mutating func apply(_ verdict: DoorVerdict) {
        guard let denial = Denial(verdict) else { return }
        outcome = .denied(denial)
        scheduleEnd = nil
    }
}
