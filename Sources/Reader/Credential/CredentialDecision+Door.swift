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

extension CredentialDecision {
    /// Applies the door's verdict on the request: a request that the door refuses becomes a denial.
    public mutating func apply(_ verdict: DoorVerdict) {
        switch verdict {
        case .done: return
        case .inactive: outcome = .denied(.doorInactive)
        case .lockdown: outcome = .denied(.lockdown)
        case .tampered: outcome = .denied(.tampered)
        case .lockedOut: outcome = .denied(.lockedOut)
        case .leftToPanel: outcome = .denied(.leftToPanel)
        }
        scheduleEnd = nil
    }
}
