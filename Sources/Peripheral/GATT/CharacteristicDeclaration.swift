// SPDX-License-Identifier: Apache-2.0

public import Octets

/// The value of a characteristic declaration (Core 5.4, Vol 3, Part G, 3.3.1).
public struct CharacteristicDeclaration: Equatable, Sendable {
    /// The properties.
    public var properties: CharacteristicProperties
    /// The handle of the characteristic's value.
    public var value: AttributeHandle
    /// The characteristic's UUID.
    public var uuid: BluetoothUUID
}

extension CharacteristicDeclaration {
    /// Reads a declaration up to the end of `cursor`.
    public init(_ octets: Span<UInt8>, _ cursor: inout OctetCursor) throws(OctetError) {
        properties = CharacteristicProperties(rawValue: try cursor.u8(octets))
        value = try AttributeHandle(octets, &cursor)
        uuid = try BluetoothUUID(octets, &cursor)
        try cursor.finish()
    }

    func append(to octets: inout [UInt8]) {
        octets.append(properties.rawValue)
        octets.append(littleEndian: value.rawValue)
        uuid.append(to: &octets)
    }
}
