// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Protobuf

/// One call of `StreamPackets`: a chip of an emulator. A Bluetooth chip is a host at a place of the air. The calls of
/// other chips stay open and silent, since the emulator repeats a refused call without end.
///
/// A snapshot's restore makes a new call, whose host continues without Reset. Until Reset, the answer to each command
/// is the event Hardware Error, code 0x42, as of RootCanal in netsim (its quirk `hardware_error_before_reset`): Android
/// then resets its controller.
public struct StreamSession: Sendable {
    /// An action for the owner of the call, in order.
    public enum Effect: Equatable, Sendable {
        /// Connect the chip to a place: `refusePlace` if none is free.
        case occupyPlace(ChipInfo)
        /// A chip that receives nothing.
        case keepSilent(ChipInfo)
        /// H4 for the place.
        case toPlace([UInt8])
        /// A message with its prefix, for the emulator.
        case send([UInt8])
        /// The end of the call, always the last effect.
        case end(CallStatus)
    }

    private enum State { case withoutChip, silent, beforeReset, open, ended }

    /// Hardware Error (Core 5.4, Vol 4, Part E, 7.7.16) with RootCanal's code.
    static let hardwareError: [UInt8] = [0x04, 0x10, 0x01, 0x42]

    private var state = State.withoutChip
    private var framing = CallFraming()
    private var toController = H4Framer(receiver: .controller)
    private var toHost = H4Framer(receiver: .host)

    /// A call before its first message.
    public init() {}

    /// True while no message has described the chip.
    public var isWithoutChip: Bool { state == .withoutChip }

    /// Handles octets of DATA frames.
    public mutating func receive(_ octets: Span<UInt8>) -> [Effect] {
        guard state != .ended else { return [] }
        var effects: [Effect] = []
        var framing = CallFraming()
        swap(&framing, &self.framing)
        do throws(CallStatus) {
            try framing.receive(octets) { message throws(CallStatus) in try receive(message: message, &effects) }
        } catch {
            effects.append(end(error))
        }
        swap(&framing, &self.framing)
        return effects
    }

    /// Handles the end of the client's messages.
    public mutating func finish() -> [Effect] {
        guard state != .ended else { return [] }
        return [end(framing.isBetweenMessages ? .ok : CallStatus(.invalidArgument, "the stream ends inside a message"))]
    }

    /// Handles octets of the place.
    public mutating func receiveFromPlace(_ octets: Span<UInt8>) -> [Effect] {
        guard state == .beforeReset || state == .open else { return [] }
        var effects: [Effect] = []
        do throws(H4Error) {
            try toHost.receive(octets) { packet in
                effects.append(.send(StreamResponse.hci(packet.withUnsafeBufferPointer(Array.init)).framed))
            }
        } catch {
            effects.append(end(CallStatus(.unavailable, "the place sends no HCI packets: \(error)")))
        }
        return effects
    }

    /// Ends the call of a chip that has no place: with a message too, because clients show it.
    public mutating func refusePlace(_ reason: String) -> [Effect] {
        guard state != .ended else { return [] }
        return [.send(StreamResponse.error(reason).framed), end(CallStatus(.resourceExhausted, reason))]
    }

    /// Ends the call for the server's reason.
    public mutating func close(_ status: CallStatus) -> [Effect] { state == .ended ? [] : [end(status)] }

    private mutating func end(_ status: CallStatus) -> Effect {
        state = .ended
        return .end(status)
    }

    private mutating func receive(message: Span<UInt8>, _ effects: inout [Effect]) throws(CallStatus) {
        let request: StreamRequest
        do throws(ProtobufError) { request = try StreamRequest(decoding: message) } catch {
            throw CallStatus(.invalidArgument, "a message is not a PacketRequest: \(error)")
        }
        switch (request, state) {
        case (.chip(let chip), .withoutChip): effects.append(try open(chip))
        case (.chip, _): throw CallStatus(.invalidArgument, "a second initial_info; open a stream for each chip")
        case (_, .withoutChip): throw CallStatus(.invalidArgument, "a packet before initial_info")
        case (.hci(let packet), .beforeReset), (.hci(let packet), .open): effects += try forward(packet)
        default: break
        }
    }

    private mutating func open(_ chip: ChipInfo) throws(CallStatus) -> Effect {
        switch chip.kind {
        case .unspecified: throw CallStatus(.invalidArgument, "initial_info has no kind of chip")
        case .bluetooth:
            state = .beforeReset
            return .occupyPlace(chip)
        case .wifi, .uwb, .beacon, nil:
            state = .silent
            return .keepSilent(chip)
        }
    }

    private mutating func forward(_ packet: [UInt8]) throws(CallStatus) -> [Effect] {
        var count = 0
        do throws(H4Error) { try toController.receive(packet.span) { _ in count += 1 } } catch {
            throw CallStatus(.invalidArgument, "not an HCI packet: \(error)")
        }
        guard count == 1, toController.isBetweenPackets else {
            throw CallStatus(.invalidArgument, "an HCI packet of \(packet.count - 1) octets has another length inside")
        }
        guard state == .beforeReset else { return [.toPlace(packet)] }
        if StreamSession.isReset(packet) {
            state = .open
            return [.toPlace(packet)]
        }
        guard packet[0] == H4PacketType.command.rawValue else { return [] }
        return [.send(StreamResponse.hci(StreamSession.hardwareError).framed)]
    }

    private static func isReset(_ packet: [UInt8]) -> Bool {
        packet.starts(with: [H4PacketType.command.rawValue, 0x03, 0x0C])
    }
}
