// SPDX-License-Identifier: Apache-2.0

import Octets

/// The initialization of a controller: the commands in order, and the returned properties.
struct BringUp: Equatable {
    /// The steps in order, one command each.
    enum Step: Int, CaseIterable {
        case reset, supportedCommands, version, features, eventMask, leEventMask, leBufferSize, leBufferSizeV2
        case bufferSize, address
        case numberOfSets, suggestedDataLength
    }

    /// The smallest data length of a controller (Core 5.4, Vol 4, Part E, 7.8.2).
    static let minimumDataLength = 27

    private(set) var step = Step.reset
    var commands = SupportedCommands()
    var version = ControllerVersion()
    var features: UInt64 = 0
    var buffers = DataBuffers()
    var publicAddress: BluetoothAddress?
    var sets = 1

    /// Disconnection Complete, Encryption Change, Hardware Error, Data Buffer Overflow, Encryption Key Refresh
    /// Complete, LE Meta (7.3.1).
    static let eventMask: UInt64 = 1 << 4 | 1 << 7 | 1 << 15 | 1 << 25 | 1 << 47 | 1 << 61
    /// Connection Complete, Connection Update Complete, Long Term Key Request, Data Length Change, Enhanced Connection
    /// Complete, PHY Update Complete, Advertising Set Terminated (7.8.1).
    static let leEventMask: UInt64 = 1 << 0 | 1 << 2 | 1 << 4 | 1 << 6 | 1 << 9 | 1 << 11 | 1 << 17
    /// Transmit Power Reporting (7.8.1), which is added once a link's power is asked for.
    static let transmitPowerEventMask: UInt64 = 1 << 32

    /// The command of the current step.
    var command: HostCommand {
        switch step {
        case .reset: .bare(.reset)
        case .supportedCommands: .bare(.readLocalSupportedCommands)
        case .version: .bare(.readLocalVersion)
        case .features: .bare(.leReadLocalSupportedFeatures)
        case .eventMask: .setEventMask(BringUp.eventMask)
        case .leEventMask: .leSetEventMask(BringUp.leEventMask)
        case .leBufferSize: .bare(.leReadBufferSize)
        case .leBufferSizeV2: .bare(.leReadBufferSizeV2)
        case .bufferSize: .bare(.readBufferSize)
        case .address: .bare(.readBDADDR)
        case .numberOfSets: .bare(.leReadNumberOfSupportedAdvertisingSets)
        case .suggestedDataLength: .leWriteSuggestedDefaultDataLength
        }
    }

    /// Stores the return parameters of the current step's command.
    mutating func store(_ packet: Span<UInt8>, _ cursor: inout OctetCursor) throws(OctetError) {
        switch step {
        case .supportedCommands: commands = try SupportedCommands(packet, &cursor)
        case .version: version = try ControllerVersion(packet, &cursor)
        case .features: features = try cursor.u64(packet)
        case .leBufferSize: buffers = try DataBuffers(le: packet, &cursor)
        case .leBufferSizeV2:
            let told = try DataBuffers(le: packet, &cursor)
            _ = try cursor.consume(3, of: packet)  // ISO_Data_Packet_Length, Total_Num_ISO_Data_Packets
            buffers = told
        case .bufferSize: buffers = try DataBuffers(packet, &cursor)
        case .address: publicAddress = try BluetoothAddress(kind: .public, packet, &cursor)
        case .numberOfSets: sets = max(Int(try cursor.u8(packet)), 1)
        case .reset, .eventMask, .leEventMask, .suggestedDataLength: break
        }
    }

    /// True if the host may request other connection parameters by LE Connection Update: the command is listed, and the
    /// Connection Parameters Request procedure is supported (Core 5.4, Vol 6, Part B, 4.6).
    var updatesConnections: Bool { commands.hasConnectionUpdate && features & 1 << 1 != 0 }

    /// True if the host may ask for the transmit power of a link's peer: both commands are listed, and the controller
    /// has the feature LE Power Control Request, of which bit 34 is a copy (Core 5.4, Vol 6, Part B, 4.6).
    var tellsTransmitPower: Bool {
        commands.hasReadRemoteTransmitPower && commands.hasTransmitPowerReporting && features & 1 << 33 != 0
    }

    /// True if the initialization continues without this command.
    static func isNecessary(_ step: Step) -> Bool {
        switch step {
        case .reset, .eventMask, .leEventMask, .leBufferSize, .bufferSize: true
        case .supportedCommands, .version, .features, .leBufferSizeV2, .address, .numberOfSets, .suggestedDataLength:
            false
        }
    }

    /// True if the initialization fails if the controller refuses this step's command. Buffer sizes have several
    /// commands, of which the first may be unknown.
    static func isFatal(_ refusal: HCIStatus, of step: Step) -> Bool {
        isNecessary(step) && !(step == .leBufferSize && refusal == .unknownCommand)
    }

    /// Advances to the next step that this controller requires; false after the last one.
    mutating func advance() -> Bool {
        while let next = Step(rawValue: step.rawValue + 1) {
            step = next
            if isNeeded(next) { return true }
        }
        return false
    }

    private func isNeeded(_ step: Step) -> Bool {
        switch step {
        case .leBufferSizeV2: !buffers.exist && commands.hasBufferSizeV2
        case .bufferSize: !buffers.exist
        case .numberOfSets: commands.hasExtendedAdvertising && commands.hasNumberOfAdvertisingSets
        case .suggestedDataLength: commands.hasSuggestedDataLength
        default: true
        }
    }

    /// The fault of the buffers after the commands that report them; nil if they are usable.
    var bufferFault: String? {
        guard buffers.exist else {
            return "the controller has no buffers for ACL data; replace it or its firmware"
        }
        guard buffers.length >= BringUp.minimumDataLength else {
            return "the controller's ACL packets carry \(buffers.length) octets, at least 27 are needed; replace it or "
                + "its firmware"
        }
        return nil
    }

    /// The properties of the controller for the device.
    var description: ControllerDescription {
        ControllerDescription(
            hciVersion: version.hci, manufacturer: version.manufacturer,
            extendedAdvertising: commands.hasExtendedAdvertising,
            advertisingSets: commands.hasExtendedAdvertising ? sets : 1, readsRSSI: commands.hasReadRSSI,
            tellsTransmitPower: tellsTransmitPower, aclDataLength: buffers.length, aclPackets: buffers.packets)
    }
}
