import Octets

/// LE Set Random Address (Core 5.4, Vol 4, Part E, 7.8.4).
struct LESetRandomAddress: HCICommand {
    static let opcode = HCIOpcode.leSetRandomAddress
    var address: BluetoothAddress

    func append(to packet: inout [UInt8]) { packet.append(address) }
}

/// LE Set Advertising Parameters (7.8.5): ADV_IND, random address, all channels, anybody.
struct LESetAdvertisingParameters: HCICommand {
    static let opcode = HCIOpcode.leSetAdvertisingParameters
    /// Units of 0.625 ms.
    var interval: UInt16

    func append(to packet: inout [UInt8]) {
        packet.append(littleEndian: interval)
        packet.append(littleEndian: interval)
        packet.append(0x00)  // connectable and scannable undirected
        packet.append(0x01)  // own address: random
        packet.append(0x00)  // peer address type
        packet.append(BluetoothAddress(kind: .public, value: 0))
        packet.append(0x07)  // channels 37, 38, 39
        packet.append(0x00)  // scan and connection requests from anybody
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
    var set: UInt8
    /// Units of 0.625 ms.
    var interval: UInt16

    func append(to packet: inout [UInt8]) {
        packet.append(set)
        packet.append(littleEndian: UInt16(0x0013))  // connectable, scannable, legacy PDUs: ADV_IND
        packet.append(littleEndian24: UInt32(interval))
        packet.append(littleEndian24: UInt32(interval))
        packet.append(0x07)  // channels 37, 38, 39
        packet.append(0x01)  // own address: random
        packet.append(0x00)  // peer address type
        packet.append(BluetoothAddress(kind: .public, value: 0))
        packet.append(0x00)  // scan and connection requests from anybody
        packet.append(0x7F)  // transmit power: no preference
        packet.append(0x01)  // primary PHY: 1M
        packet.append(0x00)  // secondary maximum skip
        packet.append(0x01)  // secondary PHY: 1M
        packet.append(0x00)  // advertising SID
        packet.append(0x00)  // no scan request notifications
    }
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
