// SPDX-License-Identifier: Apache-2.0

public import Octets

/// The answer of a controller to a command.
enum CommandAnswer<Answer> {
    /// Status 0, and the return parameters.
    case success(Answer)
    /// Another status; `unspecifiedError` if the return parameters are too short.
    case refused(HCIStatus)

    /// Reads the status in `range` of `packet`, and after success the return parameters.
    ///
    /// A refusal may consist of the status alone: controllers return nothing else for an unknown command. Additional
    /// octets are ignored: later versions of the specification append parameters.
    init(
        _ packet: Span<UInt8>, in range: Range<Int>,
        _ read: (Span<UInt8>, inout OctetCursor) throws(OctetError) -> Answer
    ) {
        var cursor = OctetCursor(packet, in: range)
        do throws(OctetError) {
            let status = HCIStatus(rawValue: try cursor.u8(packet))
            guard status == .success else {
                self = .refused(status)
                return
            }
            self = .success(try read(packet, &cursor))
        } catch {
            self = .refused(.unspecifiedError)
        }
    }

    /// The status of a refusal.
    var refusal: HCIStatus? {
        if case .refused(let status) = self { return status }
        return nil
    }
}

/// The ACL data buffers of a controller.
public struct DataBuffers: Equatable, Sendable {
    /// The maximum length of a packet's data in octets.
    public var length = 0
    /// The number of packets.
    public var packets = 0

    /// No buffers.
    public init() {}

    /// Reads the return parameters of LE Read Buffer Size [v1] (Core 5.4, Vol 4, Part E, 7.8.2), with which version 2
    /// begins. Zeros mean that the buffers are shared with BR/EDR.
    public init(le packet: Span<UInt8>, _ cursor: inout OctetCursor) throws(OctetError) {
        length = Int(try cursor.u16(packet))
        packets = Int(try cursor.u8(packet))
    }

    /// Reads the return parameters of Read Buffer Size (7.4.5).
    public init(_ packet: Span<UInt8>, _ cursor: inout OctetCursor) throws(OctetError) {
        length = Int(try cursor.u16(packet))
        _ = try cursor.u8(packet)  // Synchronous_Data_Packet_Length
        packets = Int(try cursor.u16(packet))
        _ = try cursor.u16(packet)  // Total_Num_Synchronous_Data_Packets
    }

    /// True if the controller has reported buffers.
    public var exist: Bool { length > 0 && packets > 0 }
}

/// The return parameters of Read Local Version Information (Core 5.4, Vol 4, Part E, 7.4.1) that the host reports.
struct ControllerVersion: Equatable {
    var hci: UInt8 = 0
    var manufacturer: UInt16 = 0

    init() {}

    init(_ packet: Span<UInt8>, _ cursor: inout OctetCursor) throws(OctetError) {
        hci = try cursor.u8(packet)
        _ = try cursor.consume(3, of: packet)  // HCI_Subversion, LMP_Version
        manufacturer = try cursor.u16(packet)
        _ = try cursor.u16(packet)  // LMP_Subversion
    }
}

/// The return parameters of Read RSSI (Core 5.4, Vol 4, Part E, 7.5.4).
struct ReturnedRSSI: Equatable {
    var handle: UInt16
    var value: Int8

    init(_ packet: Span<UInt8>, _ cursor: inout OctetCursor) throws(OctetError) {
        handle = try cursor.connectionHandle(packet)
        value = try cursor.i8(packet)
    }
}

/// The parameters of LE Write and LE Read Suggested Default Data Length (Core 5.4, Vol 4, Part E, 7.8.34, 7.8.35).
struct SuggestedDataLength: Equatable {
    var octets: UInt16
    var time: UInt16

    /// The maximum payload of a data PDU, and its time on the 1M PHY in microseconds: what the host writes.
    static let requested = SuggestedDataLength(octets: 251, time: 2120)

    init(octets: UInt16, time: UInt16) { (self.octets, self.time) = (octets, time) }

    init(_ packet: Span<UInt8>, _ cursor: inout OctetCursor) throws(OctetError) {
        octets = try cursor.u16(packet)
        time = try cursor.u16(packet)
    }
}

/// The list of the commands that a controller supports (Core 5.4, Vol 4, Part E, 6.27): 64 octets of bits.
public struct SupportedCommands: Equatable, Sendable {
    private var octets: [UInt8] = []

    /// An empty list: only commands that are mandatory for LE controllers are used.
    public init() {}

    /// Reads the return parameters of Read Local Supported Commands (7.4.2).
    public init(_ packet: Span<UInt8>, _ cursor: inout OctetCursor) throws(OctetError) {
        octets.append(packet.extracting(try cursor.consume(64, of: packet)))
    }

    /// True if the bit of a command is set.
    public func contains(octet: Int, bit: Int) -> Bool {
        octets.indices.contains(octet) && octets[octet] >> bit & 1 == 1
    }

    /// LE Write Suggested Default Data Length.
    public var hasSuggestedDataLength: Bool { contains(octet: 34, bit: 0) }
    var hasReadRemoteVersion: Bool { contains(octet: 2, bit: 7) }
    var hasReadRSSI: Bool { contains(octet: 15, bit: 5) }
    var hasConnectionUpdate: Bool { contains(octet: 27, bit: 2) }
    var hasDataLength: Bool { contains(octet: 33, bit: 6) }
    var hasReadSuggestedDataLength: Bool { contains(octet: 33, bit: 7) }
    var hasNumberOfAdvertisingSets: Bool { contains(octet: 36, bit: 7) }
    var hasBufferSizeV2: Bool { contains(octet: 41, bit: 5) }
    var hasReadRemoteTransmitPower: Bool { contains(octet: 44, bit: 4) }
    var hasTransmitPowerReporting: Bool { contains(octet: 44, bit: 7) }

    /// True if all commands of an advertising set with its own address are listed. Part of them is not enough: legacy
    /// and extended advertising commands must not be mixed (3.1.1).
    var hasExtendedAdvertising: Bool { (1...5).allSatisfy { contains(octet: 36, bit: $0) } }
}

extension BluetoothAddress {
    /// Reads the 48 bits of a device address, least significant octet first.
    public init(kind: Kind, _ octets: Span<UInt8>, _ cursor: inout OctetCursor) throws(OctetError) {
        let low = UInt64(try cursor.u32(octets))
        self.init(kind: kind, value: low | UInt64(try cursor.u16(octets)) << 32)
    }

    /// Appends the 48 bits, least significant octet first.
    public func append(to octets: inout [UInt8]) {
        octets.append(littleEndian: UInt32(truncatingIfNeeded: value))
        octets.append(littleEndian: UInt16(truncatingIfNeeded: value >> 32))
    }
}

extension OctetCursor {
    /// Reads a Connection_Handle: twelve bits, the others are reserved.
    mutating func connectionHandle(_ packet: Span<UInt8>) throws(OctetError) -> UInt16 { try u16(packet) & 0x0FFF }
}
