import Octets

/// LE Set Random Address (Core 5.4, Vol 4, Part E, 7.8.4).
struct LESetRandomAddress: HCICommand {
    static let opcode = HCIOpcode.leSetRandomAddress
    var address: BluetoothAddress

    func append(to packet: inout [UInt8]) { packet.append(address) }
}

/// LE Set Advertising Parameters (7.8.5): undirected, random address, all channels, anybody. They say no power.
struct LESetAdvertisingParameters: HCICommand {
    static let opcode = HCIOpcode.leSetAdvertisingParameters
    var parameters: AdvertisingParameters

    func append(to packet: inout [UInt8]) {
        packet.append(littleEndian: parameters.interval)
        packet.append(littleEndian: parameters.interval)
        switch parameters.kind {
        case .connectable: packet.append(0x00)  // ADV_IND
        case .scannable: packet.append(0x02)  // ADV_SCAN_IND
        case .nonConnectable: packet.append(0x03)  // ADV_NONCONN_IND
        }
        packet.append(0x01)  // own address: random
        packet.append(0x00)  // peer address type
        packet.append(BluetoothAddress(kind: .public, value: 0))
        packet.append(0x07)  // channels 37, 38, 39
        packet.append(0x00)  // scan and connection requests from anybody
    }
}

/// LE Read Advertising Physical Channel Tx Power (7.8.6).
struct LEReadAdvertisingTransmitPower: HCICommand {
    static let opcode = HCIOpcode.leReadAdvertisingTransmitPower
    func append(to packet: inout [UInt8]) {}

    /// dBm; nil for what cannot be a power.
    static func parse(_ packet: Span<UInt8>, _ cursor: inout OctetCursor) throws(OctetError) -> Int8? {
        transmitPower(try cursor.i8(packet))
    }
}

/// LE Set Advertising Data (7.8.7).
struct LESetAdvertisingData: HCICommand {
    static let opcode = HCIOpcode.leSetAdvertisingData
    var data: [UInt8]

    func append(to packet: inout [UInt8]) { packet.append(paddedAdvertising: data) }
}

/// LE Set Scan Response Data (7.8.8).
struct LESetScanResponseData: HCICommand {
    static let opcode = HCIOpcode.leSetScanResponseData
    var data: [UInt8]

    func append(to packet: inout [UInt8]) { packet.append(paddedAdvertising: data) }
}

/// LE Set Advertising Enable (7.8.9).
struct LESetAdvertisingEnable: HCICommand {
    static let opcode = HCIOpcode.leSetAdvertisingEnable
    var enabled: Bool

    func append(to packet: inout [UInt8]) { packet.append(enabled ? 1 : 0) }
}

/// LE Set Extended Advertising Parameters [v1] (7.8.53), with the legacy PDUs that every phone knows.
struct LESetExtendedAdvertisingParameters: HCICommand {
    static let opcode = HCIOpcode.leSetExtendedAdvertisingParameters
    /// The power that leaves the choice to the controller.
    static let noPreference: UInt8 = 0x7F

    var set: UInt8
    var parameters: AdvertisingParameters

    func append(to packet: inout [UInt8]) {
        packet.append(set)
        let properties: UInt16 =
            switch parameters.kind {
            case .connectable: 0x0013  // connectable, scannable, legacy PDUs: ADV_IND
            case .scannable: 0x0012  // ADV_SCAN_IND
            case .nonConnectable: 0x0010  // ADV_NONCONN_IND
            }
        packet.append(littleEndian: properties)
        packet.append(littleEndian24: UInt32(parameters.interval))
        packet.append(littleEndian24: UInt32(parameters.interval))
        packet.append(0x07)  // channels 37, 38, 39
        packet.append(0x01)  // own address: random
        packet.append(0x00)  // peer address type
        packet.append(BluetoothAddress(kind: .public, value: 0))
        packet.append(0x00)  // scan and connection requests from anybody
        packet.append(parameters.power.map { UInt8(bitPattern: $0) } ?? LESetExtendedAdvertisingParameters.noPreference)
        packet.append(0x01)  // primary PHY: 1M
        packet.append(0x00)  // secondary maximum skip
        packet.append(0x01)  // secondary PHY: 1M
        packet.append(0x00)  // advertising SID
        packet.append(0x00)  // no scan request notifications
    }

    /// The power that the controller has chosen, in dBm; nil for what cannot be a power. A controller that leaves it
    /// out has taken the parameters all the same.
    static func parse(_ packet: Span<UInt8>, _ cursor: inout OctetCursor) throws(OctetError) -> Int8? {
        guard cursor.remaining > 0 else { return nil }
        return transmitPower(try cursor.i8(packet))
    }
}

/// A power as controllers tell it, where it can be one.
private func transmitPower(_ value: Int8) -> Int8? {
    AdvertisingSet.transmitPowers.contains(value) ? value : nil
}

/// LE Set Advertising Set Random Address (7.8.52).
struct LESetAdvertisingSetRandomAddress: HCICommand {
    static let opcode = HCIOpcode.leSetAdvertisingSetRandomAddress
    var set: UInt8
    var address: BluetoothAddress

    func append(to packet: inout [UInt8]) {
        packet.append(set)
        packet.append(address)
    }
}

/// LE Set Extended Advertising Data (7.8.54), all in one piece.
struct LESetExtendedAdvertisingData: HCICommand {
    static let opcode = HCIOpcode.leSetExtendedAdvertisingData
    var set: UInt8
    var data: [UInt8]

    func append(to packet: inout [UInt8]) { packet.append(wholeAdvertising: data, set: set) }
}

/// LE Set Extended Scan Response Data (7.8.55), all in one piece.
struct LESetExtendedScanResponseData: HCICommand {
    static let opcode = HCIOpcode.leSetExtendedScanResponseData
    var set: UInt8
    var data: [UInt8]

    func append(to packet: inout [UInt8]) { packet.append(wholeAdvertising: data, set: set) }
}

/// LE Set Extended Advertising Enable (7.8.56); no set at all with `enabled` false means every set.
struct LESetExtendedAdvertisingEnable: HCICommand {
    static let opcode = HCIOpcode.leSetExtendedAdvertisingEnable
    var enabled: Bool
    var sets: [UInt8]

    func append(to packet: inout [UInt8]) {
        packet.append(enabled ? 1 : 0)
        packet.append(UInt8(truncatingIfNeeded: sets.count))
        for set in sets {
            packet.append(set)
            packet.append(littleEndian: UInt16(0))  // duration: until disabled
            packet.append(0x00)  // no limit of events
        }
    }
}

/// LE Remove Advertising Set (7.8.59).
struct LERemoveAdvertisingSet: HCICommand {
    static let opcode = HCIOpcode.leRemoveAdvertisingSet
    var set: UInt8

    func append(to packet: inout [UInt8]) { packet.append(set) }
}

extension [UInt8] {
    /// Length and 31 octets, as the legacy commands want them.
    fileprivate mutating func append(paddedAdvertising data: [UInt8]) {
        let part = data.prefix(AdvertisingSet.maximumDataCount)
        append(UInt8(truncatingIfNeeded: part.count))
        append(contentsOf: part)
        append(contentsOf: repeatElement(0, count: AdvertisingSet.maximumDataCount - part.count))
    }

    /// Set, complete data, should not be fragmented, length and octets.
    fileprivate mutating func append(wholeAdvertising data: [UInt8], set: UInt8) {
        let part = data.prefix(AdvertisingSet.maximumDataCount)
        append(set)
        append(0x03)
        append(0x01)
        append(UInt8(truncatingIfNeeded: part.count))
        append(contentsOf: part)
    }
}
