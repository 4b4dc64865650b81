// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral
public import Timekeeping

/// The commands of the controller's initialization, in this order.
enum Startup: Int, Equatable, Sendable {
    case reset, supportedCommands, features, eventMask, leEventMask, leBufferSize, bufferSize
    case publicAddress, randomAddress, suggestedDataLength
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
        command(command(of: .reset), at: now)
    }

    /// Handles the answer to an initialization command: `bytes` holds the return parameters after the status.
    mutating func startupAnswered(
        _ step: Startup, _ opcode: HCIOpcode, _ status: HCIStatus, _ bytes: Span<UInt8>, at now: Instant
    ) {
        guard status == .success else { return fail(.commandRefused(opcode: opcode.rawValue, status)) }
        do throws(OctetError) {
            try learn(step, bytes)
        } catch {
            return fail(.unsuitable("answer to command \(opcode.rawValue) is too short"))
        }
        askNext(after: step, at: now)
    }

    /// Stores the return parameters. Additional octets are ignored: later versions of the specification add some.
    private mutating func learn(_ step: Startup, _ bytes: Span<UInt8>) throws(OctetError) {
        var cursor = OctetCursor(bytes)
        switch step {
        case .supportedCommands: controller.commands = try SupportedCommands(bytes, &cursor)
        case .features: controller.features = try cursor.u64(bytes)
        case .leBufferSize: controller.buffers = try DataBuffers(le: bytes, &cursor)
        case .bufferSize: controller.buffers = try DataBuffers(bytes, &cursor)
        case .publicAddress: controller.address = try BluetoothAddress(kind: .public, bytes, &cursor)
        case .reset, .eventMask, .leEventMask, .randomAddress, .suggestedDataLength: break
        }
    }

    /// Sends the command of the next step that this controller requires, or completes the initialization.
    private mutating func askNext(after step: Startup, at now: Instant) {
        var next = Startup(rawValue: step.rawValue + 1)
        while let candidate = next, !isNeeded(candidate) { next = Startup(rawValue: candidate.rawValue + 1) }
        guard let next else { return finishStart() }
        phase = .starting(next)
        command(command(of: next), at: now)
    }

    private func isNeeded(_ step: Startup) -> Bool {
        switch step {
        // An LE buffer length of 0 means that LE shares the buffers of BR/EDR (Core 5.4, Vol 4, Part E, 7.8.2).
        case .bufferSize: !controller.buffers.exist
        case .randomAddress: randomAddress != nil
        case .suggestedDataLength: controller.hasDataLength
        default: true
        }
    }

    private func command(of step: Startup) -> HostCommand {
        switch step {
        case .reset: .bare(.reset)
        case .supportedCommands: .bare(.readLocalSupportedCommands)
        case .features: .bare(.leReadLocalSupportedFeatures)
        case .eventMask: .setEventMask(Central.eventMask)
        case .leEventMask: .leSetEventMask(Central.leEventMask)
        case .leBufferSize: .bare(.leReadBufferSize)
        case .bufferSize: .bare(.readBufferSize)
        case .publicAddress: .bare(.readBDADDR)
        case .randomAddress: .leSetRandomAddress(randomAddress ?? controller.address)
        case .suggestedDataLength: .leWriteSuggestedDefaultDataLength
        }
    }

    private mutating func finishStart() {
        // The minimum ACL buffer length is 27 (Core 5.4, Vol 4, Part E, 7.8.2).
        guard controller.buffers.length >= 27, controller.buffers.packets >= 1 else {
            return fail(.unsuitable("the controller has no usable ACL buffers"))
        }
        freePackets = controller.buffers.packets
        phase = .ready
        events.append(.ready(randomAddress ?? controller.address))
    }
}
