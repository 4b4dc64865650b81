// SPDX-License-Identifier: Apache-2.0

/// The reason for refusing a `RevocationOrder`. The raw value is its name in machine-readable output.
public enum RevocationRefusal: String, CaseIterable, Sendable {
    /// The policy is being loaded, or was refused: phones open nothing.
    case policyUnknown = "policy-unknown"
    /// A revocation has `until`, and the clock is not set.
    case clockUnset = "clock-unset"
    /// The time of `until` has passed.
    case ended
    /// The blacklist has `credentials.blacklist-capacity` entries in force.
    case listFull = "list-full"
    /// The credential is not on the blacklist.
    case notRevoked = "not-revoked"
    /// The policy could not be written: a revocation is in force, and stored later; the end of one is not in force.
    case notKept = "not-kept"
}
