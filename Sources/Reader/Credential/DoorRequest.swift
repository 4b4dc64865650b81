/// What a decision asks of the door.
public enum DoorRequest: Hashable, Sendable {
    /// Unlock for the pulse.
    case pulse
    /// Unlock for the extended time.
    case extended
    /// Unlock until the next toggle, or secure again.
    case toggle
    /// Show a refusal.
    case deny
}

/// What the door is to do for `decision`. A credential that cannot be read is shown as refused too.
public func doorRequest(for decision: CredentialDecision) -> DoorRequest {
    switch decision.outcome {
    case .granted(.defaultTime): .pulse
    case .granted(.extendedTime): .extended
    case .granted(.toggle): .toggle
    case .denied, .failed: .deny
    }
}
