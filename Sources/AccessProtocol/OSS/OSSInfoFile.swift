/// What kind of credential an info file is of: one octet.
public struct OSSCredentialType: RawRepresentable, Hashable, Sendable {
    /// The octet.
    public let rawValue: UInt8

    /// The type with this octet.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A credential of the standard.
    public static let standard = OSSCredentialType(rawValue: 0x00)
    /// A medium of the fire brigade and the like, which opens every door.
    public static let interventionMedia = OSSCredentialType(rawValue: 0x01)

    /// Whether a manufacturer has defined it for itself (bit 7); its code is in the other bits.
    public var isProprietary: Bool { rawValue & 0x80 != 0 }
}

/// The info file of an OSS Standard Offline credential, 15 octets (access protocol, 7).
public struct OSSInfoFile: Equatable, Sendable {
    /// How many octets its contents have.
    public static let octetCount = 15
    /// The size a card rounds the file up to, with zeros. It has no other size: the file says nothing of its own
    /// length, and what follows it in the signed octets is the data file.
    public static let paddedCount = 32
    /// The major version that this reads, and all below.
    public static let majorVersion: UInt8 = 1

    /// The major version.
    public var major: UInt8
    /// The minor version; a higher one is read just the same.
    public var minor: UInt8
    /// The credential's type.
    public var type: OSSCredentialType
    /// The credential's name.
    public var credentialID: OSSCredentialID
    /// How many events the event file has room for.
    public var maximumEvents: UInt8
    /// How many entries the blacklist file has room for.
    public var maximumBlacklistEntries: UInt8

    /// An info file of version 1.1.
    public init(
        major: UInt8 = OSSInfoFile.majorVersion, minor: UInt8 = 1, type: OSSCredentialType = .standard,
        credentialID: OSSCredentialID, maximumEvents: UInt8 = 0, maximumBlacklistEntries: UInt8 = 16
    ) {
        (self.major, self.minor, self.type, self.credentialID) = (major, minor, type, credentialID)
        (self.maximumEvents, self.maximumBlacklistEntries) = (maximumEvents, maximumBlacklistEntries)
    }

    /// Reads the file that is all of `bytes`. Throws −230 for a major version above 1, whatever follows; −200 for the
    /// name, −6 for a file that is cut, −32 for octets too many.
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

    /// The name in an info file of either kind, whatever else is in it; nil if there is none. For the record of an
    /// attempt: it proves nothing.
    public static func claimedID(_ bytes: Span<UInt8>) -> OSSCredentialID? {
        guard bytes.count >= 13 else { return nil }
        return try? OSSCredentialID(octets: bytes.extracting(3..<13))
    }
}

/// The info file of an OSS Secure Identifier credential, 13 octets (access protocol, 7).
public struct OSSSecureIdentifierFile: Equatable, Sendable {
    /// How many octets its contents have.
    public static let octetCount = 13
    /// The size a card rounds the file up to, with zeros. It has no other size.
    public static let paddedCount = 32
    /// The major version that this reads, and all below.
    public static let majorVersion: UInt8 = 1

    /// The major version.
    public var major: UInt8
    /// The minor version; a higher one is read just the same.
    public var minor: UInt8
    /// The credential's type.
    public var type: OSSCredentialType
    /// The credential's name.
    public var credentialID: OSSCredentialID

    /// An info file of version 1.0.
    public init(
        major: UInt8 = OSSSecureIdentifierFile.majorVersion, minor: UInt8 = 0, type: OSSCredentialType = .standard,
        credentialID: OSSCredentialID
    ) {
        (self.major, self.minor, self.type, self.credentialID) = (major, minor, type, credentialID)
    }

    /// Reads the file that is all of `bytes`. Throws −280 for a major version above 1, whatever follows; −200 for the
    /// name, −6 for a file that is cut, −32 for octets too many.
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
