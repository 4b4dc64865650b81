// SPDX-License-Identifier: Apache-2.0

/// The type of credential in an info file: one octet.
public struct OSSCredentialType: RawRepresentable, Hashable, Sendable {
    /// The octet.
    public let rawValue: UInt8

    /// The type with this octet.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A standard credential.
    public static let standard = OSSCredentialType(rawValue: 0x00)
    /// An intervention medium, for the fire brigade and the like, which opens every door.
    public static let interventionMedia = OSSCredentialType(rawValue: 0x01)
}

/// The info file of an OSS Standard Offline credential, 15 octets (access protocol, 7).
public struct OSSInfoFile: Equatable, Sendable {
    /// The length of the contents in octets.
    public static let octetCount = 15
    /// The size to which a card pads the file with zeros. No other size is valid: the file does not contain its own
    /// length, and the data file follows it in the signed octets.
    public static let paddedCount = 32
    /// The highest major version supported.
    public static let majorVersion: UInt8 = 1

    /// The major version.
    public var major: UInt8
    /// The minor version; higher ones are read as well.
    public var minor: UInt8
    /// The credential's type.
    public var type: OSSCredentialType
    /// The credential's identifier.
    public var credentialID: OSSCredentialID
    /// The maximum number of entries in the event file.
    public var maximumEvents: UInt8
    /// The maximum number of entries in the blacklist file.
    public var maximumBlacklistEntries: UInt8

    /// An info file of version 1.1.
    public init(
        major: UInt8 = OSSInfoFile.majorVersion, minor: UInt8 = 1, type: OSSCredentialType = .standard,
        credentialID: OSSCredentialID, maximumEvents: UInt8 = 0, maximumBlacklistEntries: UInt8 = 16
    ) {
        (self.major, self.minor, self.type, self.credentialID) = (major, minor, type, credentialID)
        (self.maximumEvents, self.maximumBlacklistEntries) = (maximumEvents, maximumBlacklistEntries)
    }

    /// Reads a file from all of `bytes`.
    ///
    /// - Throws: −230 for a major version above 1, which is checked first; −200 for the identifier, −6 for a
    ///   truncated file, −32 for surplus octets.
    public init(decoding bytes: Span<UInt8>) throws(StatusCode) {
        var reader = OSSFileReader(bytes)
        major = try reader.u8(bytes)
        guard major <= OSSInfoFile.majorVersion else { throw .standardOfflineMajorVersion }
        minor = try reader.u8(bytes)
        type = OSSCredentialType(rawValue: try reader.u8(bytes))
        credentialID = try OSSCredentialID(&reader, bytes)
        maximumEvents = try reader.u8(bytes)
        maximumBlacklistEntries = try reader.u8(bytes)
        guard bytes.count == OSSInfoFile.octetCount || bytes.count == OSSInfoFile.paddedCount else { throw .decode }
        try reader.finish(bytes)
    }

    /// Appends the 15 octets.
    public func append(to octets: inout [UInt8]) {
        octets += [major, minor, type.rawValue]
        credentialID.append(to: &octets)
        octets += [maximumEvents, maximumBlacklistEntries]
    }

    /// The identifier in an info file of either kind, regardless of the other octets; nil if there is none. For the
    /// record of an attempt: it proves nothing.
    public static func claimedID(_ bytes: Span<UInt8>) -> OSSCredentialID? {
        guard bytes.count >= 13 else { return nil }
        return try? OSSCredentialID(octets: bytes.extracting(3..<13))
    }
}

/// The info file of an OSS Secure Identifier credential, 13 octets (access protocol, 7).
public struct OSSSecureIdentifierFile: Equatable, Sendable {
    /// The length of the contents in octets.
    public static let octetCount = 13
    /// The size to which a card pads the file with zeros. No other size is valid.
    public static let paddedCount = 32
    /// The highest major version supported.
    public static let majorVersion: UInt8 = 1

    /// The major version.
    public var major: UInt8
    /// The minor version; higher ones are read as well.
    public var minor: UInt8
    /// The credential's type.
    public var type: OSSCredentialType
    /// The credential's identifier.
    public var credentialID: OSSCredentialID

    /// An info file of version 1.0.
    public init(
        major: UInt8 = OSSSecureIdentifierFile.majorVersion, minor: UInt8 = 0, type: OSSCredentialType = .standard,
        credentialID: OSSCredentialID
    ) {
        (self.major, self.minor, self.type, self.credentialID) = (major, minor, type, credentialID)
    }

    /// Reads a file from all of `bytes`.
    ///
    /// - Throws: −280 for a major version above 1, which is checked first; −200 for the identifier, −6 for a
    ///   truncated file, −32 for surplus octets.
    public init(decoding bytes: Span<UInt8>) throws(StatusCode) {
        var reader = OSSFileReader(bytes)
        major = try reader.u8(bytes)
        guard major <= OSSSecureIdentifierFile.majorVersion else { throw .siteIDMajorVersion }
        minor = try reader.u8(bytes)
        type = OSSCredentialType(rawValue: try reader.u8(bytes))
        credentialID = try OSSCredentialID(&reader, bytes)
        guard [OSSSecureIdentifierFile.octetCount, OSSSecureIdentifierFile.paddedCount].contains(bytes.count) else {
            throw .decode
        }
        try reader.finish(bytes)
    }

    /// Appends the 13 octets.
    public func append(to octets: inout [UInt8]) {
        octets += [major, minor, type.rawValue]
        credentialID.append(to: &octets)
    }
}
