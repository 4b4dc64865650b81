// SPDX-License-Identifier: Apache-2.0

/// An advertising mode of the reader. The mode that a phone connected by decides how its link is treated.
public enum AdvertisingMode: String, CaseIterable, Hashable, Sendable {
    /// The older generation's packet, manual operation: service 00005301-0000-….
    case classic
    /// The older generation's packet, hands-free operation: service 00005301-0010-….
    case onTouch = "on-touch"
    /// The newer generation's packet: service FCBA.
    case access
    /// The newer generation's packet in iBeacon form.
    case accessIBeacon = "access-ibeacon"
    /// The packet of PKOC readers: service FFF0.
    case pkoc
    /// The packet of Aliro readers: service FFF2, with a tag that phones of the group recognize.
    case aliro

    /// The modes whose phones speak the access profile.
    public static let ofAccessProfile = allCases.filter(\.isOfAccessProfile)

    /// True for the modes whose phones speak the access profile.
    public var isOfAccessProfile: Bool { self != .pkoc && self != .aliro }
}
