/// Something measured that speaks for a phone being near, or not.
///
/// RSSI is the kind there is today. It is convenience, not proof: a relay can imitate it.
public enum DistanceEvidence: Equatable, Sendable {
    /// The strength at which the controller last heard the phone, −126 to −1 dBm.
    case rssi(dBm: Int8)
}
