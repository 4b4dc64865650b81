// SPDX-License-Identifier: Apache-2.0

/// A status or reason code of HCI (Core 5.4, Vol 1, Part F).
public struct HCIStatus: RawRepresentable, Hashable, Sendable {
    /// The code as the controller sends it.
    public var rawValue: UInt8
    /// The status with this code, known or not.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Success.
    public static let success = HCIStatus(rawValue: 0x00)
    /// Unknown HCI command.
    public static let unknownCommand = HCIStatus(rawValue: 0x01)
    /// Unknown connection.
    public static let unknownConnection = HCIStatus(rawValue: 0x02)
    /// Hardware failure.
    public static let hardwareFailure = HCIStatus(rawValue: 0x03)
    /// Authentication failure.
    public static let authenticationFailure = HCIStatus(rawValue: 0x05)
    /// Connection timeout.
    public static let connectionTimeout = HCIStatus(rawValue: 0x08)
    /// Connection limit exceeded.
    public static let connectionLimitExceeded = HCIStatus(rawValue: 0x09)
    /// Command disallowed.
    public static let commandDisallowed = HCIStatus(rawValue: 0x0C)
    /// Limited resources.
    public static let limitedResources = HCIStatus(rawValue: 0x0D)
    /// Unsupported feature.
    public static let unsupportedFeature = HCIStatus(rawValue: 0x11)
    /// Invalid parameters.
    public static let invalidParameters = HCIStatus(rawValue: 0x12)
    /// Remote user terminated.
    public static let remoteUserTerminated = HCIStatus(rawValue: 0x13)
    /// Remote low resources.
    public static let remoteLowResources = HCIStatus(rawValue: 0x14)
    /// Remote power off.
    public static let remotePowerOff = HCIStatus(rawValue: 0x15)
    /// Local host terminated.
    public static let localHostTerminated = HCIStatus(rawValue: 0x16)
    /// Unsupported remote feature: the peer does not support the procedure.
    public static let unsupportedRemoteFeature = HCIStatus(rawValue: 0x1A)
    /// Unspecified error; also used by the host for an answer that is missing or invalid.
    public static let unspecifiedError = HCIStatus(rawValue: 0x1F)
    /// Unacceptable connection parameters.
    public static let unacceptableConnectionParameters = HCIStatus(rawValue: 0x3B)
    /// Message integrity check failure.
    public static let micFailure = HCIStatus(rawValue: 0x3D)
    /// Connection failed to be established.
    public static let connectionFailedToBeEstablished = HCIStatus(rawValue: 0x3E)
    /// Unknown advertising identifier.
    public static let unknownAdvertisingIdentifier = HCIStatus(rawValue: 0x42)
    /// Limit reached.
    public static let limitReached = HCIStatus(rawValue: 0x43)
}
