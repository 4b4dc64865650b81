// SPDX-License-Identifier: Apache-2.0

import Octets

/// A builder of advertising or scan response data from AD structures, at most 31 octets (Core 5.4, Vol 3, Part C, 11,
/// and Core Specification Supplement, Part A).
///
/// ```swift
/// var data = AdvertisingData()
/// try data.add(flags: .generalDiscoverable)
/// try data.add(services: [BluetoothUUID(0x180D)])
/// try data.add(name: "heart")
/// ```
public struct AdvertisingData: Equatable, Sendable {
    /// The types of the AD structures (Assigned Numbers, 2.3).
    private enum Kind {
        static let flags: UInt8 = 0x01
        static let incompleteServices16: UInt8 = 0x02
        static let completeServices16: UInt8 = 0x03
        static let incompleteServices128: UInt8 = 0x06
        static let completeServices128: UInt8 = 0x07
        static let shortenedName: UInt8 = 0x08
        static let completeName: UInt8 = 0x09
        static let transmitPower: UInt8 = 0x0A
        static let serviceData16: UInt8 = 0x16
        static let appearance: UInt8 = 0x19
        static let serviceData128: UInt8 = 0x21
        static let manufacturer: UInt8 = 0xFF
    }

    /// The encoded structures, for `AdvertisingSet.data` and `AdvertisingSet.scanResponse`.
    public private(set) var octets: [UInt8] = []

    /// No structures.
    public init() {}

    /// The remaining octets, including the length and type of each further structure.
    public var room: Int { AdvertisingSet.maximumDataCount - octets.count }

    /// Adds a structure of any type.
    ///
    /// - Throws: `noRoom` if it does not fit; nothing is added then.
    public mutating func add(type: UInt8, _ content: [UInt8]) throws(AdvertisingDataError) {
        guard content.count + 2 <= room else { throw .noRoom(needed: content.count + 2, room: room) }
        octets.append(UInt8(truncatingIfNeeded: content.count + 1))
        octets.append(type)
        octets.append(contentsOf: content)
    }

    /// Adds Flags (Part A, 1.3), 3 octets. They are permitted in advertising data, not in a scan response.
    public mutating func add(flags: AdvertisingFlags) throws(AdvertisingDataError) {
        try add(type: Kind.flags, [flags.rawValue])
    }

    /// Adds the local name (Part A, 1.2): complete if it fits, otherwise shortened at a character boundary.
    ///
    /// - Throws: `noRoom` if not even the first character fits, or the name is empty.
    public mutating func add(name: String) throws(AdvertisingDataError) {
        let whole = Array(name.utf8)
        if whole.count + 2 <= room, !whole.isEmpty { return try add(type: Kind.completeName, whole) }
        var shown: [UInt8] = []
        for character in name {
            let next = Array(String(character).utf8)
            guard shown.count + next.count + 2 <= room else { break }
            shown += next
        }
        guard !shown.isEmpty else { throw .noRoom(needed: 2 + max(whole.count, 1), room: room) }
        try add(type: Kind.shortenedName, shown)
    }

    /// Adds service UUIDs (Part A, 1.1): one list of 16-bit and one of 128-bit UUIDs, beginning with the size of the
    /// first service. A list that does not fit is cut and marked as incomplete.
    ///
    /// - Throws: `noRoom` if no UUID of a list fits; a list added before stays.
    public mutating func add(services: [BluetoothUUID]) throws(AdvertisingDataError) {
        let isShortFirst = services.first?.short != nil
        for isShort in [isShortFirst, !isShortFirst] {
            let ofKind = services.filter { ($0.short != nil) == isShort }
            guard let first = ofKind.first else { continue }
            let fitting = ofKind.prefix(max(room - 2, 0) / first.encodedCount)
            guard !fitting.isEmpty else { throw .noRoom(needed: 2 + first.encodedCount, room: room) }
            var content: [UInt8] = []
            for service in fitting { service.append(to: &content) }
            let isComplete = fitting.count == ofKind.count
            let complete = isShort ? Kind.completeServices16 : Kind.completeServices128
            let incomplete = isShort ? Kind.incompleteServices16 : Kind.incompleteServices128
            try add(type: isComplete ? complete : incomplete, content)
        }
    }

    /// Adds data of a service (Part A, 1.11).
    public mutating func add(data: [UInt8], ofService service: BluetoothUUID) throws(AdvertisingDataError) {
        var content: [UInt8] = []
        service.append(to: &content)
        try add(type: service.short != nil ? Kind.serviceData16 : Kind.serviceData128, content + data)
    }

    /// Adds manufacturer specific data with this company identifier (Part A, 1.4).
    public mutating func add(manufacturerData: [UInt8], company: UInt16) throws(AdvertisingDataError) {
        var content: [UInt8] = []
        content.append(littleEndian: company)
        try add(type: Kind.manufacturer, content + manufacturerData)
    }

    /// Adds the appearance (Part A, 1.12), 4 octets.
    public mutating func add(appearance: UInt16) throws(AdvertisingDataError) {
        var content: [UInt8] = []
        content.append(littleEndian: appearance)
        try add(type: Kind.appearance, content)
    }

    /// Adds the TX Power Level (Part A, 1.5) in dBm, 3 octets. In a set with `fillsTransmitPower` it is replaced by the
    /// power selected by the controller.
    public mutating func add(transmitPower: Int8) throws(AdvertisingDataError) {
        try add(type: Kind.transmitPower, [UInt8(bitPattern: transmitPower)])
    }

    /// Adds an iBeacon (Apple, Proximity Beacon Specification), 27 octets. Receivers expect Flags before it, which also
    /// fit.
    public mutating func add(iBeacon beacon: IBeacon) throws(AdvertisingDataError) {
        try add(manufacturerData: beacon.octets, company: IBeacon.company)
    }
}

/// The contents of an iBeacon.
public struct IBeacon: Equatable, Sendable {
    /// Apple's company identifier.
    public static let company: UInt16 = 0x004C

    /// The UUID of the owner.
    public var uuid: BluetoothUUID
    /// The number of the owner's site.
    public var major: UInt16
    /// The number of the beacon at the site.
    public var minor: UInt16
    /// The received power at a distance of one metre, in dBm.
    public var measuredPower: Int8

    /// A beacon with these values.
    public init(uuid: BluetoothUUID, major: UInt16, minor: UInt16, measuredPower: Int8) {
        self.uuid = uuid
        self.major = major
        self.minor = minor
        self.measuredPower = measuredPower
    }

    /// The data after the company identifier: type 0x02, length 0x15, numbers most significant octet first.
    var octets: [UInt8] {
        var octets: [UInt8] = [0x02, 0x15]
        octets.append(littleEndian: uuid.high.byteSwapped)
        octets.append(littleEndian: uuid.low.byteSwapped)
        octets.append(littleEndian: major.byteSwapped)
        octets.append(littleEndian: minor.byteSwapped)
        octets.append(UInt8(bitPattern: measuredPower))
        return octets
    }
}

/// The Flags of a device (Core Specification Supplement, Part A, 1.3).
public struct AdvertisingFlags: OptionSet, Hashable, Sendable {
    /// The octet on the air.
    public var rawValue: UInt8
    /// The flags with these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// LE Limited Discoverable Mode without BR/EDR: discoverable for a limited time.
    public static let limitedDiscoverable: AdvertisingFlags = [
        AdvertisingFlags(rawValue: 1 << 0), .withoutBREDR,
    ]
    /// LE General Discoverable Mode without BR/EDR, the usual mode of a peripheral.
    public static let generalDiscoverable: AdvertisingFlags = [
        AdvertisingFlags(rawValue: 1 << 1), .withoutBREDR,
    ]
    /// BR/EDR Not Supported.
    public static let withoutBREDR = AdvertisingFlags(rawValue: 1 << 2)
}

/// The reason that a structure was not added.
public enum AdvertisingDataError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The structure needs more octets than remain.
    case noRoom(needed: Int, room: Int)

    /// The fault and its remedy.
    public var description: String {
        switch self {
        case .noRoom(let needed, let room):
            "an advertising structure of \(needed) octets does not fit the \(room) that are left of 31: shorten it, or "
                + "move a structure to the scan response"
        }
    }
}
