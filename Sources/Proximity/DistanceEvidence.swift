// SPDX-License-Identifier: Apache-2.0

/// A measurement that indicates a phone's distance.
///
/// RSSI is the only kind, with the power that the phone claims to transmit at. It is a convenience, not a proof: a
/// relay can imitate it.
public enum DistanceEvidence: Equatable, Sendable {
    /// The signal strength of the phone's last packet at the controller, −126 to −1 dBm, and the transmit power that
    /// its link layer has reported, −127 to 20 dBm; nil without a report.
    case rssi(dBm: Int8, transmitPower: Int8? = nil)

    /// The path loss in dB: the transmit power less the RSSI (as LE Path Loss Monitoring defines it); nil without a
    /// power.
    public var pathLoss: Int? {
        switch self {
        case .rssi(let dBm, let power): power.map { Int($0) - Int(dBm) }
        }
    }
}
