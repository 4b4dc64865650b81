// SPDX-License-Identifier: Apache-2.0

internal import CBOR
internal import Fleet
internal import Octets

/// The desired state in force, as it is kept with the blacklist in one generation of the policy.
struct DesiredRecord: Equatable, Sendable {
    /// The name of the setting.
    static let setting = "desired-state"
    private static let format: UInt8 = 1

    /// The version of the state.
    var version: UInt64
    /// The SHA-256 of the digests of its chunks.
    var digest: [UInt8]
    /// Its settings.
    var settings: DesiredSettings

    /// A record with these parts.
    init(version: UInt64, digest: [UInt8], settings: DesiredSettings) {
        (self.version, self.digest, self.settings) = (version, digest, settings)
    }

    /// The only encoding: the format, the version in little endian, the digest, and the settings as a map of CBOR.
    var octets: [UInt8] {
        var octets = [DesiredRecord.format]
        octets.append(littleEndian: version)
        octets += digest
        // The settings were part of a chunk, and so are within its limit.
        try? DesiredChunk.value(of: settings.members).encode(limit: FleetLimits.chunkCount, into: &octets)
        return octets
    }

    /// Decodes a record from all of `octets`; nil if they are invalid.
    init?(_ octets: [UInt8]) {
        let span = octets.span
        var cursor = OctetCursor(span)
        guard (try? cursor.u8(span)) == DesiredRecord.format, let version = try? cursor.u64(span),
            let digest = try? cursor.consume(DesiredManifest.digestCount, of: span),
            let value = try? CBORValue(deterministic: span.extracting(digest.upperBound...)),
            let members = try? DesiredChunk.settings(of: value), let settings = DesiredSettings(members)
        else { return nil }
        self.init(version: version, digest: Array(octets[digest]), settings: settings)
    }
}
