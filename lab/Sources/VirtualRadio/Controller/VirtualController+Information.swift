// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral
import SeededNumbers

extension VirtualController {
    /// The company identifier for internal use (Assigned Numbers, 7.1).
    private static let manufacturer: UInt16 = 0xFFFF

    /// The features of an LE-only controller: LE supported, BR/EDR not supported (Core 5.4, Vol 2, Part C, 3.3).
    private static let localFeatures: [UInt8] = [0, 0, 0, 0, 0x60, 0, 0, 0]

    /// The LE features (Core 5.4, Vol 6, Part B, 4.6).
    var features: UInt64 {
        var features: UInt64 = 1 << 0
        if profile.connectionParametersRequest { features |= 1 << 1 | 1 << 2 }
        if profile.version >= 0x07 { features |= 1 << 3 }
        if profile.dataLengthExtension { features |= 1 << 5 }
        if profile.resolvingListSize > 0 { features |= 1 << 6 }
        if profile.extendedAdvertising { features |= 1 << 12 }
        if profile.channelSelectionAlgorithm2 { features |= 1 << 14 }
        if profile.powerControl { features |= 1 << 33 | 1 << 34 }
        return features
    }

    /// The maximum data length in a packet, in both directions.
    var maximumDataLength: UInt16 {
        profile.dataLengthExtension ? DataLengths.maximum : DataLengths.minimum
    }

    /// Return parameters of the informational commands.
    func inform(_ command: Command) -> [UInt8] {
        var returned: [UInt8] = []
        switch command {
        case .readLocalVersionInformation:
            returned = [profile.version, 0x00, 0x00, profile.version]
            returned.append(littleEndian: VirtualController.manufacturer)
            returned.append(littleEndian: UInt16(0x0001))
        case .readLocalSupportedCommands: returned = Command.supportedCommands(of: profile)
        case .readLocalSupportedFeatures: returned = VirtualController.localFeatures
        case .readBufferSize:
            returned.append(littleEndian: UInt16(truncatingIfNeeded: profile.aclDataLength))
            returned.append(0)
            returned.append(littleEndian: UInt16(truncatingIfNeeded: profile.aclPackets))
            returned.append(littleEndian: UInt16(0))
        case .readLEBufferSize:
            returned.append(littleEndian: UInt16(profile.sharesACLBuffers ? 0 : profile.aclDataLength & 0xFFFF))
            returned.append(profile.sharesACLBuffers ? 0 : UInt8(truncatingIfNeeded: profile.aclPackets))
        case .readBDAddress: returned.append(address: address.value)
        case .readLocalLEFeatures: returned.append(littleEndian: features)
        case .rand: returned.append(littleEndian: random.next())
        case .readSupportedStates: returned.append(littleEndian: 0x0000_03FF_FFFF_FFFF as UInt64)
        case .readAdvertisingTransmitPower: returned = [0]
        case .readPathCompensation:
            returned.append(littleEndian: UInt16(bitPattern: state.pathCompensation.transmit))
            returned.append(littleEndian: UInt16(bitPattern: state.pathCompensation.receive))
        case .readMaximumAdvertisingDataLength:
            returned.append(littleEndian: UInt16(Advertiser.maximumDataCount))
        case .readNumberOfAdvertisingSets: returned = [UInt8(truncatingIfNeeded: profile.advertisingSets)]
        case .readFilterAcceptListSize: returned = [UInt8(truncatingIfNeeded: profile.filterAcceptListSize)]
        case .readResolvingListSize: returned = [UInt8(truncatingIfNeeded: profile.resolvingListSize)]
        case .readSuggestedDataLength:
            returned.append(littleEndian: state.suggestedOctets)
            returned.append(littleEndian: state.suggestedTime)
        case .readMaximumDataLength:
            for _ in 0..<2 {
                returned.append(littleEndian: maximumDataLength)
                returned.append(littleEndian: VirtualController.time(of: maximumDataLength))
            }
        default: break
        }
        return returned
    }

    /// Read Local Extended Features (7.4.4): page 0 is the only one, since the others are the host's BR/EDR settings.
    func readExtendedFeatures(_ parameters: inout CommandParameters) throws(CommandRefusal) -> [UInt8] {
        guard try parameters.u8() == 0 else { throw .blameless(.invalidParameters) }
        return [0, 0] + VirtualController.localFeatures
    }

    /// The duration of a packet with this many octets on the 1M PHY, in µs (Core 5.4, Vol 6, Part B, 4.5.10).
    static func time(of octets: UInt16) -> UInt16 {
        (octets &+ 14) &* 8
    }

    /// Reset (Core 5.4, Vol 4, Part E, 7.3.2).
    func reset() -> [UInt8] {
        dropEverything(farewell: profile.terminatesLinksOnReset)
        return []
    }

    /// Clears the state; with `farewell`, the peers of its links are notified at their next events.
    func dropEverything(farewell: Bool) {
        if state.test != nil { air.transmitPendingTestPackets() }
        for end in state.links {
            end.saysFarewell = farewell
            end.isOpen = false
            air.linkEnded(end.link, at: self, reason: nil)
            retired[end.handle] = outbound.queued + 1
        }
        state = ControllerState()
        heldPackets = 0
    }

    /// LE Set Random Address (7.8.4).
    func setRandomAddress(_ parameters: inout CommandParameters) throws(CommandRefusal) {
        let address = try parameters.u48()
        let legacyAdvertising = state.advertisers.contains { $0.handle == nil && $0.run != nil }
        guard !legacyAdvertising, state.scanner == nil, state.initiator == nil else {
            // A host may ask for this answer: it shows that advertising is enabled.
            guard address != state.randomAddress else { throw .blameless(.commandDisallowed) }
            throw .violation(.commandDisallowed, "advertising, scanning or initiating runs")
        }
        state.randomAddress = address
    }

    /// The filter accept list commands (7.8.15 to 7.8.17).
    func changeAcceptList(_ command: Command, _ parameters: inout CommandParameters) throws(CommandRefusal) {
        let advertiserUses = state.advertisers.contains { $0.run != nil && $0.filterPolicy != 0 }
        let initiatorUses = state.initiator.map { $0.target == nil } ?? false
        guard !advertiserUses, !initiatorUses, state.scanner?.settings.usesAcceptList != true else {
            throw .violation(.commandDisallowed, "the filter accept list is in use")
        }
        if command == .clearFilterAcceptList { return state.acceptList.removeAll() }
        let entry = try parameters.address()
        state.acceptList.removeAll { $0 == entry }
        guard command == .addToFilterAcceptList else { return }
        guard state.acceptList.count < profile.filterAcceptListSize else {
            throw .blameless(ControllerStatus.memoryCapacityExceeded)
        }
        state.acceptList.append(entry)
    }
}
