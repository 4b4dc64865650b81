/// What the door is to do for `decision`; nil if it is to show a refusal. A credential that cannot be read is shown as
/// refused too.
///
/// A toggle is office mode; which way is decided with the credential, so that the record and the door agree.
public func doorRequest(for decision: CredentialDecision) -> DoorRequest? {
    switch decision.outcome {
    case .granted(.defaultTime): .pulse
    case .granted(.extendedTime): .extended
    case .granted(.toggle(let secures)): secures ? .officeOff : .officeOn
    case .denied, .failed: nil
    }
}

extension CredentialDecision {
    /// What came of the door's request. The door has the last word: what it does not do was not granted.
    public mutating func take(_ verdict: DoorVerdict) {
        switch verdict {
        case .done: return
        case .inactive: outcome = .denied(.doorInactive)
        case .lockdown: outcome = .denied(.lockdown)
        case .tampered: outcome = .denied(.tampered)
        case .lockedOut: outcome = .denied(.lockedOut)
        }
        scheduleEnd = nil
    }
}
