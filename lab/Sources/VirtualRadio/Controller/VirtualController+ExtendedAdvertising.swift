// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral
import Timekeeping

/// Advertising sets (Core 5.4, Vol 4, Part E, 7.8.52 to 7.8.60), with legacy PDUs only.
extension VirtualController {
    private func setIndex(_ handle: UInt8) throws(CommandRefusal) -> Int {
        guard handle <= 0xEF else { throw .violation(.invalidParameters, "Advertising_Handle \(handle)") }
        guard let index = advertiserIndex(handle: handle) else {
            throw .violation(ControllerStatus.unknownAdvertisingIdentifier, "no advertising set \(handle)")
        }
        return index
    }

    /// LE Set Extended Advertising Parameters (7.8.53); returns the transmit power.
    func setExtendedAdvertisingParameters(_ parameters: inout CommandParameters) throws(CommandRefusal) -> [UInt8] {
        let handle = try parameters.u8(in: 0...0xEF, "Advertising_Handle")
        let known = advertiserIndex(handle: handle)
        var changed = known.map { state.advertisers[$0] } ?? Advertiser(handle: handle)
        guard changed.run == nil else { throw .violation(.commandDisallowed, "set \(handle) is enabled") }
        changed.kind = try extendedKind(try parameters.u16())
        let minimum = try parameters.u24()
        let maximum = try parameters.u24()
        guard minimum >= 0x20, minimum <= maximum else {
            throw .violation(.invalidParameters, "primary advertising interval \(minimum) to \(maximum)")
        }
        changed.interval = .microseconds(625 * Int64(minimum))
        changed.channelMap = try parameters.u8(in: 1...7, "Primary_Advertising_Channel_Map")
        changed.ownAddressType = try parameters.u8(in: 0...3, "Own_Address_Type")
        changed.target = try parameters.address()
        changed.filterPolicy = try parameters.u8(in: 0...3, "Advertising_Filter_Policy")
        let power = Int8(bitPattern: try parameters.u8())
        guard power == 127 || power <= 20 else { throw .violation(.invalidParameters, "transmit power \(power)") }
        guard try parameters.u8() == 0x01 else {
            throw .violation(.invalidParameters, "legacy PDUs are sent on the 1M PHY only")
        }
        _ = try parameters.u16()  // Secondary_Advertising_Max_Skip and _PHY mean nothing for legacy PDUs.
        changed.sid = try parameters.u8(in: 0...0x0F, "Advertising_SID")
        guard try parameters.u8(in: 0...1, "Scan_Request_Notification_Enable") == 0 else {
            throw .blameless(.unsupportedFeature)
        }
        guard changed.kind.carriesData || changed.data.isEmpty else {
            throw .violation(.invalidParameters, "set \(handle) holds data that this type cannot carry")
        }
        if let known {
            state.advertisers[known] = changed
        } else {
            guard state.advertisers.count < profile.advertisingSets else {
                throw .blameless(ControllerStatus.memoryCapacityExceeded)
            }
            state.advertisers.append(changed)
        }
        return [0]
    }

    /// The kind given by Advertising_Event_Properties with the legacy bit (7.8.53, table).
    private func extendedKind(_ properties: UInt16) throws(CommandRefusal) -> AdvertisingKind {
        switch properties {
        case 0x13: return .undirected
        case 0x12: return .scannable
        case 0x10: return .nonConnectable
        case 0x15: return .directed
        // High duty cycle directed advertising and extended PDUs are not simulated.
        case 0x1D: throw .blameless(.unsupportedFeature)
        case _ where properties & 0x10 == 0: throw .blameless(.unsupportedFeature)
        default: throw .violation(.invalidParameters, "Advertising_Event_Properties \(properties)")
        }
    }

    /// The other commands for advertising sets.
    func advertiseExtended(_ command: Command, _ parameters: inout CommandParameters) throws(CommandRefusal) {
        switch command {
        case .setAdvertisingSetRandomAddress:
            let index = try setIndex(try parameters.u8())
            let address = try parameters.u48()
            guard state.advertisers[index].run == nil || !state.advertisers[index].kind.isConnectable else {
                // A host may ask for this answer: it shows that the set is enabled.
                guard address != state.advertisers[index].randomAddress else { throw .blameless(.commandDisallowed) }
                throw .violation(.commandDisallowed, "the set is connectable and enabled")
            }
            state.advertisers[index].randomAddress = address
            if state.advertisers[index].ownAddressType & 1 == 1 {
                state.advertisers[index].run?.address = BluetoothAddress(kind: .random, value: address)
            }
        case .setExtendedAdvertisingData:
            let index = try setIndex(try parameters.u8())
            let data = try extendedData(&parameters)
            guard state.advertisers[index].kind.carriesData else {
                throw .violation(.invalidParameters, "this type carries no data")
            }
            state.advertisers[index].data = data
        case .setExtendedScanResponseData:
            let index = try setIndex(try parameters.u8())
            let data = try extendedData(&parameters)
            guard state.advertisers[index].kind.isScannable || data.isEmpty else {
                throw .violation(.invalidParameters, "this type has no scan response")
            }
            state.advertisers[index].scanResponse = data
        case .setExtendedAdvertisingEnable: try enableSets(&parameters)
        case .removeAdvertisingSet:
            let index = try setIndex(try parameters.u8())
            guard state.advertisers[index].run == nil else {
                throw .violation(.commandDisallowed, "the set is enabled")
            }
            state.advertisers.remove(at: index)
        default:
            guard state.advertisers.allSatisfy({ $0.run == nil }) else {
                throw .violation(.commandDisallowed, "a set is enabled")
            }
            state.advertisers.removeAll()
        }
    }

    /// Reads operation, fragment preference, length and data. Data of legacy PDUs is not fragmented (7.8.54).
    private func extendedData(_ parameters: inout CommandParameters) throws(CommandRefusal) -> [UInt8] {
        guard try parameters.u8() == 0x03 else {
            throw .violation(.invalidParameters, "data of legacy PDUs is set in one piece (operation 0x03)")
        }
        _ = try parameters.u8(in: 0...1, "Fragment_Preference")
        let count = try parameters.u8()
        guard Int(count) <= Advertiser.maximumDataCount else {
            throw .violation(.invalidParameters, "\(count) octets of data for a legacy PDU")
        }
        let data = try parameters.consume(Int(count))
        try parameters.finish()
        return data
    }

    /// The parameters of LE Set Extended Advertising Enable for one set.
    private struct Enabling {
        var index: Int
        var address: BluetoothAddress
        var duration: Duration?
        var maximumEvents: UInt8
    }

    /// LE Set Extended Advertising Enable (7.8.56), for all listed sets or none.
    private func enableSets(_ parameters: inout CommandParameters) throws(CommandRefusal) {
        let enable = try parameters.u8(in: 0...1, "Enable") == 1
        let count = try parameters.u8(in: 0...0x3F, "Num_Sets")
        guard count > 0 || !enable else { throw .violation(.invalidParameters, "enabling no set") }
        guard parameters.remaining == 4 * Int(count) else {
            throw .violation(.invalidParameters, "parameters do not fit Num_Sets \(count)")
        }
        if count == 0 {
            for index in state.advertisers.indices { state.advertisers[index].run = nil }
            return
        }
        var sets: [Enabling] = []
        for _ in 0..<count {
            let index = try setIndex(try parameters.u8())
            let duration = try parameters.u16()
            let maximumEvents = try parameters.u8()
            guard !sets.contains(where: { $0.index == index }) else {
                throw .violation(.invalidParameters, "a set is named twice")
            }
            var address = self.address
            if enable {
                address = try advertisingAddress(index)
                try requireRoom(for: state.advertisers[index].kind)
            }
            sets.append(
                Enabling(
                    index: index, address: address,
                    duration: duration == 0 ? nil : .milliseconds(10 * Int64(duration)), maximumEvents: maximumEvents))
        }
        for set in sets {
            if enable {
                startAdvertising(set.index, set.address, duration: set.duration, maximumEvents: set.maximumEvents)
            } else {
                state.advertisers[set.index].run = nil
            }
        }
    }
}
