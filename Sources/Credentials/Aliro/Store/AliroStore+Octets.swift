// SPDX-License-Identifier: Apache-2.0

public import Crypto
internal import Octets

/// The store in octets, for a file: a version, the store, and the SHA-256 of both. All numbers have the most
/// significant octet first.
extension AliroStore {
    /// The maximum length in octets, above that of a store with all that it can have except long revocation lists.
    public static let maximumOctets = 10 << 20
    /// `ALIRO`, and the version of the format.
    private static let head: [UInt8] = [0x41, 0x4C, 0x49, 0x52, 0x4F, 0x00, 0x00, 0x01]
    /// In place of the number of revoked credentials of an overfull ledger; none follow. Earlier versions refuse it.
    fileprivate static let overfull = 0xFFFF
    /// The maximum length of an access data element: a part of a response.
    private static let maximumElement = AliroExchange.maximumResponse

    /// Octets that are not those of a store.
    public enum Damage: Error, Equatable, Sendable {
        /// Not a store, or another checksum.
        case damaged
        /// Of a later version.
        case laterVersion
    }

    /// The store in octets, which contain secrets: the caller wipes them.
    public func octets() throws(CryptoError) -> [UInt8] {
        var open = AliroOctets()
        open.append(binding.group + binding.identifier.group + binding.identifier.sub)
        open.append(count: credentials.count)
        for credential in credentials { open.append(credential) }
        open.append(count: anchors.count)
        for anchor in anchors { open.append([anchor.role == .authority ? 1 : 0] + anchor.point) }
        open.append(count: ledgers.count)
        for (issuer, ledger) in ledgers.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            open.append(ledger, issuer: issuer)
        }
        // The keys are written once into octets that do not move, so that no copy is left behind.
        var octets: [UInt8] = []
        let entry = persistentKeys.reduce(0) { $0 + $1.point.count + $1.key.octets.count }
        octets.reserveCapacity(Self.head.count + open.octets.count + 2 + entry + 32)
        octets += Self.head
        octets += open.octets
        octets += [UInt8(persistentKeys.count >> 8 & 0xFF), UInt8(persistentKeys.count & 0xFF)]
        for key in persistentKeys {
            octets += key.point
            octets += key.key.octets
        }
        let digest = try SHA256.hash(octets.span)
        octets.append(digest.span)
        return octets
    }

    /// Reads a store.
    public init(octets: Span<UInt8>) throws(Damage) {
        guard octets.count > Self.head.count + 32, octets.count <= Self.maximumOctets else { throw .damaged }
        let content = octets.extracting(0..<octets.count - 32)
        guard let digest = try? SHA256.hash(content),
            constantTimeEqual(digest.span, octets.extracting(octets.count - 32..<octets.count))
        else { throw .damaged }
        guard [UInt8](content.extracting(0..<7)) == Self.head.dropLast() else { throw .damaged }
        guard content[7] == Self.head[7] else { throw .laterVersion }
        do {
            var reader = AliroOctetReader(content, from: Self.head.count)
            let group = try reader.point(content)
            let (first, second) = (try reader.octets(16, content), try reader.octets(16, content))
            guard let identifier = AliroReader.Identifier(group: first, sub: second) else { throw Damage.damaged }
            self.init(binding: AliroBinding(group: group, identifier: identifier))
            for _ in 0..<(try reader.count(Self.maximumCredentials, content)) {
                guard add(try reader.credential(content, maximumElement: Self.maximumElement)) else {
                    throw Damage.damaged
                }
            }
            for _ in 0..<(try reader.count(Self.maximumAnchors, content)) {
                guard add(try reader.anchor(content)) else { throw Damage.damaged }
            }
            for _ in 0..<(try reader.count(Self.maximumLedgers, content)) {
                let (ledger, issuer) = try reader.ledger(content, maximumRevoked: AliroLedger.maximumRevoked)
                put(ledger, issuer: issuer)
            }
            for _ in 0..<(try reader.count(Self.maximumPersistentKeys, content)) {
                let point = try reader.point(content)
                let key = SecretOctets(try reader.octets(AliroKeys.keyCount, content))
                guard credential(point) != nil else { throw Damage.damaged }
                persistentKeys.append(PersistentKey(point: point, key: key))
            }
            try reader.finish()
        } catch { throw .damaged }
    }
}

/// The public part of a store, as it is written.
private struct AliroOctets {
    var octets: [UInt8] = []

    mutating func append(_ more: [UInt8]) { octets += more }

    mutating func append(count: Int) { octets += [UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)] }

    mutating func append(_ number: Int64) {
        for shift in stride(from: 56, through: 0, by: -8) { octets.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    mutating func append(optional number: Int64?) {
        octets.append(number == nil ? 0 : 1)
        append(number ?? 0)
    }

    mutating func append(_ credential: AliroCredential) {
        octets += credential.point
        append(optional: credential.validFrom)
        append(optional: credential.validUntil)
        append(optional: credential.revocationSeen)
        octets.append(credential.isEvictable ? 1 : 0)
        octets.append(credential.grant == nil ? 0 : 1)
        guard let grant = credential.grant else { return }
        octets += grant.issuer + grant.anchor
        append(grant.signed)
        append(grant.validFrom)
        append(grant.validUntil)
        octets.append(grant.needsTime ? 1 : 0)
        append(count: grant.element.count)
        octets += grant.element
    }

    mutating func append(_ ledger: AliroLedger, issuer: [UInt8]) {
        octets += issuer + ledger.anchor
        append(ledger.highestIteration)
        append(optional: ledger.revocationSigned)
        append(count: ledger.isOverfull ? AliroStore.overfull : ledger.revoked.count)
        for digest in ledger.revoked.sorted(by: { $0.lexicographicallyPrecedes($1) }) { octets += digest }
    }
}

/// A position in the octets of a store.
private struct AliroOctetReader {
    private var cursor: OctetCursor

    init(_ octets: Span<UInt8>, from start: Int) { cursor = OctetCursor(octets, in: start..<octets.count) }

    func finish() throws { try cursor.finish() }

    mutating func octets(_ count: Int, _ source: Span<UInt8>) throws -> [UInt8] {
        [UInt8](source.extracting(try cursor.consume(count, of: source)))
    }

    /// A point on the curve.
    mutating func point(_ source: Span<UInt8>) throws -> [UInt8] {
        let octets = try octets(P256Point.count, source)
        _ = try P256PublicKey(point: octets.span)
        return octets
    }

    mutating func count(_ maximum: Int, _ source: Span<UInt8>) throws -> Int {
        let count = Int(try cursor.u16BigEndian(source))
        guard count <= maximum else { throw AliroStore.Damage.damaged }
        return count
    }

    mutating func flag(_ source: Span<UInt8>) throws -> Bool {
        let octet = try cursor.u8(source)
        guard octet <= 1 else { throw AliroStore.Damage.damaged }
        return octet == 1
    }

    mutating func number(_ source: Span<UInt8>) throws -> Int64 {
        Int64(bitPattern: try cursor.u64(source).byteSwapped)
    }

    mutating func optionalNumber(_ source: Span<UInt8>) throws -> Int64? {
        let isPresent = try flag(source)
        let number = try number(source)
        return isPresent ? number : nil
    }

    mutating func credential(_ source: Span<UInt8>, maximumElement: Int) throws -> AliroCredential {
        let key = try P256PublicKey(point: source.extracting(try cursor.consume(P256Point.count, of: source)))
        var credential = AliroCredential(key)
        credential.validFrom = try optionalNumber(source)
        credential.validUntil = try optionalNumber(source)
        credential.revocationSeen = try optionalNumber(source)
        credential.isEvictable = try flag(source)
        guard try flag(source) else { return credential }
        credential.grant = CardGrant(
            issuer: try point(source), anchor: try point(source), signed: try number(source),
            validFrom: try number(source), validUntil: try number(source), needsTime: try flag(source),
            element: try octets(try count(maximumElement, source), source))
        return credential
    }

    mutating func anchor(_ source: Span<UInt8>) throws -> AliroAnchor {
        let isAuthority = try flag(source)
        let key = try P256PublicKey(point: source.extracting(try cursor.consume(P256Point.count, of: source)))
        return AliroAnchor(key, role: isAuthority ? .authority : .issuer)
    }

    mutating func ledger(
        _ source: Span<UInt8>, maximumRevoked: Int
    ) throws -> (ledger: AliroLedger, issuer: [UInt8]) {
        let issuer = try point(source)
        var ledger = AliroLedger(anchor: try point(source))
        ledger.highestIteration = try number(source)
        ledger.revocationSigned = try optionalNumber(source)
        let count = Int(try cursor.u16BigEndian(source))
        ledger.isOverfull = count == AliroStore.overfull
        guard !ledger.isOverfull else { return (ledger, issuer) }
        guard count <= maximumRevoked else { throw AliroStore.Damage.damaged }
        for _ in 0..<count { ledger.revoked.insert(try octets(32, source)) }
        return (ledger, issuer)
    }
}
