// SPDX-License-Identifier: Apache-2.0

import Octets
public import Peripheral
import SeededNumbers
import Timekeeping

/// The state that a reset clears (Core 5.4, Vol 4, Part E, 7.3.2).
struct ControllerState {
    var eventMask: UInt64 = 0x1FFF_FFFF_FFFF
    var leEventMask: UInt64 = 0x1F
    var randomAddress: UInt64?
    /// The kind of advertising commands used since the reset.
    var family: Command.AdvertisingFamily?
    var advertisers: [Advertiser] = []
    /// nil until set; the legacy parameters have defaults.
    var scanSettings: ScanSettings?
    var scanner: Scanner?
    var initiator: Initiator?
    var acceptList: [BluetoothAddress] = []
    var resolving = ResolvingList()
    var suggestedOctets = DataLengths.minimum
    var suggestedTime: UInt16 = 328
    var channelMap = ChannelMap.all
    /// The compensations of the RF path in 0.1 dB.
    var pathCompensation = (transmit: Int16(0), receive: Int16(0))
    var test: RadioTest?
    var links: [LinkEnd] = []
}

/// A Bluetooth LE controller on the virtual air, with an H4 interface to its host.
///
/// It implements Core 5.4, Vol 4, Part E for advertising with legacy PDUs (legacy and extended commands), scanning,
/// initiating, and links with encryption, of which only the keys are compared. It is strict: a violation of the
/// specification is answered with the specified status, and recorded in `violations`. No input from a host traps.
public final class VirtualController {
    /// The connection handles, assigned lowest free first; handles of ended links are reused.
    static let handles: ClosedRange<UInt16> = 0x0040...0x0EFF
    /// The number of queued packets above which advertising reports are dropped.
    static let reportBacklog = 4096
    /// The maximum number of recorded violations.
    static let maximumViolations = 1000

    /// The capabilities.
    public let profile: ControllerProfile
    /// The public address.
    public let address: BluetoothAddress
    /// Descriptions of the host's violations of the specification, oldest first; at most 1000.
    public private(set) var violations: [String] = []
    /// False simulates a hung controller, which ignores commands.
    public var answersCommands = true
    /// Commands, by opcode, that are refused with a status in any state: simulates a faulty controller.
    public var refusals: [UInt16: HCIStatus] = [:]
    /// The transmit power in dBm, changed by `setTransmitPower`.
    public internal(set) var transmitPower: Int8
    /// Its name in captures: the name of its random numbers, until changed.
    public var name: String

    unowned let air: any Medium
    let index: Int
    /// The name of its random numbers, and of its paths' random numbers.
    let stream: String
    /// Its random numbers.
    var random: SeededGenerator
    var state = ControllerState()
    var outbound = PacketQueue() {
        didSet { if !isAwake, outbound.count > 0 { air.wake(self) } }
    }
    /// True if the air knows that there are packets for the host.
    var isAwake = false
    /// The number of the host's ACL packets in its buffers.
    var heldPackets = 0
    /// Ended links by handle, with the packet count from which the host can know.
    var retired: [UInt16: Int] = [:]
    /// The packet count up to which the host waits for the answer to its last command.
    private var answer = 0
    /// Events that follow the answer to the current command.
    var eventsAfterAnswer: [[UInt8]] = []

    init(_ profile: ControllerProfile, address: UInt64, on air: any Medium, index: Int, seed: UInt64, stream: String) {
        self.profile = profile
        transmitPower = profile.transmitPower
        self.address = BluetoothAddress(kind: .public, value: address)
        self.air = air
        self.index = index
        self.stream = stream
        name = stream
        random = SeededGenerator(seed: seed, stream: "controller \(stream)")
    }

    /// True if packets for the host are queued.
    public var hasPackets: Bool { outbound.count > 0 }

    /// The number of packets queued for the host.
    public var packetCount: Int { outbound.count }

    /// Copies the next H4 packet for the host into `packet`; false if no packet is pending.
    public func popPacket(into packet: inout [UInt8]) -> Bool {
        guard outbound.pop(into: &packet) else { return false }
        air.capture(packet.span, of: self, isReceived: true)
        return true
    }

    /// Handles one complete H4 packet from the host, packet type octet first, at the air's current time.
    public func receive(_ packet: Span<UInt8>) {
        guard !packet.isEmpty else { return reportViolation("empty packet") }
        air.capture(packet, of: self, isReceived: false)
        switch packet[0] {
        case 0x01: receiveCommand(packet)
        case 0x02: receiveACL(packet)
        default: reportViolation("packet type \(packet[0]) is not one that a host sends")
        }
    }

    /// Simulates a hardware failure: all activity ends without notice to the peers, and the host receives a Hardware
    /// Error event (Core 5.4, Vol 4, Part E, 7.7.16), which requires a reset.
    public func failHardware(code: UInt8) {
        let mask = state.eventMask
        dropEverything(farewell: false)
        state.eventMask = mask
        emit(EventCode.hardwareError, [code])
    }

    /// Simulates a restart without an event, as of a controller whose supply fails for a moment: all activity ends
    /// without notice to the peers, and commands are answered as after a reset.
    public func restart() {
        dropEverything(farewell: false)
        outbound = PacketQueue()
        answer = 0
    }

    /// Resets the controller for another host: like HCI_Reset, and without the packets for the previous host.
    public func startAnew() {
        _ = reset()
        outbound = PacketQueue()
        retired.removeAll()
        answer = 0
        answersCommands = true
    }

    /// Removes and returns the recorded violations.
    public func takeViolations() -> [String] {
        defer { violations.removeAll() }
        return violations
    }

    /// Records a violation by the host.
    func reportViolation(_ violation: String) {
        if violations.count < VirtualController.maximumViolations { violations.append(violation) }
    }

    /// Sends an event unless masked.
    func emit(_ code: UInt8, _ parameters: [UInt8]) {
        guard state.eventMask >> UInt64(code - 1) & 1 == 1 else { return }
        outbound.append(EventPacket.event(code, parameters))
    }

    /// True if a subevent is unmasked.
    func wants(_ subevent: UInt8) -> Bool {
        state.eventMask >> UInt64(EventCode.leMeta - 1) & 1 == 1 && state.leEventMask >> UInt64(subevent - 1) & 1 == 1
    }

    /// Sends an LE Meta event unless masked.
    func emit(subevent: UInt8, _ parameters: [UInt8]) {
        guard wants(subevent) else { return }
        outbound.append(EventPacket.event(EventCode.leMeta, [subevent] + parameters))
    }

    private func receiveCommand(_ packet: Span<UInt8>) {
        guard packet.count >= 4, packet.count == 4 + Int(packet[3]) else {
            return reportViolation("command packet whose length does not fit its header")
        }
        let opcode = UInt16(packet[1]) | UInt16(packet[2]) << 8
        guard answersCommands else { return }
        // One command at a time: Num_HCI_Command_Packets is always 1. A reset is always allowed.
        if outbound.taken < answer, opcode != Command.reset.rawValue {
            reportViolation("command \(hexadecimal(opcode)) before the answer to the one before")
        }
        var octets: [UInt8] = []
        octets.append(packet.extracting(4..<packet.count))
        carryOut(opcode, octets)
        answer = outbound.queued
        for event in eventsAfterAnswer { outbound.append(event) }
        eventsAfterAnswer.removeAll()
    }

    private func carryOut(_ opcode: UInt16, _ octets: [UInt8]) {
        guard let command = Command(rawValue: opcode), command.isSupported(by: profile) else {
            return refuseUnsupported(opcode)
        }
        var status = HCIStatus.success
        var returned: [UInt8] = []
        do throws(CommandRefusal) {
            if let refusal = refusals[opcode] { throw .blameless(refusal) }
            try admit(command, octets.count)
            var parameters = CommandParameters(octets)
            returned = try perform(command, &parameters)
        } catch {
            status = error.status
            if let complaint = error.complaint { reportViolation("\(command): \(complaint)") }
            if command.repeatsHandle {
                returned = Array(octets.prefix(2)) + [UInt8](repeating: 0, count: command.returnedCount)
            }
        }
        if command.answersWithStatus {
            outbound.append(EventPacket.commandStatus(opcode, status))
        } else {
            outbound.append(EventPacket.commandComplete(opcode, status, returned))
        }
    }

    /// Answers an unsupported command.
    private func refuseUnsupported(_ opcode: UInt16) {
        guard profile.admitsDualModeHosts else {
            reportViolation("command \(hexadecimal(opcode)) is not supported")
            return outbound.append(EventPacket.commandStatus(opcode, .unknownCommand))
        }
        outbound.append(
            Command.answersWithStatus(opcode)
                ? EventPacket.commandStatus(opcode, .unknownCommand)
                : EventPacket.commandComplete(opcode, .unknownCommand, []))
    }

    /// Validates any command: its length, and the separation of legacy and extended commands.
    private func admit(_ command: Command, _ count: Int) throws(CommandRefusal) {
        if let family = command.advertisingFamily {
            guard state.family == nil || state.family == family else {
                throw .violation(.commandDisallowed, "legacy and extended advertising commands are mixed")
            }
            state.family = family
        }
        if let expected = Command.parameterCounts[command], expected != count {
            throw .violation(.invalidParameters, "\(count) octets of parameters instead of \(expected)")
        }
        guard state.test == nil || !command.startsActivity else {
            throw .violation(.commandDisallowed, "a test of the radio runs")
        }
    }

    private func hexadecimal(_ opcode: UInt16) -> String { "0x" + opcode.padded(to: 4, radix: 16, uppercase: true) }
}
