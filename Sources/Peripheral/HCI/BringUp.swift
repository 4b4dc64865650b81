/// The order in which a controller is started, and what it has said on the way.
struct BringUp: Equatable {
    /// One command each, in order.
    enum Step: Int, CaseIterable {
        case reset, supportedCommands, version, features, eventMask, leEventMask, leBufferSize, leBufferSizeV2
        case bufferSize, address
        case numberOfSets, suggestedDataLength
    }

    /// The smallest data length of a controller (Core 5.4, Vol 4, Part E, 7.8.2).
    static let minimumDataLength = 27

    private(set) var step = Step.reset
    var commands = SupportedCommands()
    var version = ReadLocalVersion.Version(hci: 0, manufacturer: 0)
    var features: UInt64 = 0
    var buffers = DataBuffers(length: 0, packets: 0)
    var publicAddress: BluetoothAddress?
    var sets = 1

    /// Whether the start goes on when the controller does not know this command.
    static func isNecessary(_ step: Step) -> Bool {
        switch step {
        case .reset, .eventMask, .leEventMask, .leBufferSize, .bufferSize: true
        case .supportedCommands, .version, .features, .leBufferSizeV2, .address, .numberOfSets, .suggestedDataLength:
            false
        }
    }

    /// Whether the start ends when the controller refuses this step's command. One that does not know how to tell its
    /// buffers is asked in other ways.
    static func isFatal(_ refusal: HCIStatus, of step: Step) -> Bool {
        isNecessary(step) && !(step == .leBufferSize && refusal == .unknownCommand)
    }

    /// Goes on to the next step that this controller needs; false after the last one.
    mutating func advance() -> Bool {
        while let next = Step(rawValue: step.rawValue + 1) {
            step = next
            if isNeeded(next) { return true }
        }
        return false
    }

    private func isNeeded(_ step: Step) -> Bool {
        switch step {
        case .leBufferSizeV2: !hasBuffers && commands.contains(.leReadBufferSizeV2)
        case .bufferSize: !hasBuffers
        case .numberOfSets:
            commands.hasExtendedAdvertising && commands.contains(.leReadNumberOfSupportedAdvertisingSets)
        case .suggestedDataLength: commands.contains(.leWriteSuggestedDefaultDataLength)
        default: true
        }
    }

    private var hasBuffers: Bool { buffers.length > 0 && buffers.packets > 0 }

    /// What is wrong with the buffers after the commands that tell of them; nil if they will do.
    var bufferFault: String? {
        guard hasBuffers else {
            return "the controller has no buffers for ACL data; replace it or its firmware"
        }
        guard buffers.length >= BringUp.minimumDataLength else {
            return "the controller's ACL packets carry \(buffers.length) octets, at least 27 are needed; replace it or "
                + "its firmware"
        }
        return nil
    }

    /// The controller as the device sees it.
    var description: ControllerDescription {
        ControllerDescription(
            hciVersion: version.hci, manufacturer: version.manufacturer,
            extendedAdvertising: commands.hasExtendedAdvertising,
            advertisingSets: commands.hasExtendedAdvertising ? sets : 1, readsRSSI: commands.contains(.readRSSI),
            aclDataLength: buffers.length, aclPackets: buffers.packets)
    }
}
