import Octets
import Peripheral
public import Timekeeping

/// The commands of the controller's initialization, in this order.
enum Startup: Int, Equatable, Sendable {
    case reset
    case supportedCommands
    case features
    case eventMask
    case leEventMask
    case leBufferSize
    case bufferSize
    case publicAddress
    case randomAddress
    case suggestedDataLength
}

extension Central {
    /// Disconnection Complete, Hardware Error, LE Meta (Core 5.4, Vol 4, Part E, 7.3.1).
    private static let eventMask: UInt64 = 1 << 4 | 1 << 15 | 1 << 61
    /// Connection Complete, Advertising Report, Connection Update Complete, Remote Connection Parameter Request,
    /// Data Length Change, Enhanced Connection Complete, Extended Advertising Report (7.8.1).
    private static let leEventMask: UInt64 = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 5 | 1 << 6 | 1 << 9 | 1 << 12

    /// Resets and initializes the controller, in any state; `ready` or `failed` follows. Open links end with their
    /// `disconnected`.
    public mutating func start(at now: Instant) {
        for link in links { events.append(.disconnected(link.id, reason: .localHostTerminated)) }
        forget()
        phase = .starting(.reset)
        command(CentralCommand.reset, at: now)
    }

    /// Handles the answer to an initialization command: `bytes` holds the return parameters after the status.
    mutating func startupAnswered(
        _ step: Startup, _ opcode: UInt16, _ status: HCIStatus, _ bytes: Span<UInt8>, at now: Instant
    ) {
        guard status == .success else { return fail(.commandRefused(opcode: opcode, status)) }
        do throws(OctetError) {
            try learn(step, bytes)
        } catch {
            return fail(.unsuitable("answer to command \(opcode) is too short"))
        }
        askNext(after: step, at: now)
    }

    /// Stores the return parameters. Additional octets are ignored: later versions of the specification add some.
    private mutating func learn(_ step: Startup, _ bytes: Span<UInt8>) throws(OctetError) {
        var cursor = OctetCursor(bytes)
        switch step {
        case .supportedCommands:
            let range = try cursor.take(64, of: bytes)
            controller.supportedCommands.removeAll()
            controller.supportedCommands.append(bytes.extracting(range))
        case .features: controller.features = try cursor.u64(bytes)
        case .leBufferSize:
            controller.aclDataLength = Int(try cursor.u16(bytes))
            controller.aclPackets = Int(try cursor.u8(bytes))
        case .bufferSize:
            controller.aclDataLength = Int(try cursor.u16(bytes))
            _ = try cursor.u8(bytes)
            controller.aclPackets = Int(try cursor.u16(bytes))
        case .publicAddress: controller.address = try cursor.address(bytes, kind: .public)
        case .reset, .eventMask, .leEventMask, .randomAddress, .suggestedDataLength: break
        }
    }

    /// Sends the command of the next step that this controller requires, or completes the initialization.
    private mutating func askNext(after step: Startup, at now: Instant) {
        var next = Startup(rawValue: step.rawValue + 1)
        while let candidate = next, !isNeeded(candidate) { next = Startup(rawValue: candidate.rawValue + 1) }
        guard let next else { return finishStart() }
        phase = .starting(next)
        var parameters: [UInt8] = []
        switch next {
        case .eventMask: parameters.append(littleEndian: Central.eventMask)
        case .leEventMask: parameters.append(littleEndian: Central.leEventMask)
        case .randomAddress: if let randomAddress { parameters.append(octetsOf: randomAddress) }
        // 251 octets, and their 2120 µs.
        case .suggestedDataLength: parameters = [0xFB, 0x00, 0x48, 0x08]
        default: break
        }
        command(opcode(of: next), parameters, at: now)
    }

    private func isNeeded(_ step: Startup) -> Bool {
        switch step {
        // An LE buffer length of 0 means that LE shares the buffers of BR/EDR (Core 5.4, Vol 4, Part E, 7.8.2).
        case .bufferSize: controller.aclDataLength == 0 || controller.aclPackets == 0
        case .randomAddress: randomAddress != nil
        case .suggestedDataLength: controller.hasDataLength
        default: true
        }
    }

    private func opcode(of step: Startup) -> UInt16 {
        switch step {
        case .reset: CentralCommand.reset
        case .supportedCommands: CentralCommand.readSupportedCommands
        case .features: CentralCommand.readLEFeatures
        case .eventMask: CentralCommand.setEventMask
        case .leEventMask: CentralCommand.setLEEventMask
        case .leBufferSize: CentralCommand.readLEBufferSize
        case .bufferSize: CentralCommand.readBufferSize
        case .publicAddress: CentralCommand.readBDAddress
        case .randomAddress: CentralCommand.setRandomAddress
        case .suggestedDataLength: CentralCommand.writeSuggestedDataLength
        }
    }

    private mutating func finishStart() {
        // The minimum ACL buffer length is 27 (Core 5.4, Vol 4, Part E, 7.8.2).
        guard controller.aclDataLength >= 27, controller.aclPackets >= 1 else {
            return fail(.unsuitable("the controller has no usable ACL buffers"))
        }
        freePackets = controller.aclPackets
        phase = .ready
        events.append(.ready(randomAddress ?? controller.address))
    }
}
