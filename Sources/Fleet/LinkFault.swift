// SPDX-License-Identifier: Apache-2.0

/// A fault of the link to a fleet. The reader reports it under this name with the prefix `link-`.
public enum LinkFault: String, CaseIterable, Comparable, Sendable {
    /// The broker's name has no address, or the look-up does not end.
    case unresolved
    /// The broker does not accept connections.
    case unreachable
    /// The connection has broken off, or the broker is silent.
    case lost
    /// The broker's certificate is for another name.
    case certificateName = "certificate-name"
    /// The broker's certificate is not valid yet, or no longer.
    case certificateTime = "certificate-time"
    /// The broker's certificate is not from a known authority.
    case certificateUntrusted = "certificate-untrusted"
    /// The broker refuses this reader.
    case refused
    /// The own certificate or key cannot be used.
    case identity
    /// The own certificate expires soon, or its renewed files do not connect.
    case ownCertificate = "own-certificate"
    /// The broker does not speak MQTT 5.
    case oldProtocol = "old-protocol"
    /// The broker violates MQTT 5, or claims that the link does.
    case violation = "broker-protocol"
    /// A limit of the broker is below the needs of the link.
    case limit = "broker-limit"
    /// Another client has the same identity, and each takes over the other's session.
    case identityTwice = "identity-twice"
    /// No back end confirms the events.
    case undelivered
    /// The broker refuses a state, the presence, the discovery, or a subscription that the link can do without.
    case unpublished
    /// Events were deleted from the log before they were delivered.
    case gap

    /// True for a fault that prevents a connection. Only one is reported at a time.
    public var preventsConnection: Bool {
        switch self {
        case .ownCertificate, .identityTwice, .undelivered, .unpublished, .gap: false
        default: true
        }
    }

    /// True for a fault that the files of the own identity may cause.
    var isOfIdentity: Bool {
        switch self {
        case .certificateName, .certificateUntrusted, .refused, .identity: true
        default: false
        }
    }

    /// The order of the names.
    public static func < (left: LinkFault, right: LinkFault) -> Bool { left.rawValue < right.rawValue }
}
