// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral
import TestSupport

@testable import GATTDevice

/// Makes captures, packet by packet, in hexadecimal digits.
struct CaptureMaker {
    enum Format: CaseIterable { case btsnoop, plain, monitor, pcapng, swapped, pcapngMonitor, pcapngBinary }

    private let format: Format
    private(set) var octets: [UInt8] = []
    /// The time of the next packet in microseconds.
    var now: Int64 = 1_000_000

    init(_ format: Format = .btsnoop) {
        self.format = format
        switch format {
        case .btsnoop: BTSnoop.appendFileHeader(to: &octets)
        case .plain: octets = Array("btsnoop\0".utf8) + [0, 0, 0, 1, 0, 0, 0x03, 0xE9]
        case .monitor: octets = Array("btsnoop\0".utf8) + [0, 0, 0, 1, 0, 0, 0x07, 0xD1]
        case .pcapng, .pcapngBinary: begin(linkType: 201)
        case .swapped: begin(linkType: 201)
        case .pcapngMonitor: begin(linkType: 254)
        }
    }

    /// An LE meta event: LE Connection Complete as central, to C0:00:00:00:00:01 (random).
    mutating func connect(asPeripheral: Bool = false, handle: String = "4000") {
        receive("04 3e 13 01 00 \(handle) \(asPeripheral ? "01" : "00") 01 0100000000c0 1800 0000 4800 00")
    }

    mutating func disconnect() { receive("04 05 04 00 4000 13") }

    /// An advertising report of C0:00:00:00:00:01 with this type.
    mutating func report(_ type: String, _ data: String) {
        let data = TestSupport.octets(data)
        let head = "02 01 \(type) 01 0100000000c0 " + hex([UInt8(data.count)]) + hex(data) + "c4"
        receive("04 3e " + hex([UInt8(TestSupport.octets(head).count)]) + head)
    }

    /// ATT PDUs of the client, and of the server, as a central's host has them.
    mutating func ask(_ pdu: String) { data(pdu, isReceived: false) }
    mutating func answer(_ pdu: String) { data(pdu, isReceived: true) }

    mutating func exchange(_ request: String, _ response: String) {
        ask(request)
        answer(response)
    }

    mutating func data(_ pdu: String, isReceived: Bool, handle: String = "4020") {
        let pdu = TestSupport.octets(pdu)
        var packet = TestSupport.octets("02 \(handle)")
        packet.append(littleEndian: UInt16(pdu.count + 4))
        packet.append(littleEndian: UInt16(pdu.count))
        packet += [4, 0] + pdu
        add(packet, isReceived: isReceived)
    }

    mutating func receive(_ packet: String) { add(TestSupport.octets(packet), isReceived: true) }
    mutating func send(_ packet: String) { add(TestSupport.octets(packet), isReceived: false) }

    mutating func add(_ packet: [UInt8], isReceived: Bool) {
        switch format {
        case .btsnoop:
            BTSnoop.appendRecord(packet.span, isReceived ? .received : .sent, microseconds: now, to: &octets)
        case .plain:
            let flags: UInt32 = (packet[0] == 2 ? 0 : 2) | (isReceived ? 1 : 0)
            record(Array(packet.dropFirst()), flags)
        case .monitor: record(Array(packet.dropFirst()), UInt32(CaptureMaker.opcode(packet, isReceived)))
        case .pcapng, .swapped, .pcapngBinary: enhanced([0, 0, 0, isReceived ? 1 : 0] + packet)
        case .pcapngMonitor: enhanced([0, 0, 0, CaptureMaker.opcode(packet, isReceived)] + packet.dropFirst())
        }
        now += 1000
    }

    private static func opcode(_ packet: [UInt8], _ isReceived: Bool) -> UInt8 {
        switch packet[0] {
        case 1: 2
        case 4: 3
        default: isReceived ? 5 : 4
        }
    }

    private mutating func record(_ packet: [UInt8], _ flags: UInt32) {
        for number in [UInt32(packet.count), UInt32(packet.count), flags, 0] {
            octets.append(littleEndian: number.byteSwapped)
        }
        octets.append(littleEndian: UInt64(bitPattern: now + 0x00DC_DDB3_0F2F_8000).byteSwapped)
        octets += packet
    }

    // MARK: - pcapng

    private func field(_ number: UInt32) -> [UInt8] {
        var field: [UInt8] = []
        field.append(littleEndian: format == .swapped ? number.byteSwapped : number)
        return field
    }

    private mutating func block(_ type: UInt32, _ body: [UInt8]) {
        let body = body + [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
        octets += field(type) + field(UInt32(body.count + 12)) + body + field(UInt32(body.count + 12))
    }

    private mutating func begin(linkType: UInt16) {
        block(0x0A0D_0D0A, field(0x1A2B_3C4D) + field(format == .swapped ? 0x0001_0000 : 1) + field(.max) + field(.max))
        // Nanoseconds: option 9.
        let type = format == .swapped ? [UInt8(linkType >> 8), UInt8(linkType & 0xFF)] : [UInt8(linkType & 0xFF), 0]
        let option: [UInt8] = format == .swapped ? [0, 9, 0, 1] : [9, 0, 1, 0]
        // Or units of 2^-30 s.
        let resolution: UInt8 = format == .pcapngBinary ? 0x80 | 30 : 9
        block(1, type + [0, 0] + field(0) + option + [resolution, 0, 0, 0] + [0, 0, 0, 0])
        // A block of another kind.
        block(0x0BAD, [1, 2, 3, 4])
    }

    private mutating func enhanced(_ packet: [UInt8]) {
        let time = format == .pcapngBinary ? (UInt64(now) << 30 + 999_999) / 1_000_000 : UInt64(now) * 1000
        let count = UInt32(packet.count)
        block(
            6,
            field(0) + field(UInt32(time >> 32)) + field(UInt32(truncatingIfNeeded: time)) + field(count) + field(count)
                + packet)
    }

    // MARK: - A device

    /// A sensor: Generic Access, and Battery with a notified level, found and read by a central.
    static func sensor(_ format: Format = .btsnoop) -> CaptureMaker {
        var maker = CaptureMaker(format)
        maker.report("00", "02 01 06 03 03 0f18")
        maker.report("04", "07 09 73656e736f72")
        maker.connect()
        maker.exchange("02 f700", "03 b900")
        maker.exchange("10 0100 ffff 0028", "11 06 0100 0300 0018 0400 0800 0f18")
        maker.exchange("10 0900 ffff 0028", "01 10 0900 0a")
        maker.exchange("08 0100 0300 0328", "09 07 0200 02 0300 002a")
        maker.exchange("08 0400 0800 0328", "09 07 0500 12 0600 192a")
        maker.exchange("04 0700 0800", "05 01 0700 0229 0800 0129")
        maker.exchange("0a 0300", "0b 73656e736f72")
        maker.exchange("0a 0600", "0b 64")
        maker.exchange("0a 0800", "0b 6c6576656c")
        maker.now += 100_000
        maker.exchange("12 0700 0100", "13")
        maker.now += 499_000
        maker.answer("1b 0600 63")
        maker.now += 999_000
        maker.answer("1b 0600 62")
        maker.exchange("0a 0600", "0b 62")
        maker.disconnect()
        return maker
    }
}
