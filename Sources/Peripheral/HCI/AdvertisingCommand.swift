// SPDX-License-Identifier: Apache-2.0

import Octets

/// The commands of the advertiser (Core 5.4, Vol 4, Part E, 7.8). The numbers are sections of that part.
enum AdvertisingCommand: HCICommand, Equatable {
    /// The random address of the controller (7.8.4); advertising sets have their own addresses.
    case randomAddress(BluetoothAddress)
    /// The address of the legacy advertiser while it has this set (7.8.4).
    case legacyAddress(set: UInt8, BluetoothAddress)
    /// LE Set Advertising Parameters (7.8.5): undirected, random address, all channels, no filter.
    case legacyParameters(AdvertisingParameters)
    /// LE Read Advertising Physical Channel Tx Power (7.8.6).
    case legacyPower
    /// LE Set Advertising Data (7.8.7).
    case legacyData([UInt8])
    /// LE Set Scan Response Data (7.8.8).
    case legacyScanResponse([UInt8])
    /// LE Set Advertising Enable (7.8.9).
    case legacyEnable(Bool)
    /// LE Set Extended Advertising Parameters [v1] (7.8.53), with legacy PDUs.
    case parameters(set: UInt8, AdvertisingParameters)
    /// LE Set Advertising Set Random Address (7.8.52).
    case address(set: UInt8, BluetoothAddress)
    /// LE Set Extended Advertising Data (7.8.54), complete.
    case data(set: UInt8, [UInt8])
    /// LE Set Extended Scan Response Data (7.8.55), complete.
    case scanResponse(set: UInt8, [UInt8])
    /// LE Set Extended Advertising Enable (7.8.56), without limits of duration and events.
    case enable([UInt8])
    /// LE Set Extended Advertising Enable (7.8.56); an empty list disables all sets.
    case disable([UInt8])
    /// LE Remove Advertising Set (7.8.59).
    case remove(set: UInt8)
    /// A command that is sent again to verify the state of an enabled set (`AdvertisingReview`).
    indirect case review(AdvertisingCommand)

    var opcode: HCIOpcode {
        switch self {
        case .randomAddress, .legacyAddress: .leSetRandomAddress
        case .legacyParameters: .leSetAdvertisingParameters
        case .legacyPower: .leReadAdvertisingTransmitPower
        case .legacyData: .leSetAdvertisingData
        case .legacyScanResponse: .leSetScanResponseData
        case .legacyEnable: .leSetAdvertisingEnable
        case .parameters: .leSetExtendedAdvertisingParameters
        case .address: .leSetAdvertisingSetRandomAddress
        case .data: .leSetExtendedAdvertisingData
        case .scanResponse: .leSetExtendedScanResponseData
        case .enable, .disable: .leSetExtendedAdvertisingEnable
        case .remove: .leRemoveAdvertisingSet
        case .review(let command): command.opcode
        }
    }

    func appendParameters(to packet: inout [UInt8]) {
        switch self {
        case .randomAddress(let address), .legacyAddress(_, let address):
            HostCommand.leSetRandomAddress(address).appendParameters(to: &packet)
        case .legacyParameters(let parameters): parameters.append(toLegacy: &packet)
        case .legacyPower: break
        case .legacyData(let data), .legacyScanResponse(let data):
            let part = data.prefix(AdvertisingSet.maximumDataCount)
            packet.append(UInt8(truncatingIfNeeded: part.count))
            packet.append(contentsOf: part)
            packet.append(contentsOf: repeatElement(0, count: AdvertisingSet.maximumDataCount - part.count))
        case .legacyEnable(let enabled): packet.append(enabled ? 1 : 0)
        case .parameters(let set, let parameters):
            packet.append(set)
            parameters.append(toExtended: &packet)
        case .address(let set, let address):
            packet.append(set)
            address.append(to: &packet)
        case .data(let set, let data), .scanResponse(let set, let data):
            packet.append(set)
            packet.append(0x03)  // complete data
            packet.append(0x01)  // should not be fragmented
            packet.appendCounted { $0.append(contentsOf: data.prefix(AdvertisingSet.maximumDataCount)) }
        case .enable(let sets): AdvertisingCommand.append(sets, enabled: true, to: &packet)
        case .disable(let sets): AdvertisingCommand.append(sets, enabled: false, to: &packet)
        case .remove(let set): packet.append(set)
        case .review(let command): command.appendParameters(to: &packet)
        }
    }

    private static func append(_ sets: [UInt8], enabled: Bool, to packet: inout [UInt8]) {
        packet.append(enabled ? 1 : 0)
        packet.append(UInt8(truncatingIfNeeded: sets.count))
        for set in sets {
            packet.append(set)
            packet.append(littleEndian: UInt16(0))  // duration: until disabled
            packet.append(0x00)  // no limit of events
        }
    }
}

extension AdvertisingParameters {
    fileprivate func append(toLegacy packet: inout [UInt8]) {
        packet.append(littleEndian: interval)
        packet.append(littleEndian: interval)
        switch kind {
        case .connectable: packet.append(0x00)  // ADV_IND
        case .scannable: packet.append(0x02)  // ADV_SCAN_IND
        case .nonConnectable: packet.append(0x03)  // ADV_NONCONN_IND
        }
        packet.append(0x01)  // own address: random
        packet.append(contentsOf: repeatElement(0, count: 7))  // no peer address
        packet.append(0x07)  // channels 37, 38, 39
        packet.append(0x00)  // no filter
    }

    fileprivate func append(toExtended packet: inout [UInt8]) {
        let properties: UInt16 =
            switch kind {
            case .connectable: 0x0013  // connectable, scannable, legacy PDUs: ADV_IND
            case .scannable: 0x0012  // ADV_SCAN_IND
            case .nonConnectable: 0x0010  // ADV_NONCONN_IND
            }
        packet.append(littleEndian: properties)
        packet.append(littleEndian24: UInt32(interval))
        packet.append(littleEndian24: UInt32(interval))
        packet.append(0x07)  // channels 37, 38, 39
        packet.append(0x01)  // own address: random
        packet.append(contentsOf: repeatElement(0, count: 7))  // no peer address
        packet.append(0x00)  // no filter
        packet.append(UInt8(bitPattern: power ?? 0x7F))  // no preference
        packet.append(0x01)  // primary PHY: 1M
        packet.append(0x00)  // secondary maximum skip
        packet.append(0x01)  // secondary PHY: 1M
        packet.append(0x00)  // advertising SID
        packet.append(0x00)  // no scan request notifications
    }
}
