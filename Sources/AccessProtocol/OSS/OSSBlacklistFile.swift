// SPDX-License-Identifier: Apache-2.0

/// A refused credential and the end of its refusal: 16 octets of a blacklist file.
public struct OSSBlacklistEntry: Hashable, Sendable {
    /// The length of an entry in octets.
    public static let octetCount = OSSCredentialID.octetCount + OSSTimestamp.octetCount

    /// The credential.
    public var credentialID: OSSCredentialID
    /// The last minute of the refusal, after which the credential has expired by itself; unset is unlimited.
    public var expiresAt: OSSTimestamp

    /// An entry with these parts.
    public init(credentialID: OSSCredentialID, expiresAt: OSSTimestamp) {
        self.credentialID = credentialID
        self.expiresAt = expiresAt
    }
}

/// The blacklist file of an OSS Standard Offline credential: a count, and that many entries (access protocol, 7).
public struct OSSBlacklistFile: Equatable, Sendable {
    /// The maximum number of entries over the air: 257 octets.
    public static let mobileLimit = 16

    /// The entries.
    public var entries: [OSSBlacklistEntry]

    /// A file with these entries.
    public init(entries: [OSSBlacklistEntry] = []) {
        self.entries = entries
    }

    /// Reads a file from all of `bytes`; an empty file has no entries.
    ///
    /// - Throws: −250 for a count above `maximum`, −200 and −233 for an invalid entry, −6 for a truncated file, −32
    ///   for surplus octets.
    public init(decoding bytes: Span<UInt8>, maximum: Int) throws(StatusCode) {
        entries = []
        guard !bytes.isEmpty else { return }
        var reader = OSSFileReader(bytes)
        let count = Int(try reader.u8(bytes))
        guard count <= maximum else { throw .tooManyBlacklistEntries }
        for _ in 0..<count {
            let credentialID = try OSSCredentialID(&reader, bytes)
            entries.append(OSSBlacklistEntry(credentialID: credentialID, expiresAt: try OSSTimestamp(&reader, bytes)))
        }
        try reader.finish(bytes)
    }

    /// Requires that `bytes` is empty or has the length that its count implies. The entries are not read.
    ///
    /// - Throws: −6 for a truncated file, −32 for surplus octets.
    public static func checkLength(_ bytes: Span<UInt8>) throws(StatusCode) {
        guard !bytes.isEmpty else { return }
        let end = 1 + Int(bytes[0]) * OSSBlacklistEntry.octetCount
        guard end <= bytes.count else { throw .endOfFile }
        try OSSFileReader(bytes, at: end).finish(bytes)
    }

    /// Appends the file.
    ///
    /// - Throws: −250 for more than 255 entries.
    public func append(to octets: inout [UInt8]) throws(StatusCode) {
        guard let count = UInt8(exactly: entries.count) else { throw .tooManyBlacklistEntries }
        octets.append(count)
        for entry in entries {
            entry.credentialID.append(to: &octets)
            entry.expiresAt.append(to: &octets)
        }
    }
}
