import Octets

/// Disconnect (Core 5.4, Vol 4, Part E, 7.1.6); answered by Command Status.
struct Disconnect: HCICommand {
    static let opcode = HCIOpcode.disconnect
    var handle: UInt16
    var reason: HCIStatus

    /// The reasons that the command takes; any other would be refused.
    static let reasons: [HCIStatus] = [
        .authenticationFailure, .remoteUserTerminated, .remoteLowResources, .remotePowerOff,
        HCIStatus(rawValue: 0x1A), HCIStatus(rawValue: 0x29), .unacceptableConnectionParameters,
    ]

    func append(to packet: inout [UInt8]) {
        packet.append(littleEndian: handle)
        packet.append((Disconnect.reasons.contains(reason) ? reason : .remoteUserTerminated).rawValue)
    }
}

/// Read RSSI (7.5.4).
struct ReadRSSI: HCICommand {
    struct Reading: Equatable {
        var handle: UInt16
        var value: Int8
    }

    static let opcode = HCIOpcode.readRSSI
    var handle: UInt16

    func append(to packet: inout [UInt8]) { packet.append(littleEndian: handle) }

    static func parse(_ packet: Span<UInt8>, _ cursor: inout OctetCursor) throws(OctetError) -> Reading {
        Reading(handle: try cursor.u16(packet) & 0x0FFF, value: try cursor.i8(packet))
    }
}

/// LE Set Data Length (7.8.33).
struct LESetDataLength: HCICommand {
    /// The longest payload of a data PDU.
    static let octets: UInt16 = 251
    /// The time that such a PDU takes on the 1M PHY.
    static let microseconds: UInt16 = 2120

    static let opcode = HCIOpcode.leSetDataLength
    var handle: UInt16

    func append(to packet: inout [UInt8]) {
        packet.append(littleEndian: handle)
        packet.append(littleEndian: LESetDataLength.octets)
        packet.append(littleEndian: LESetDataLength.microseconds)
    }
}

/// LE Connection Update (7.8.18); answered by Command Status. A peripheral may send it when its controller knows the
/// Connection Parameters Request procedure.
struct LEConnectionUpdate: HCICommand {
    static let opcode = HCIOpcode.leConnectionUpdate
    var handle: UInt16
    var parameters: ConnectionParameters

    func append(to packet: inout [UInt8]) {
        packet.append(littleEndian: handle)
        parameters.append(to: &packet)
        packet.append(littleEndian: UInt16(0))  // Min_CE_Length
        packet.append(littleEndian: UInt16(0))  // Max_CE_Length
    }
}

/// LE Long Term Key Request Reply (7.8.25): the key of the link; answered with its handle.
struct LELongTermKeyRequestReply: HCICommand {
    static let opcode = HCIOpcode.leLongTermKeyRequestReply
    var handle: UInt16
    var key: Value128

    func append(to packet: inout [UInt8]) {
        packet.append(littleEndian: handle)
        key.append(leastSignificantFirstTo: &packet)
    }

    static func parse(_ packet: Span<UInt8>, _ cursor: inout OctetCursor) throws(OctetError) -> UInt16 {
        try cursor.u16(packet) & 0x0FFF
    }
}

/// LE Long Term Key Request Negative Reply (7.8.26): there is no such key; answered with the link's handle.
struct LELongTermKeyRequestNegativeReply: HCICommand {
    static let opcode = HCIOpcode.leLongTermKeyRequestNegativeReply
    var handle: UInt16

    func append(to packet: inout [UInt8]) { packet.append(littleEndian: handle) }

    static func parse(_ packet: Span<UInt8>, _ cursor: inout OctetCursor) throws(OctetError) -> UInt16 {
        try cursor.u16(packet) & 0x0FFF
    }
}
