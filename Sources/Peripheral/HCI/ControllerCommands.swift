import Octets

/// Reset (Core 5.4, Vol 4, Part E, 7.3.2).
struct Reset: HCICommand {
    static let opcode = HCIOpcode.reset
    func append(to packet: inout [UInt8]) {}
}

/// Set Event Mask (7.3.1).
struct SetEventMask: HCICommand {
    static let opcode = HCIOpcode.setEventMask
    /// Disconnection Complete, Encryption Change, Hardware Error, Data Buffer Overflow, Encryption Key Refresh
    /// Complete, LE Meta.
    static let needed: UInt64 = 1 << 4 | 1 << 7 | 1 << 15 | 1 << 25 | 1 << 47 | 1 << 61

    var mask = needed
    func append(to packet: inout [UInt8]) { packet.append(littleEndian: mask) }
}

/// LE Set Event Mask (7.8.1).
struct LESetEventMask: HCICommand {
    static let opcode = HCIOpcode.leSetEventMask
    /// Connection Complete, Connection Update Complete, Long Term Key Request, Data Length Change, Enhanced Connection
    /// Complete, PHY Update Complete, Advertising Set Terminated.
    static let needed: UInt64 = 1 << 0 | 1 << 2 | 1 << 4 | 1 << 6 | 1 << 9 | 1 << 11 | 1 << 17

    var mask = needed
    func append(to packet: inout [UInt8]) { packet.append(littleEndian: mask) }
}

/// Read Local Supported Commands (7.4.2).
struct ReadLocalSupportedCommands: HCICommand {
    static let opcode = HCIOpcode.readLocalSupportedCommands
    func append(to packet: inout [UInt8]) {}

    static func parse(
        _ packet: Span<UInt8>, _ cursor: inout OctetCursor
    ) throws(OctetError) -> SupportedCommands {
        let range = try cursor.take(SupportedCommands.count, of: packet)
        return SupportedCommands(range.map { packet[$0] })
    }
}

/// Read Local Version Information (7.4.1).
struct ReadLocalVersion: HCICommand {
    struct Version: Equatable {
        var hci: UInt8
        var manufacturer: UInt16
    }

    static let opcode = HCIOpcode.readLocalVersion
    func append(to packet: inout [UInt8]) {}

    static func parse(_ packet: Span<UInt8>, _ cursor: inout OctetCursor) throws(OctetError) -> Version {
        let hci = try cursor.u8(packet)
        _ = try cursor.take(3, of: packet)  // HCI_Subversion, LMP_Version
        let manufacturer = try cursor.u16(packet)
        _ = try cursor.u16(packet)  // LMP_Subversion
        return Version(hci: hci, manufacturer: manufacturer)
    }
}

/// LE Read Local Supported Features [v1] (7.8.3): the bits of Vol 6, Part B, 4.6.
struct LEReadLocalSupportedFeatures: HCICommand {
    /// Connection Parameters Request procedure.
    static let connectionParametersRequest: UInt64 = 1 << 1

    static let opcode = HCIOpcode.leReadLocalSupportedFeatures
    func append(to packet: inout [UInt8]) {}

    static func parse(_ packet: Span<UInt8>, _ cursor: inout OctetCursor) throws(OctetError) -> UInt64 {
        try cursor.u64(packet)
    }
}

/// How much data for the air a controller takes.
struct DataBuffers: Equatable {
    var length: Int
    var packets: Int
}

/// LE Read Buffer Size [v1] (7.8.2); zeros mean that the buffers are shared with BR/EDR.
struct LEReadBufferSize: HCICommand {
    static let opcode = HCIOpcode.leReadBufferSize
    func append(to packet: inout [UInt8]) {}

    static func parse(_ packet: Span<UInt8>, _ cursor: inout OctetCursor) throws(OctetError) -> DataBuffers {
        DataBuffers(length: Int(try cursor.u16(packet)), packets: Int(try cursor.u8(packet)))
    }
}

/// LE Read Buffer Size [v2] (7.8.2), which tells of isochronous data too.
struct LEReadBufferSizeV2: HCICommand {
    static let opcode = HCIOpcode.leReadBufferSizeV2
    func append(to packet: inout [UInt8]) {}

    static func parse(_ packet: Span<UInt8>, _ cursor: inout OctetCursor) throws(OctetError) -> DataBuffers {
        let buffers = try LEReadBufferSize.parse(packet, &cursor)
        _ = try cursor.take(3, of: packet)  // ISO_Data_Packet_Length, Total_Num_ISO_Data_Packets
        return buffers
    }
}

/// Read Buffer Size (7.4.5).
struct ReadBufferSize: HCICommand {
    static let opcode = HCIOpcode.readBufferSize
    func append(to packet: inout [UInt8]) {}

    static func parse(_ packet: Span<UInt8>, _ cursor: inout OctetCursor) throws(OctetError) -> DataBuffers {
        let length = Int(try cursor.u16(packet))
        _ = try cursor.u8(packet)  // Synchronous_Data_Packet_Length
        let packets = Int(try cursor.u16(packet))
        _ = try cursor.u16(packet)  // Total_Num_Synchronous_Data_Packets
        return DataBuffers(length: length, packets: packets)
    }
}

/// Read BD_ADDR (7.4.6).
struct ReadBDADDR: HCICommand {
    static let opcode = HCIOpcode.readBDADDR
    func append(to packet: inout [UInt8]) {}

    static func parse(
        _ packet: Span<UInt8>, _ cursor: inout OctetCursor
    ) throws(OctetError) -> BluetoothAddress {
        BluetoothAddress(kind: .public, value: try cursor.address(packet))
    }
}

/// LE Read Number of Supported Advertising Sets (7.8.58).
struct LEReadNumberOfSupportedAdvertisingSets: HCICommand {
    static let opcode = HCIOpcode.leReadNumberOfSupportedAdvertisingSets
    func append(to packet: inout [UInt8]) {}

    static func parse(_ packet: Span<UInt8>, _ cursor: inout OctetCursor) throws(OctetError) -> Int {
        Int(try cursor.u8(packet))
    }
}

/// LE Write Suggested Default Data Length (7.8.35).
struct LEWriteSuggestedDefaultDataLength: HCICommand {
    static let opcode = HCIOpcode.leWriteSuggestedDefaultDataLength
    func append(to packet: inout [UInt8]) {
        packet.append(littleEndian: LESetDataLength.octets)
        packet.append(littleEndian: LESetDataLength.microseconds)
    }
}

extension OctetCursor {
    /// Reads the 48 bits of a device address, least significant octet first.
    mutating func address(_ packet: Span<UInt8>) throws(OctetError) -> UInt64 {
        UInt64(try u32(packet)) | UInt64(try u16(packet)) << 32
    }
}

extension [UInt8] {
    /// Appends the 48 bits of a device address, least significant octet first.
    mutating func append(_ address: BluetoothAddress) {
        append(littleEndian: UInt32(truncatingIfNeeded: address.value))
        append(littleEndian: UInt16(truncatingIfNeeded: address.value >> 32))
    }
}
