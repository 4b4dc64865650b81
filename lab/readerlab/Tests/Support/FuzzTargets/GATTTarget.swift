// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Reader
import Timekeeping

/// Two clients of one server: PDUs, time, links that end, and what the device sends. The first octet chooses the
/// table: the reader's, or one with every kind of attribute.
func fuzzGATT(_ input: inout FuzzInput) {
    var bench = ServerBench(input.octet() & 1 == 0 ? FuzzTable.access.database : FuzzTable.house)
    while let choice = input.next() {
        let slot = Int(choice >> 7)
        switch choice & 0x0F {
        case 0: bench.advance(input.octet())
        case 1: bench.reopen(slot, choice)
        case 2: bench.send(slot, choice, UInt16(input.octet()), input.block())
        case 3: bench.set(UInt16(input.octet()), input.block())
        default: bench.receive(input.block(), slot)
        }
    }
    bench.receive([0x0A, 0x03, 0x00], 0)
}

enum FuzzTable {
    /// The reader's own, of all modes.
    static let access = certain {
        try AccessTable(
            deviceName: "wa0y1YwS", modes: AdvertisingMode.allCases, identifiers: .init(),
            record: ManufacturerRecord(isFactory: true, applicationVersion: 1, localMidnight: 0))
    }

    /// Long values, protected ones, includes, secondary services, indications.
    static let house = certain { try makeHouse() }

    /// The same, and a value that the device handles.
    static let handling = certain { try makeHouse(handles: true) }

    private static func makeHouse(handles: Bool = false) throws(DatabaseError) -> AttributeDatabase {
        let bulk = BluetoothUUID(high: 0x5892_0002_0BB5_4F7D, low: 0xADA1_988C_7FEC_44E4)
        var builder = DatabaseBuilder()
        builder.addGAPService(name: "door", appearance: 0x0708)
        builder.addGATTService()
        let short = builder.addService(BluetoothUUID(0xFCBA))
        builder.addCharacteristic(BluetoothUUID(0x1234), properties: [.write, .writeWithoutResponse])
        builder.addCharacteristic(BluetoothUUID(0x1235), properties: [.notify, .indicate])
        let long = builder.addService(BluetoothUUID(high: 0x5892_0001_0BB5_4F7D, low: 0xADA1_988C_7FEC_44E4))
        builder.addCharacteristic(
            bulk, properties: [.read, .write], value: .static(Array(repeating: 0x5A, count: 300)))
        builder.addDescriptor(
            .userDescription, permissions: [.read, .write], value: .static(Array("long".utf8), maximumCount: 8))
        builder.addCharacteristic(
            BluetoothUUID(0x1236), properties: [.read, .write], permissions: [.readEncrypted, .writeEncrypted],
            value: .static([1], maximumCount: 1))
        builder.addCharacteristic(
            BluetoothUUID(0x1237), properties: [.read, .notify],
            permissions: [.readAuthenticated, .writeAuthenticated], value: .static([2], maximumCount: 512))
        builder.addService(BluetoothUUID(0x180A), primary: false)
        builder.addCharacteristic(BluetoothUUID(0x1238), properties: .write, value: .static([7], maximumCount: 1))
        builder.addInclude(of: short)
        builder.addInclude(of: long)
        if handles {
            builder.addService(BluetoothUUID(0x180F))
            builder.addCharacteristic(BluetoothUUID(0x1239), properties: [.read, .write, .indicate], value: .dynamic)
        }
        return try builder.build()
    }
}

/// A server of two links, held to what ATT asks of every one.
private struct ServerBench: ~Copyable {
    private var server: GATTServer
    private var clients = [GATTServer.Client(), GATTServer.Client()]
    private var now = Instant.origin
    private var events = GATTEvents()

    init(_ database: AttributeDatabase) {
        server = GATTServer(database: database)
        for slot in clients.indices { server.open(&clients[slot]) }
    }

    mutating func receive(_ pdu: [UInt8], _ slot: Int) {
        let mtu = clients[slot].mtu()
        var response: [UInt8] = [0xEE]
        events.removeAll()
        server.receive(pdu.span, from: &clients[slot], at: now, response: &response, events: &events)
        require(response.first == 0xEE, "the response was not appended")
        let answer = Array(response.dropFirst())
        let opcode = ATTOpcode(rawValue: pdu.first ?? 0xFF)
        require(answer.isEmpty != (!pdu.isEmpty && opcode.isRequest), "\(answer.count) octets answer \(pdu.count)")
        require(answer.count <= mtu, "the answer has \(answer.count) octets, the MTU is \(mtu)")
        if answer.first == ATTOpcode.errorResponse.rawValue {
            require(answer.count == 5 && answer[1] == pdu[0] && answer[4] != 0, "a malformed error response")
        } else if let first = answer.first {
            require(first == pdu[0] + 1, "the answer is not to this request")
        }
        for case .written(_, let range, _) in events.events {
            require(range.upperBound <= events.octets.count && range.count <= 512, "the value is out of bounds")
        }
        require((23...517).contains(clients[slot].mtu()), "an MTU of \(clients[slot].mtu())")
    }

    mutating func advance(_ seconds: UInt8) {
        now = now + .milliseconds(Int(seconds) * 200)
        for slot in clients.indices {
            _ = server.advance(&clients[slot], to: now)
            if let next = clients[slot].deadline { require(next > now, "time does not go on") }
        }
    }

    mutating func reopen(_ slot: Int, _ choice: UInt8) {
        if choice & 0x40 != 0 {
            server.close(&clients[slot])
            server.open(&clients[slot])
        } else {
            let isSecure = choice & 0x20 != 0
            clients[slot].setSecurity(
                LinkSecurityLevel(
                    isEncrypted: isSecure, isAuthenticated: choice & 0x10 != 0 && isSecure, isBonded: true))
        }
    }

    mutating func send(_ slot: Int, _ choice: UInt8, _ handle: UInt16, _ value: [UInt8]) {
        let handle = AttributeHandle(rawValue: handle)
        var pdu: [UInt8] = []
        let outcome =
            choice & 0x40 == 0
            ? server.notification(of: handle, value: value.span, to: &clients[slot], into: &pdu)
            : server.indication(of: handle, value: value.span, to: &clients[slot], at: now, into: &pdu)
        require(pdu.isEmpty == (outcome != .accepted), "\(outcome) with \(pdu.count) octets")
        require(pdu.count <= clients[slot].mtu(), "longer than the MTU")
    }

    mutating func set(_ handle: UInt16, _ value: [UInt8]) {
        do throws(AttributeValueError) {
            try server.setValue(value.span, of: AttributeHandle(rawValue: handle))
        } catch {}
    }
}
