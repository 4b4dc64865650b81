// SPDX-License-Identifier: Apache-2.0

public import Credentials
import Octets
public import Peripheral

/// The advertising and scan response data of each mode, complete as sent on the air (31 octets each).
///
/// The newer generation's packets have no room for Flags, so they are sent only from a random address.
public struct AdvertisingPackets: Equatable, Sendable {
    /// The length of the device identifier in octets: exactly 8 ASCII characters.
    public static let deviceIdentifierCount = 8

    /// The service of Aliro, which its packet has at a fixed place.
    static let aliroService = BluetoothUUID(0xFFF2)

    /// The assigned numbers in the packets: settings, with the published values as defaults.
    public struct Identifiers: Equatable, Sendable {
        /// The newer generation's service.
        public var accessService = BluetoothUUID(0xFCBA)
        /// The older generation's service, classic operation.
        public var classicService = BluetoothUUID(high: 0x0000_5301_0000_002A, low: 0x426C_7565_4944_2A00)
        /// The older generation's service, onTouch operation.
        public var onTouchService = BluetoothUUID(high: 0x0000_5301_0010_002A, low: 0x426C_7565_4944_2A00)
        /// The service of PKOC; earlier phones look for 41FB60A1-D4D0-4AE9-8CBB-B62B5AE81810.
        public var pkocService = BluetoothUUID(0xFFF0)
        /// The proximity UUID of the iBeacon form.
        public var iBeacon = BluetoothUUID(high: 0x3ABE_6601_D90D_4975, low: 0x88B7_8E3F_E83A_687A)
        /// The company identifier in manufacturer data.
        public var company = ManufacturerRecord.publishedCompanyIdentifier

        /// The published values.
        public init() {}

        /// The service UUID in the advertising data of `mode`.
        public func service(of mode: AdvertisingMode) -> BluetoothUUID {
            switch mode {
            case .classic: classicService
            case .onTouch: onTouchService
            case .access, .accessIBeacon: accessService
            case .pkoc: pkocService
            case .aliro: AdvertisingPackets.aliroService
            }
        }
    }

    private enum Field {
        static let flags: UInt8 = 0x01
        static let complete16BitServices: UInt8 = 0x03
        static let complete128BitServices: UInt8 = 0x07
        static let completeLocalName: UInt8 = 0x09
        static let txPower: UInt8 = 0x0A
        static let manufacturer: UInt8 = 0xFF
    }

    private let identifiers: Identifiers
    private let deviceIdentifier: [UInt8]
    /// The local name: the device identifier, unless the board lacks something. At most as long.
    private(set) var name: [UInt8]
    private let txPowerAtOneMetre: Int8
    /// The packet of Aliro; nil without a reader and its group's resolving key.
    public var aliro: AliroAdvertisement?
    /// The end of the validity of its tag; nil without a clock.
    public var aliroExpiry: UInt32?

    /// Creates the packets of the reader with this identifier (8 octets). `txPowerAtOneMetre` is the signal strength
    /// that a phone receives at 1 m, in dBm.
    public init(deviceIdentifier: [UInt8], txPowerAtOneMetre: Int8 = -77, identifiers: Identifiers = Identifiers()) {
        precondition(deviceIdentifier.count == AdvertisingPackets.deviceIdentifierCount)
        self.deviceIdentifier = deviceIdentifier
        name = deviceIdentifier
        self.txPowerAtOneMetre = txPowerAtOneMetre
        self.identifiers = identifiers
    }

    /// Changes the name; nil restores the device identifier. A name longer than the identifier is cut.
    public mutating func rename(_ name: [UInt8]?) {
        self.name = Array((name ?? deviceIdentifier).prefix(AdvertisingPackets.deviceIdentifierCount))
    }

    /// The advertising data of `mode`; empty for Aliro without a reader, and without the address that its tag is for.
    public func advertisingData(_ mode: AdvertisingMode, from address: BluetoothAddress? = nil) -> [UInt8] {
        switch mode {
        case .classic, .onTouch: olderGeneration(service: identifiers.service(of: mode))
        case .access: newerGeneration
        case .accessIBeacon: iBeacon
        case .pkoc: pkoc
        case .aliro: aliroData(from: address)
        }
    }

    /// The scan response data of `mode`. Aliro has none: its phones know the group, and others learn nothing.
    public func scanResponse(_ record: ManufacturerRecord, of mode: AdvertisingMode) -> [UInt8] {
        mode == .aliro ? [] : scanResponse(record)
    }

    /// The scan response data, the same for every other mode.
    public func scanResponse(_ record: ManufacturerRecord) -> [UInt8] {
        structure(Field.manufacturer, record.octets) + structure(Field.completeLocalName, name)
    }

    private func olderGeneration(service: BluetoothUUID) -> [UInt8] {
        // LE General Discoverable Mode, BR/EDR Not Supported (Core Specification Supplement, Part A, 1.3).
        structure(Field.flags, [0x06]) + structure(Field.complete128BitServices, wholeOctets(of: service))
            + structure(Field.completeLocalName, name)
    }

    /// 17 octets, or 31 with a service of 128 bits.
    private var pkoc: [UInt8] {
        let service = identifiers.pkocService
        let field = service.short == nil ? Field.complete128BitServices : Field.complete16BitServices
        return structure(Field.flags, [0x06]) + structure(field, octets(of: service))
            + structure(Field.completeLocalName, name)
    }

    private func aliroData(from address: BluetoothAddress?) -> [UInt8] {
        guard let aliro, let address else { return [] }
        let octets = (0..<6).reversed().map { UInt8(truncatingIfNeeded: address.value >> ($0 * 8)) }
        return (try? aliro.data(address: octets, expiry: aliroExpiry)) ?? []
    }

    private var newerGeneration: [UInt8] {
        var company: [UInt8] = []
        company.append(littleEndian: identifiers.company)
        return structure(Field.complete16BitServices, octets(of: identifiers.accessService))
            + structure(Field.manufacturer, company + [UInt8](repeating: 0, count: 10))
            + structure(Field.completeLocalName, name)
            + structure(Field.txPower, [UInt8(bitPattern: txPowerAtOneMetre)])
    }

    private var iBeacon: [UInt8] {
        // The proximity UUID is sent most significant octet first; major and minor are the identifier's first four
        // characters in order.
        let content: [UInt8] =
            [0x4C, 0x00, 0x02, 0x15] + wholeOctets(of: identifiers.iBeacon).reversed() + deviceIdentifier.prefix(4)
            + [UInt8(bitPattern: txPowerAtOneMetre)]
        return structure(Field.complete16BitServices, octets(of: identifiers.accessService))
            + structure(Field.manufacturer, content)
    }

    private func octets(of uuid: BluetoothUUID) -> [UInt8] {
        var octets: [UInt8] = []
        uuid.append(to: &octets)
        return octets
    }

    /// All 128 bits, also of a UUID that has a 16-bit form.
    private func wholeOctets(of uuid: BluetoothUUID) -> [UInt8] {
        var octets: [UInt8] = []
        octets.append(littleEndian: uuid.low)
        octets.append(littleEndian: uuid.high)
        return octets
    }

    private func structure(_ type: UInt8, _ content: [UInt8]) -> [UInt8] {
        [UInt8(truncatingIfNeeded: content.count + 1), type] + content
    }
}
