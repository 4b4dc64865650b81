// SPDX-License-Identifier: Apache-2.0

/// The properties in a characteristic declaration (Core 5.4, Vol 3, Part G, 3.3.1.1).
public struct CharacteristicProperties: OptionSet, Hashable, Sendable {
    /// The octet in the declaration.
    public var rawValue: UInt8
    /// The properties with these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The value may be broadcast.
    public static let broadcast = CharacteristicProperties(rawValue: 0x01)
    /// The value may be read.
    public static let read = CharacteristicProperties(rawValue: 0x02)
    /// The value may be written by command, without a response.
    public static let writeWithoutResponse = CharacteristicProperties(rawValue: 0x04)
    /// The value may be written by request.
    public static let write = CharacteristicProperties(rawValue: 0x08)
    /// The server may notify the value.
    public static let notify = CharacteristicProperties(rawValue: 0x10)
    /// The server may indicate the value.
    public static let indicate = CharacteristicProperties(rawValue: 0x20)
    /// The value may be written by signed command; this server ignores signed commands.
    public static let authenticatedSignedWrites = CharacteristicProperties(rawValue: 0x40)
    /// Additional properties are in the Characteristic Extended Properties descriptor.
    public static let extended = CharacteristicProperties(rawValue: 0x80)

    /// The client characteristic configuration that these properties support.
    var configuration: ClientConfiguration {
        var supported: ClientConfiguration = []
        if contains(.notify) { supported.insert(.notification) }
        if contains(.indicate) { supported.insert(.indication) }
        return supported
    }
}

extension BluetoothUUID {
    /// «Generic Access» service.
    public static let genericAccess = BluetoothUUID(0x1800)
    /// «Generic Attribute» service.
    public static let genericAttribute = BluetoothUUID(0x1801)
    /// «Primary Service» declaration (Core 5.4, Vol 3, Part G, 3.1).
    public static let primaryService = BluetoothUUID(0x2800)
    /// «Secondary Service» declaration.
    public static let secondaryService = BluetoothUUID(0x2801)
    /// «Include» declaration (Core 5.4, Vol 3, Part G, 3.2).
    public static let include = BluetoothUUID(0x2802)
    /// «Characteristic» declaration (Core 5.4, Vol 3, Part G, 3.3.1).
    public static let characteristic = BluetoothUUID(0x2803)
    /// «Characteristic Extended Properties» descriptor (Core 5.4, Vol 3, Part G, 3.3.3.1).
    public static let extendedProperties = BluetoothUUID(0x2900)
    /// «Characteristic User Description» descriptor.
    public static let userDescription = BluetoothUUID(0x2901)
    /// «Client Characteristic Configuration» descriptor.
    public static let clientConfiguration = BluetoothUUID(0x2902)
    /// «Device Name» characteristic.
    public static let deviceName = BluetoothUUID(0x2A00)
    /// «Appearance» characteristic.
    public static let appearance = BluetoothUUID(0x2A01)
    /// «Peripheral Preferred Connection Parameters» characteristic.
    public static let preferredConnectionParameters = BluetoothUUID(0x2A04)
    /// «Service Changed» characteristic.
    public static let serviceChanged = BluetoothUUID(0x2A05)
    /// «Client Supported Features» characteristic (Core 5.4, Vol 3, Part G, 7.2).
    public static let clientSupportedFeatures = BluetoothUUID(0x2B29)
    /// «Database Hash» characteristic (Core 5.4, Vol 3, Part G, 7.3).
    public static let databaseHash = BluetoothUUID(0x2B2A)
    /// «Server Supported Features» characteristic (Core 5.4, Vol 3, Part G, 7.4).
    public static let serverSupportedFeatures = BluetoothUUID(0x2B3A)
}
