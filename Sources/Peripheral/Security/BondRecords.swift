// SPDX-License-Identifier: Apache-2.0

import Crypto
import Octets

/// The persistent form of the bonds, with its encoding.
///
/// A value without I/O. The description contains no key.
public struct BondRecords: Equatable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The state of a bonded client for one device.
    public struct ClientStateRecord: Equatable, Sendable {
        /// The identity address of the client.
        public var identity: BluetoothAddress
        /// The number of the device as in `Host.init(devices:)`, 0 to 255.
        public var device: Int
        /// The octets of the GATT server, opaque here.
        public var octets: [UInt8]

        /// A state with these fields.
        public init(identity: BluetoothAddress, device: Int, octets: [UInt8]) {
            self.identity = identity
            self.device = device
            self.octets = octets
        }
    }

    /// The magic octets at the beginning.
    static let mark = Array("peripheral bonds".utf8)
    /// The version written, and the only version read.
    static let version: UInt8 = 1
    /// The maximum number of bonds: each unknown private address is tried with each key.
    public static let maximumBonds = 256
    /// The maximum number of devices with client state per bond.
    public static let maximumStatesPerBond = 16
    /// The maximum length of a client state in octets: more than `GATTServer` writes, so that a later version may write
    /// more.
    public static let maximumStateCount = 8192
    /// The maximum length of the encoding in octets.
    public static let maximumCount = headCount + maximumBonds * (longestBond + maximumStatesPerBond * longestState)

    private static let digestCount = 32
    private static let headCount = 16 + 1 + 16 + 2 + 2 + digestCount
    /// The maximum length of the encoding of one bond in octets.
    public static let longestBond = 7 + 2 + 10 + 16 + 16
    private static let longestState = 7 + 1 + 2 + maximumStateCount

    /// The identity resolving key of this device. Peers have it, so it must not change.
    public var resolvingKey: Value128
    /// Every bond, the least recently used first; identities do not repeat.
    public var bonds: [Bond]
    /// The client states; at most one per bond and device.
    public var clientStates: [ClientStateRecord]

    /// Records with these contents.
    public init(resolvingKey: Value128, bonds: [Bond] = [], clientStates: [ClientStateRecord] = []) {
        self.resolvingKey = resolvingKey
        self.bonds = bonds
        self.clientStates = clientStates
    }

    /// The number of bonds, without their contents.
    public var description: String { "\(bonds.count) bonds" }

    /// No children, so that a dump shows no key either.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The reason that octets are rejected.
public enum BondRecordsError: Error, Equatable, Sendable {
    /// The magic octets differ: not written by this program.
    case foreign
    /// The version is not supported.
    case unknownVersion(UInt8)
    /// The digest does not match: octets are lost or changed.
    case damaged
    /// A field is invalid, at this offset, with a description of the fault.
    case invalid(offset: Int, String)
    /// libcrypto failed.
    case noDigest
}

extension BondRecordsError: CustomStringConvertible {
    /// The fault in words.
    public var description: String {
        switch self {
        case .foreign: "not written by this program"
        case .unknownVersion(let version): "version \(version) is not supported"
        case .damaged: "octets are lost or changed"
        case .invalid(let offset, let text): "\(text), at octet \(offset)"
        case .noDigest: "libcrypto failed"
        }
    }
}

extension BondRecords {
    // MARK: - Writing

    /// The encoding, least significant octet first: mark (16), version (1), own resolving key (16), number of bonds
    /// (2), bonds, number of states (2), states, SHA-256 of the preceding octets (32).
    ///
    /// A bond is identity (7), flags (1), key size (1), EDIV (2), Rand (8), long-term key (16) and, if its flag is set,
    /// resolving key (16); a state is identity (7), device (1), count (2) and its octets.
    public func encoded() throws(BondRecordsError) -> [UInt8] {
        var octets = BondRecords.mark
        octets.append(BondRecords.version)
        resolvingKey.append(leastSignificantFirstTo: &octets)
        octets.append(littleEndian: UInt16(clamping: bonds.count))
        for bond in bonds { BondRecords.append(bond, to: &octets) }
        octets.append(littleEndian: UInt16(clamping: clientStates.count))
        for state in clientStates {
            BondRecords.append(state.identity, to: &octets)
            octets.append(UInt8(clamping: state.device))
            octets.append(littleEndian: UInt16(clamping: state.octets.count))
            octets += state.octets
        }
        return octets + (try BondRecords.digest(octets.span))
    }

    private static func append(_ bond: Bond, to octets: inout [UInt8]) {
        append(bond.identity, to: &octets)
        var flags: UInt8 = bond.isAuthenticated ? Flag.authenticated : 0
        if bond.isSecureConnections { flags |= Flag.secureConnections }
        if bond.resolvingKey != nil { flags |= Flag.resolvingKey }
        octets.append(flags)
        octets.append(UInt8(clamping: bond.keySize))
        octets.append(littleEndian: bond.diversifier.diversifier)
        octets.append(littleEndian: bond.diversifier.random)
        bond.longTermKey.append(leastSignificantFirstTo: &octets)
        bond.resolvingKey?.append(leastSignificantFirstTo: &octets)
    }

    private static func append(_ identity: BluetoothAddress, to octets: inout [UInt8]) {
        octets.append(identity.kind.rawValue)
        identity.append(to: &octets)
    }

    private static func digest(_ octets: Span<UInt8>) throws(BondRecordsError) -> [UInt8] {
        do throws(CryptoError) {
            let digest = try SHA256.hash(octets)
            return digest.indices.map { digest[$0] }
        } catch { throw .noDigest }
    }

    // MARK: - Reading

    private enum Flag {
        static let authenticated: UInt8 = 0x01
        static let secureConnections: UInt8 = 0x02
        static let resolvingKey: UInt8 = 0x04
        static let all: UInt8 = 0x07
    }

    /// Decodes the complete output of `encoded`. Repeated identities, zero keys and states without a bond are rejected.
    ///
    /// - Throws: `BondRecordsError`.
    public init(_ octets: Span<UInt8>) throws(BondRecordsError) {
        let mark = BondRecords.mark
        guard octets.count > mark.count, mark.indices.allSatisfy({ octets[$0] == mark[$0] }) else { throw .foreign }
        guard octets[mark.count] == BondRecords.version else { throw .unknownVersion(octets[mark.count]) }
        let end = octets.count - BondRecords.digestCount
        guard end > mark.count, octets.count <= BondRecords.maximumCount else { throw .damaged }
        let digest = try BondRecords.digest(octets.extracting(0..<end))
        guard digest.indices.allSatisfy({ digest[$0] == octets[end + $0] }) else { throw .damaged }
        var reader = Reader(OctetCursor(octets, in: mark.count + 1..<end))
        resolvingKey = try reader.key(octets)
        bonds = try reader.bonds(octets)
        clientStates = try reader.states(octets, of: bonds)
        try reader.finish()
    }

    /// The position of the decoder.
    private struct Reader {
        private var cursor: OctetCursor

        init(_ cursor: OctetCursor) { self.cursor = cursor }

        // MARK: Fields

        private func require(_ condition: Bool, _ fault: String) throws(BondRecordsError) {
            guard condition else { throw .invalid(offset: cursor.position, fault) }
        }

        private mutating func consume(_ count: Int, _ octets: Span<UInt8>) throws(BondRecordsError) -> Range<Int> {
            do throws(OctetError) { return try cursor.consume(count, of: octets) } catch {
                throw .invalid(offset: cursor.position, "truncated")
            }
        }

        /// A number of up to eight octets.
        private mutating func number(_ count: Int, _ octets: Span<UInt8>) throws(BondRecordsError) -> UInt64 {
            try consume(count, octets).reversed().reduce(0) { $0 << 8 | UInt64(octets[$1]) }
        }

        mutating func key(_ octets: Span<UInt8>) throws(BondRecordsError) -> Value128 {
            let range = try consume(16, octets)
            let key = Value128(leastSignificantFirst: octets.extracting(range)) ?? .zero
            try require(!key.isZero, "key is zero")
            return key
        }

        private mutating func identity(_ octets: Span<UInt8>) throws(BondRecordsError) -> BluetoothAddress {
            let kind = BluetoothAddress.Kind(rawValue: UInt8(truncatingIfNeeded: try number(1, octets)))
            let identity = BluetoothAddress(kind: kind, value: try number(6, octets))
            try require(identity.isIdentity, "not an identity address")
            return identity
        }

        // MARK: Parts

        mutating func bonds(_ octets: Span<UInt8>) throws(BondRecordsError) -> [Bond] {
            let count = try number(2, octets)
            try require(count <= BondRecords.maximumBonds, "more than \(BondRecords.maximumBonds) bonds")
            var bonds: [Bond] = []
            for _ in 0..<count {
                let bond = try bond(octets)
                try require(!bonds.contains { $0.identity == bond.identity }, "two bonds of one identity")
                bonds.append(bond)
            }
            return bonds
        }

        private mutating func bond(_ octets: Span<UInt8>) throws(BondRecordsError) -> Bond {
            let identity = try identity(octets)
            let flags = UInt8(truncatingIfNeeded: try number(1, octets))
            try require(flags & ~Flag.all == 0, "unknown flag")
            let keySize = Int(try number(1, octets))
            try require((7...16).contains(keySize), "key size not 7 to 16 octets")
            let diversifier = UInt16(truncatingIfNeeded: try number(2, octets))
            let random = try number(8, octets)
            let longTermKey = try key(octets)
            return Bond(
                identity: identity, resolvingKey: flags & Flag.resolvingKey != 0 ? try key(octets) : nil,
                longTermKey: longTermKey, diversifier: LTKIdentifier(diversifier: diversifier, random: random),
                keySize: keySize, isAuthenticated: flags & Flag.authenticated != 0,
                isSecureConnections: flags & Flag.secureConnections != 0)
        }

        mutating func states(
            _ octets: Span<UInt8>, of bonds: [Bond]
        ) throws(BondRecordsError) -> [ClientStateRecord] {
            let count = Int(try number(2, octets))
            try require(count <= bonds.count * BondRecords.maximumStatesPerBond, "too many client states")
            var states: [ClientStateRecord] = []
            for _ in 0..<count {
                let identity = try identity(octets)
                try require(bonds.contains { $0.identity == identity }, "client state without a bond")
                let device = Int(try number(1, octets))
                try require(
                    !states.contains { $0.identity == identity && $0.device == device },
                    "two client states of one "
                        + "bond")
                let length = Int(try number(2, octets))
                try require(length <= BondRecords.maximumStateCount, "client state too long")
                let range = try consume(length, octets)
                states.append(ClientStateRecord(identity: identity, device: device, octets: range.map { octets[$0] }))
            }
            return states
        }

        func finish() throws(BondRecordsError) { try require(cursor.remaining == 0, "trailing octets") }
    }
}
