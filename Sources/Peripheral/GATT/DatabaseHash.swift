import Crypto
import Octets

/// What a database is called by, so that a client sees whether it has changed (Core 5.4, Vol 3, Part G, 7.3).
///
/// The octets are served in the order in which AES-CMAC is written down, as other hosts do it too, and that
/// never changes: clients only compare them.
public struct DatabaseHash: Hashable, Sendable {
    /// How many octets a hash has.
    public static let count = 16

    /// What stands for the hash until it is known.
    static let zero = DatabaseHash(zeroes: ())

    /// The hash, in the order in which it is served.
    public let octets: [UInt8]

    /// A hash that was kept; nil unless there are 16 octets.
    public init?(octets: [UInt8]) {
        guard octets.count == DatabaseHash.count else { return nil }
        self.octets = octets
    }

    private init(zeroes: Void) { octets = Array(repeating: 0, count: DatabaseHash.count) }

    /// The hash of what `message` gathers: AES-CMAC with a key of zeroes (Core 5.4, Vol 3, Part G, 7.3.1).
    init(of message: [UInt8]) throws(CryptoError) {
        let key = InlineArray<16, UInt8>(repeating: 0)
        let tag = try AES128CMAC.authenticate(key: key.span, message.span)
        octets = tag.indices.map { tag[$0] }
    }

    /// What goes into the hash, in the order of handles: of declarations and extended properties handle, type and
    /// value; of the other descriptors of the specification handle and type; of everything else nothing.
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
