// SPDX-License-Identifier: Apache-2.0

import Glibc
import LoadGenerator
import Octets
import Peripheral
import Timekeeping

/// The minimum cost of any host on this socket: a loop that reads, answers reads and writes with prepared octets, and
/// writes everything in one call. It contains a server only for the requests before the load.
struct ConstantLoop: ~Copyable {
    private struct Place {
        var handle: UInt16 = 0
        var isUp = false
        var remaining = 0
        var notification: [UInt8] = []
        var client = GATTServer.Client()
    }

    private let descriptor: CInt
    private var input: [UInt8] = Array(repeating: 0, count: 64 * 1024)
    private var count = 0
    private var output: [UInt8] = []
    private var places: [Place]
    private var server: GATTServer
    private let readHandle: UInt8
    private let writeHandle: UInt8
    private let controlHandle: UInt8
    private let notifyHandle: UInt8
    /// Free ACL packet buffers of the controller.
    private var credits = 15
    private var commands: UInt32 = 0

    init(_ descriptor: CInt, links: Int) throws(DatabaseError) {
        self.descriptor = descriptor
        var builder = DatabaseBuilder()
        builder.addGAPService(name: "bench", appearance: 0)
        builder.addService(BenchTable.service)
        let properties: [(BenchTable.Characteristic, CharacteristicProperties)] = [
            (.read, .read), (.write, .write), (.command, .writeWithoutResponse), (.notify, .notify), (.control, .write),
        ]
        var handles: [UInt8] = []
        for (characteristic, property) in properties {
            let handle = builder.addCharacteristic(characteristic.uuid, properties: property, value: .writeOnly)
            handles.append(UInt8(truncatingIfNeeded: handle.rawValue))
        }
        (readHandle, writeHandle, notifyHandle, controlHandle) = (handles[0], handles[1], handles[3], handles[4])
        server = GATTServer(database: try builder.build())
        places = Array(repeating: Place(), count: links)
    }

    /// Runs until the connection is closed.
    mutating func run() {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
        // Reset and advertising; buffer sizes are assumed to be known.
        output += [0x01, 0x03, 0x0C, 0x00]
        advertise()
        while flush() {
            let got = input.withUnsafeMutableBytes { octets in
                read(descriptor, octets.baseAddress.map { $0 + count }, octets.count - count)
            }
            guard got > 0 else { return }
            count += got
            takeAll()
        }
    }

    private mutating func flush() -> Bool {
        var written = 0
        while written < output.count {
            let result = output.withUnsafeBytes { octets in
                write(descriptor, octets.baseAddress.map { $0 + written }, octets.count - written)
            }
            guard result > 0 else { return false }
            written += result
        }
        output.removeAll(keepingCapacity: true)
        return true
    }

    private mutating func advertise() { output += [0x01, 0x0A, 0x20, 0x01, 0x01] }

    private mutating func takeAll() {
        var start = 0
        while count - start >= 5 {
            let isData = input[start] == 0x02
            let length =
                isData ? 5 + (Int(input[start + 3]) | Int(input[start + 4]) << 8) : 3 + Int(input[start + 2])
            guard count - start >= length else { break }
            if isData { takeData(start, length) } else { takeEvent(start) }
            start += length
        }
        input.withUnsafeMutableBytes { octets in
            guard start > 0, start < count, let base = octets.baseAddress else { return }
            memmove(base, base + start, count - start)
        }
        count -= start
        notify()
    }

    private mutating func takeEvent(_ start: Int) {
        switch (input[start + 1], input[start + 3]) {
        case (0x13, _):
            for index in 0..<Int(input[start + 3]) { credits += Int(input[start + 4 + 4 * index + 2]) }
        case (0x3E, 0x01):
            let slot = Int(input[start + 5]) - 0x40
            places[slot] = Place(handle: UInt16(input[start + 5]), isUp: true)
            server.open(&places[slot].client)
            if places.contains(where: { !$0.isUp }) { advertise() }
        case (0x05, _):
            let slot = Int(input[start + 4]) - 0x40
            let wasFull = !places.contains { !$0.isUp }
            places[slot].isUp = false
            if wasFull { advertise() }
        default: break
        }
    }

    private mutating func takeData(_ start: Int, _ length: Int) {
        let slot = Int(input[start + 1]) - 0x40
        switch (input[start + 9], input[start + 10]) {
        case (0x0A, readHandle): answer(slot, 0x0B, BenchTable.readCount)
        case (0x12, writeHandle): answer(slot, 0x13, 0)
        case (0x12, controlHandle):
            answer(slot, 0x13, 0)
            order(slot, start + 12)
        case (0x52, _): commands &+= 1
        default:
            let pdu = Array(input[start + 9..<start + length])
            var response: [UInt8] = []
            var events = GATTEvents()
            server.receive(pdu.span, from: &places[slot].client, at: .origin, response: &response, events: &events)
            if !response.isEmpty { send(slot, response.span) }
        }
    }

    private mutating func answer(_ slot: Int, _ opcode: UInt8, _ value: Int) {
        let pdu = UInt8(1 + value)
        output.append(0x02)
        output.append(littleEndian: UInt16(0x40 + slot))
        output.append(littleEndian: UInt16(4 + pdu))
        output.append(littleEndian: UInt16(pdu))
        output.append(littleEndian: UInt32(0x04) | UInt32(opcode) << 16)
        output.removeLast()
        output.append(contentsOf: repeatElement(0x55, count: value))
        credits -= 1
    }

    private mutating func send(_ slot: Int, _ pdu: Span<UInt8>) {
        let count = UInt16(pdu.count)
        output.append(0x02)
        output.append(littleEndian: UInt16(0x40 + slot))
        output.append(littleEndian: count + 4)
        output.append(littleEndian: count)
        output.append(littleEndian: UInt16(0x0004))
        output.append(pdu)
        credits -= 1
    }

    private mutating func order(_ slot: Int, _ at: Int) {
        places[slot].remaining = Int(input[at]) | Int(input[at + 1]) << 8 | Int(input[at + 2]) << 16
        let octets = min(max(Int(input[at + 4]) | Int(input[at + 5]) << 8, 4), BenchTable.longestCount)
        var packet: [UInt8] = [0x02]
        packet.append(littleEndian: UInt16(0x40 + slot))
        packet.append(littleEndian: UInt16(octets + 7))
        packet.append(littleEndian: UInt16(octets + 3))
        packet += [0x04, 0, 0x1B, notifyHandle, 0]
        packet.append(littleEndian: commands)
        packet += repeatElement(0x55, count: octets - 4)
        places[slot].notification = packet
    }

    /// Sends a notification on each link in turn, as long as the controller has room.
    private mutating func notify() {
        var isAnyLeft = true
        while isAnyLeft, credits > 0 {
            isAnyLeft = false
            for slot in places.indices where places[slot].remaining > 0 && credits > 0 {
                output.append(contentsOf: places[slot].notification)
                places[slot].remaining -= 1
                credits -= 1
                isAnyLeft = true
            }
        }
    }
}
