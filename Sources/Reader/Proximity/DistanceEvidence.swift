// SPDX-License-Identifier: Apache-2.0

/// A measurement that indicates a phone's distance.
///
/// RSSI is the only kind. It is a convenience, not a proof: a relay can imitate it.
public enum DistanceEvidence: Equatable, Sendable {
    /// The signal strength of the phone's last packet at the controller, −126 to −1 dBm.
    case rssi(dBm: Int8)
}
