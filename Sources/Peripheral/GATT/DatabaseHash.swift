// SPDX-License-Identifier: Apache-2.0

import Crypto
import Octets

/// The hash of a database, by which clients detect changes (Core 5.4, Vol 3, Part G, 7.3).
///
/// The octets are sent in the order of the AES-CMAC output, as by other hosts; clients only compare them, so the order
/// must not change.
public struct DatabaseHash: Hashable, Sendable {
    /// The length of a hash in octets.
    public static let count = 16

    /// The value before the hash is computed.
    static let zero = DatabaseHash(zeroes: ())

    /// The hash in the order in which it is sent.
    public let octets: [UInt8]

    /// A stored hash; nil unless it has 16 octets.
    public init?(octets: [UInt8]) {
        guard octets.count == DatabaseHash.count else { return nil }
        self.octets = octets
    }

    private init(zeroes: Void) { octets = Array(repeating: 0, count: DatabaseHash.count) }

    /// The hash of `message`: AES-CMAC with a zero key (Core 5.4, Vol 3, Part G, 7.3.1).
    init(of message: [UInt8]) throws(CryptoError) {
        let key = InlineArray<16, UInt8>(repeating: 0)
        let tag = try AES128CMAC.authenticate(key: key.span, message.span)
        octets = tag.indices.map { tag[$0] }
    }

    /// The input of the hash in the order of handles: handle, type and value of declarations and extended properties;
    /// handle and type of the other descriptors of the specification; nothing of other attributes.
    static func message(_ database: borrowing AttributeDatabase) -> [UInt8] {
        var message: [UInt8] = []
        for attribute in database.attributes {
            switch attribute.type {
            case .primaryService, .secondaryService, .include, .characteristic, .extendedProperties:
                message.append(littleEndian: attribute.handle)
                attribute.type.append(to: &message)
                message += database.values[attribute.valueRange]
            case .userDescription, .clientConfiguration, .serverConfiguration, .presentationFormat, .aggregateFormat:
                message.append(littleEndian: attribute.handle)
                attribute.type.append(to: &message)
            default: break
            }
        }
        return message
    }
}

extension BluetoothUUID {
    /// «Server Characteristic Configuration» descriptor.
    static let serverConfiguration = BluetoothUUID(0x2903)
    /// «Characteristic Presentation Format» descriptor.
    static let presentationFormat = BluetoothUUID(0x2904)
    /// «Characteristic Aggregate Format» descriptor.
    static let aggregateFormat = BluetoothUUID(0x2905)
}
