// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral

/// A packet between a host and a controller in a capture.
struct CapturedPacket: Equatable {
    /// The number of its controller in the capture.
    var controller: Int
    /// True for a packet from the controller to the host.
    var isReceived: Bool
    /// The time in microseconds, from any origin.
    var microseconds: Int64
    /// The packet with its H4 type octet.
    var octets: [UInt8]
}

extension CapturedPacket {
    /// A record of the Linux monitor: the kind of packet and its direction are the opcode, and the packet has no type
    /// octet. Nil for records of other kinds, such as names and notes.
    init?(monitor opcode: UInt16, controller: Int, microseconds: Int64, _ octets: Span<UInt8>) {
        let type: H4PacketType
        switch opcode {
        case 2: type = .command
        case 3: type = .event
        case 4, 5: type = .acl
        default: return nil
        }
        self.init(
            controller: controller, isReceived: opcode == 3 || opcode == 5, microseconds: microseconds, octets: [])
        self.octets.append(type.rawValue)
        self.octets.append(octets)
    }
}

/// A reader of a capture of HCI traffic, packet by packet. The file's octets are passed to each call.
///
/// The formats are btsnoop, as of Android, and of `btmon -w`, and pcapng, as of Wireshark.
struct CaptureReader {
    /// The maximum length of a file in octets: hours of a phone's log.
    static let maximumFileCount = 64 * 1024 * 1024

    private enum Format {
        case btsnoop(BTSnoopReader)
        case pcapng(PCAPNGReader)
    }

    private static let pcapMagics: [[UInt8]] = [
        [0xD4, 0xC3, 0xB2, 0xA1], [0xA1, 0xB2, 0xC3, 0xD4], [0x4D, 0x3C, 0xB2, 0xA1], [0xA1, 0xB2, 0x3C, 0x4D],
    ]
    private var format: Format

    /// Reads the file header.
    init(_ file: Span<UInt8>) throws(DeviceImportFault) {
        let start = file.extracting(first: min(4, file.count))
        if start.isEqual(to: PCAPNGReader.magic) {
            format = .pcapng(PCAPNGReader(file))
            return
        }
        guard !CaptureReader.pcapMagics.contains(where: { start.isEqual(to: $0) }) else {
            throw DeviceImportFault(.file, "a pcap file: save it as pcapng, as Wireshark does")
        }
        do throws(BTSnoopError) {
            let accepted = [BTSnoop.h4Datalink, BTSnoop.plainDatalink, BTSnoop.monitorDatalink]
            format = .btsnoop(try BTSnoopReader(file, accepting: accepted))
        } catch .notACapture {
            throw DeviceImportFault(
                .file, "neither a btsnoop or pcapng capture nor an XML export of nRF Connect")
        } catch {
            throw DeviceImportFault(.octet(8), "\(error)")
        }
    }

    /// The next packet; nil after the last. Records of other kinds are passed over. The reader must not be used after
    /// an error.
    mutating func next(_ file: Span<UInt8>) throws(DeviceImportFault) -> CapturedPacket? {
        switch format {
        case .pcapng(var reader):
            defer { format = .pcapng(reader) }
            return try reader.next(file)
        case .btsnoop(var reader):
            defer { format = .btsnoop(reader) }
            while true {
                let record: BTSnoopRecord?
                do throws(BTSnoopError) { record = try reader.next(file) } catch {
                    throw DeviceImportFault(.octet(error.offset), "\(error)")
                }
                guard let record else { return nil }
                if let packet = CaptureReader.packet(record, reader.datalink, file) { return packet }
            }
        }
    }

    /// The packet of a record; nil for other kinds, and if the capture has cut it.
    private static func packet(
        _ record: BTSnoopRecord, _ datalink: UInt32, _ file: Span<UInt8>
    ) -> CapturedPacket? {
        guard record.packet.count == record.originalCount else { return nil }
        let octets = file.extracting(record.packet)
        if datalink == BTSnoop.monitorDatalink {
            return CapturedPacket(
                monitor: UInt16(truncatingIfNeeded: record.flags), controller: Int(record.flags >> 16),
                microseconds: record.microseconds, octets)
        }
        let isReceived = record.direction == .received
        var packet = CapturedPacket(
            controller: 0, isReceived: isReceived, microseconds: record.microseconds, octets: [])
        if datalink == BTSnoop.plainDatalink {
            let isCommand = record.flags & BTSnoop.commandFlag != 0
            let type = isCommand ? (isReceived ? H4PacketType.event : .command) : .acl
            packet.octets.append(type.rawValue)
        }
        packet.octets.append(octets)
        return packet
    }
}

extension BTSnoopError {
    /// The octet of the record with the fault.
    fileprivate var offset: Int {
        switch self {
        case .truncated(let offset), .length(let offset): offset
        case .notACapture, .version, .datalink: 0
        }
    }
}

extension Span<UInt8> {
    /// True if the octets are these.
    func isEqual(to octets: [UInt8]) -> Bool {
        count == octets.count && octets.indices.allSatisfy { self[$0] == octets[$0] }
    }
}
