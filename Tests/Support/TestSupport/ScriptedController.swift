// SPDX-License-Identifier: Apache-2.0

/// A scripted controller: it answers commands, and records all packets.
public struct ScriptedController: Sendable {
    /// Commands in order, without the type octet.
    public var commands: [[UInt8]] = []
    /// Data packets in order, with the type octet.
    public var data: [[UInt8]] = []
    /// Answers to be given instead of the usual ones: the octets behind the opcode, once each, first come.
    public var answers: [UInt16: [[UInt8]]] = [:]
    /// Commands that are never answered.
    public var silent: Set<UInt16> = []
    /// Commands that are not answered this many times, and then as usual.
    public var ignored: [UInt16: Int] = [:]
    /// Commands that are always refused, with one octet and nothing behind it.
    public var refused: [UInt16: UInt8] = [:]
    /// Num_HCI_Command_Packets of every answer.
    public var credits: UInt8 = 1
    /// Supported_Commands.
    public var supported = [UInt8](repeating: 0, count: 64)
    /// The parameters after the status of LE Read Buffer Size.
    public var leBuffers: [UInt8] = [0xFB, 0x00, 0x08]
    /// LE_Features.
    public var features: [UInt8] = [0x02, 0, 0, 0, 0, 0, 0, 0]
    /// The parameters after the status of Read Local Version Information.
    public var version: [UInt8] = [0x0D, 1, 0, 0x0D, 0x59, 0x00, 2, 0]
    /// BD_ADDR.
    public var address: [UInt8] = [1, 2, 3, 4, 5, 6]
    /// The number of advertising sets.
    public var sets: UInt8 = 4
    /// The signal strength of every link, in dBm.
    public var rssi: Int8 = -50
    /// Advertising data that is refused.
    public var refusedData: [UInt8] = []
    /// The enabled advertising sets; the legacy advertiser is 0xFF.
    public var onAir: Set<UInt8> = []
    /// The advertising sets that exist; nil for all.
    public var knownSets: Set<UInt8>? = []
    /// Suggested_Max_TX_Octets and Suggested_Max_TX_Time, as last written.
    public var suggestedDataLength = ScriptedController.initialDataLength
    /// The event masks as last set, or those of a reset (Core 5.4, Vol 4, Part E, 7.3.1, 7.8.1).
    public var masks = ScriptedController.initialMasks
    /// Handles of links; only these are known to Read RSSI, LE Read Channel Map and Disconnect. Nil for all.
    public var handles: Set<UInt16>?

    static let initialDataLength: [UInt8] = [27, 0, 0x48, 0x01]
    /// The masks of a reset, by opcode.
    public static let initialMasks: [UInt16: [UInt8]] = [
        0x0C01: [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x1F, 0, 0], 0x2001: [0x1F, 0, 0, 0, 0, 0, 0, 0],
    ]
    /// The legacy advertiser in `onAir`.
    public static let legacySet: UInt8 = 0xFF

    /// A controller that supports no optional command.
    public init() {}

    /// Extended advertising, RSSI, data length and connection update.
    public static let extended: ScriptedController = {
        var controller = legacy
        controller.supported[36] = 0b1011_1110
        return controller
    }()

    /// RSSI, data length and connection update; no extended advertising.
    public static let legacy: ScriptedController = {
        var controller = ScriptedController()
        controller.supported[15] = 0x20
        return controller
    }()

    /// With LE Power Control: its feature bits and both commands that the host needs.
    public static let powerControl: ScriptedController = {
        var controller = extended
        controller.features[4] = 0x06
        controller.supported[44] = 0x90
        return controller
    }()

    /// Has lost all state, as after a restart.
    public mutating func restart() {
        onAir = []
        if knownSets != nil { knownSets = [] }
        suggestedDataLength = ScriptedController.initialDataLength
        masks = ScriptedController.initialMasks
        if handles != nil { handles = [] }
    }

    /// Takes a packet of the host, and returns the answer to it.
    public mutating func receive(_ packet: [UInt8]) -> [UInt8]? {
        guard packet[0] == 0x01 else {
            data.append(packet)
            return nil
        }
        commands.append(Array(packet.dropFirst()))
        let opcode = UInt16(packet[1]) | UInt16(packet[2]) << 8
        guard !silent.contains(opcode) else { return nil }
        if let count = ignored[opcode], count > 0 {
            ignored[opcode] = count - 1
            return nil
        }
        if let answer = answers[opcode]?.first {
            answers[opcode]?.removeFirst()
            if answer.first == 0 { carryOut(opcode, Array(packet.dropFirst(4))) }
            return complete(opcode, answer)
        }
        if let status = refused[opcode] { return complete(opcode, [status]) }
        if let status = refusal(opcode, packet) { return status }
        carryOut(opcode, Array(packet.dropFirst(4)))
        return answer(opcode, packet)
    }

    /// The answer of a sound controller to a command that its state does not allow.
    private func refusal(_ opcode: UInt16, _ packet: [UInt8]) -> [UInt8]? {
        switch opcode {
        case 0x2008 where !refusedData.isEmpty && packet.dropFirst(5).starts(with: refusedData),
            0x2037 where !refusedData.isEmpty && packet.dropFirst(8).starts(with: refusedData):
            return complete(opcode, [0x12])
        case 0x2035:
            if let knownSets, !knownSets.contains(packet[4]) { return complete(opcode, [0x42]) }
            return onAir.contains(packet[4]) ? complete(opcode, [0x0C]) : nil
        case 0x2005, 0x2006: return onAir.contains(ScriptedController.legacySet) ? complete(opcode, [0x0C]) : nil
        case 0x2036: return onAir.contains(packet[4]) ? complete(opcode, [0x0C, 0]) : nil
        case 0x2039 where packet[4] == 1:
            guard let knownSets, !knownSets.isSuperset(of: ScriptedController.sets(packet)) else { return nil }
            return complete(opcode, [0x42])
        case 0x0406, 0x041D, 0x1405, 0x2015:
            let handle = UInt16(packet[4]) | UInt16(packet[5]) << 8
            guard let handles, !handles.contains(handle) else { return nil }
            if opcode < 0x0500 { return status(opcode, 0x02) }
            return complete(opcode, [0x02, packet[4], packet[5], 0])
        default: return nil
        }
    }

    private static func sets(_ packet: [UInt8]) -> [UInt8] {
        stride(from: 6, to: packet.count, by: 4).map { packet[$0] }
    }

    private mutating func carryOut(_ opcode: UInt16, _ parameters: [UInt8]) {
        switch opcode {
        case 0x0C03: restart()
        case 0x0C01, 0x2001: masks[opcode] = parameters
        case 0x2024: suggestedDataLength = parameters
        case 0x2036: knownSets?.insert(parameters[0])
        case 0x203C: knownSets?.remove(parameters[0])
        case 0x200A where parameters[0] == 1: onAir.insert(ScriptedController.legacySet)
        case 0x200A: onAir.remove(ScriptedController.legacySet)
        case 0x2039:
            let sets = stride(from: 2, to: parameters.count, by: 4).map { parameters[$0] }
            if parameters[0] == 1 { onAir.formUnion(sets) } else { onAir.subtract(sets.isEmpty ? Array(onAir) : sets) }
        default: break
        }
    }

    /// The answer of a sound controller (Core 5.4, Vol 4, Part E, 7).
    private func answer(_ opcode: UInt16, _ packet: [UInt8]) -> [UInt8] {
        switch opcode {
        case 0x0406, 0x041D, 0x200D, 0x2013, 0x2043, 0x2077: status(opcode, 0)
        case 0x1002: complete(opcode, [0] + supported)
        case 0x1001: complete(opcode, [0] + version)
        case 0x2015: complete(opcode, [0, packet[4], packet[5], 0xFF, 0xFF, 0xFF, 0xFF, 0x1F])
        case 0x2023: complete(opcode, [0] + suggestedDataLength)
        case 0x2060: complete(opcode, [0, 27, 0, 3, 0, 0, 0])
        case 0x2007: complete(opcode, [0, 0x04])
        case 0x2003: complete(opcode, [0] + features)
        case 0x2002: complete(opcode, [0] + leBuffers)
        case 0x1005: complete(opcode, [0, 0x36, 0x01, 0x40, 0x0A, 0x00, 0x08, 0x00])
        case 0x1009: complete(opcode, [0] + address)
        case 0x203B: complete(opcode, [0, sets])
        case 0x2036: complete(opcode, [0, 0x08])
        case 0x1405: complete(opcode, [0, packet[4], packet[5], UInt8(bitPattern: rssi)])
        case 0x201A, 0x201B, 0x2022, 0x207A: complete(opcode, [0, packet[4], packet[5]])
        default: complete(opcode, [0])
        }
    }

    /// Command Complete with these return parameters.
    public func complete(_ opcode: UInt16, _ returned: [UInt8]) -> [UInt8] {
        [0x04, 0x0E, UInt8(3 + returned.count), credits, UInt8(opcode & 0xFF), UInt8(opcode >> 8)] + returned
    }

    /// Command Status.
    public func status(_ opcode: UInt16, _ status: UInt8) -> [UInt8] {
        [0x04, 0x0F, 0x04, status, credits, UInt8(opcode & 0xFF), UInt8(opcode >> 8)]
    }
}

/// Packets that a sound controller sends.
public enum ControllerPacket {
    /// LE Connection Complete: a random address, interval 24 (30 ms), supervision time-out 400 (4 s). A peripheral's
    /// role is 1.
    public static func connected(
        _ handle: some BinaryInteger, status: UInt8 = 0, role: UInt8 = 1, interval: UInt8 = 24
    ) -> [UInt8] {
        [0x04, 0x3E, 0x13, 0x01, status] + octets(handle)
            + [role, 0x01, UInt8(truncatingIfNeeded: handle), 2, 3, 4, 5, 0xC6, interval, 0, 0, 0, 0x90, 0x01, 0]
    }

    /// LE Advertising Set Terminated.
    public static func terminated(_ handle: some BinaryInteger, set: UInt8, status: UInt8 = 0) -> [UInt8] {
        [0x04, 0x3E, 0x06, 0x12, status, set] + octets(handle) + [0]
    }

    /// Disconnection Complete.
    public static func disconnected(_ handle: some BinaryInteger, reason: UInt8 = 0x13) -> [UInt8] {
        [0x04, 0x05, 0x04, 0x00] + octets(handle) + [reason]
    }

    /// LE Transmit Power Reporting; by default the answer to a read, on 1M.
    public static func power(
        _ handle: some BinaryInteger, _ level: Int8, reason: UInt8 = 2, phy: UInt8 = 1, status: UInt8 = 0
    ) -> [UInt8] {
        [0x04, 0x3E, 0x09, 0x21, status] + octets(handle) + [reason, phy, UInt8(bitPattern: level), 0, 0]
    }

    /// Number Of Completed Packets.
    public static func completed(_ handle: some BinaryInteger, _ count: UInt8) -> [UInt8] {
        [0x04, 0x13, 0x05, 0x01] + octets(handle) + [count, 0]
    }

    /// Encryption Change.
    public static func encryption(_ handle: some BinaryInteger, status: UInt8 = 0, enabled: UInt8 = 1) -> [UInt8] {
        [0x04, 0x08, 0x04, status] + octets(handle) + [enabled]
    }

    /// A PDU of a channel, whole in one ACL packet.
    public static func data(_ handle: some BinaryInteger, _ pdu: [UInt8], channel: UInt8 = 4) -> [UInt8] {
        let frame = octets(pdu.count) + [channel, 0] + pdu
        return [0x02] + octets(UInt16(handle) | 0x2000) + octets(frame.count) + frame
    }

    private static func octets(_ value: some BinaryInteger) -> [UInt8] {
        [UInt8(truncatingIfNeeded: value), UInt8(value >> 8)]
    }
}
