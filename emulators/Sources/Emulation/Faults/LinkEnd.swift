// SPDX-License-Identifier: Apache-2.0

/// The reason of a disconnection on command.
public enum LinkEnd: String, Equatable, Sendable, CaseIterable {
    /// 0x13, the user or the host has ended it.
    case user
    /// 0x05
    case authentication
    /// 0x14
    case lowResources = "low-resources"
    /// 0x15
    case powerOff = "power-off"
    /// 0x1A
    case unsupported
    /// 0x3B
    case parameters
    /// The device falls silent: apps see a supervision time-out, 0x08. All links end so, since the controller is reset.
    /// Some controllers terminate their links then, and apps see 0x15.
    case timeout

    /// The HCI reason, of those that HCI_Disconnect has (Core 5.4, Vol 4, Part E, 7.1.6); nil for silence.
    public var reason: UInt8? {
        switch self {
        case .authentication: 0x05
        case .user: 0x13
        case .lowResources: 0x14
        case .powerOff: 0x15
        case .unsupported: 0x1A
        case .parameters: 0x3B
        case .timeout: nil
        }
    }
}
