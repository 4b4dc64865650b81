// SPDX-License-Identifier: Apache-2.0

/// The state of an input (osdp_ISTATR, 7.7). 0x80 to 0xFF are makers' own.
public struct OSDPInputState: RawRepresentable, Hashable, Sendable {
    /// The octet on the wire.
    public let rawValue: UInt8

    /// The state with this octet.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The state of a contact whose wires are not supervised.
    public init(isActive: Bool) { self = isActive ? .active : .inactive }

    /// At rest.
    public static let inactive = OSDPInputState(rawValue: 0)
    /// Not at rest, as of an open door.
    public static let active = OSDPInputState(rawValue: 1)
    /// The wires touch.
    public static let short = OSDPInputState(rawValue: 2)
    /// A wire is cut.
    public static let open = OSDPInputState(rawValue: 3)
    /// The resistance does not match any state.
    public static let fault = OSDPInputState(rawValue: 4)
    /// Not yet known.
    public static let unknown = OSDPInputState(rawValue: 5)

    /// The state in words; the number of a state that the standard does not define.
    public var text: String {
        switch self {
        case .inactive: "off"
        case .active: "on"
        case .short: "short circuit"
        case .open: "open circuit"
        case .fault: "fault"
        case .unknown: "unknown"
        default: rawValue < 0x80 ? "reserved state \(rawValue)" : "private state \(rawValue)"
        }
    }
}
