// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Peripheral
import Timekeeping

/// Text without its spaces, to compare with `hex`.
func packed(_ text: String) -> String { text.filter { $0 != " " } }

extension String {
    /// The text `count` times.
    func times(_ count: Int) -> String { String(repeating: self, count: count) }
}

/// A server, and clients with PDUs in hexadecimal.
final class GATTBench {
    var server: ServedClients
    var now = Instant.origin
    var events = GATTEvents()
    private var response: [UInt8] = []

    init(_ database: AttributeDatabase, slots: Int = 2, configuration: GATTServer.Configuration = .init()) {
        server = ServedClients(database, slots: slots, configuration: configuration)
    }

    /// Sends a PDU; the response PDU, or an empty text.
    func send(_ pdu: String, slot: Int = 0, bearer: Int = 0) -> String {
        hex(send(octets(pdu), slot: slot, bearer: bearer))
    }

    func send(_ pdu: [UInt8], slot: Int = 0, bearer: Int = 0) -> [UInt8] {
        response.removeAll(keepingCapacity: true)
        server.receive(pdu, slot: slot, bearer: bearer, at: now, response: &response, events: &events)
        return response
    }

    func openBearer(slot: Int = 0, mtu: Int = 64) -> Int? { server.openBearer(slot: slot, mtu: mtu) }

    /// The PDUs that the server sends without a request, in order: `slot.bearer`, `<` for a response or `!` for an
    /// indication, the PDU.
    func outputs() -> [String] {
        var outputs: [String] = []
        response.removeAll(keepingCapacity: true)
        while let (slot, output) = server.nextOutput(at: now, response: &response, events: &events) {
            outputs.append("\(slot).\(output.bearer)\(output.isResponse ? "<" : "!")\(hex(response))")
            response.removeAll(keepingCapacity: true)
        }
        return outputs
    }

    /// Advances to `seconds`; returns the slots in which an indication was not confirmed in time.
    func advance(to seconds: Double) -> [Int] {
        now = .origin + .milliseconds(Int64(seconds * 1000))
        var timedOut: [Int] = []
        server.advance(to: now, timedOut: &timedOut)
        return timedOut
    }

    /// The last question to the device.
    var question: AttributeRequest? {
        for event in events.events.reversed() {
            switch event {
            case .readRequested(let request, _, _), .writeRequested(let request, _, _): return request
            default: break
            }
        }
        return nil
    }

    /// The device's answer; returns the PDUs sent, or the outcome.
    func respond(_ request: AttributeRequest?, _ value: [UInt8]) -> String {
        answer(request) { bench, request in
            bench.server.answer {
                $0.respond(
                    to: request, of: &$1, value: value.span, response: &bench.response, events: &bench.events)
            }
        }
    }

    func accept(_ request: AttributeRequest?) -> String {
        answer(request) { bench, request in
            bench.server.answer {
                $0.accept(request, of: &$1, response: &bench.response, events: &bench.events)
            }
        }
    }

    func refuse(_ request: AttributeRequest?, _ code: UInt8) -> String {
        answer(request) { bench, request in
            bench.server.answer {
                $0.refuse(request, ATTErrorCode(rawValue: code), of: &$1, response: &bench.response)
            }
        }
    }

    private func answer(
        _ request: AttributeRequest?, _ body: (GATTBench, AttributeRequest) -> AnswerOutcome
    ) -> String {
        guard let request else { return "not asked" }
        response.removeAll(keepingCapacity: true)
        let outcome = body(self, request)
        return outcome == .taken ? hex(response) : "\(outcome)"
    }

    /// The events since the last call, with their values.
    func taken() -> (events: [GATTEvent], values: [[UInt8]]) {
        let values = events.events.compactMap { event -> [UInt8]? in
            switch event {
            case .written(_, let range, _), .writeRequested(_, _, let range): Array(events.octets[range])
            default: nil
            }
        }
        defer { events.removeAll() }
        return (events.events, values)
    }

    // A server cannot be copied, which `#expect` would do with the subject of a call.
    func mtu(slot: Int) -> Int { server.mtu(slot: slot) }
    func awaitsConfirmation(slot: Int) -> Bool { server.awaitsConfirmation(slot: slot) }
    func configuration(of handle: AttributeHandle, slot: Int) -> ClientConfiguration {
        server.configuration(of: handle, slot: slot)
    }

    func notify(
        _ handle: UInt16, _ value: [UInt8], slot: Int = 0, bearer: Int = 0
    ) -> (NotificationOutcome, String) {
        var pdu: [UInt8] = []
        let outcome = server.notification(
            of: AttributeHandle(rawValue: handle), value: value, slot: slot, bearer: bearer, into: &pdu)
        return (outcome, hex(pdu))
    }

    func indicate(
        _ handle: UInt16, _ value: [UInt8], slot: Int = 0, bearer: Int = 0
    ) -> (NotificationOutcome, String) {
        var pdu: [UInt8] = []
        let outcome = server.indication(
            of: AttributeHandle(rawValue: handle), value: value, slot: slot, bearer: bearer, at: now, into: &pdu)
        return (outcome, hex(pdu))
    }
}

extension GATTServer.Configuration {
    /// Prepared writes to several attributes are executed, whatever their properties.
    static let mixing: GATTServer.Configuration = {
        var configuration = GATTServer.Configuration()
        configuration.demandsReliableWriteBit = false
        return configuration
    }()
}

/// The database of most tests. Handles, in hexadecimal:
///
/// | service | declaration, value, descriptors |
/// |---|---|
/// | 01 Generic Access | 02 03 name "door", 04 05 appearance |
/// | 06 Generic Attribute | 07 08 09 service changed |
/// | 0a FCBA | 0b 0c receive (write-only), 0d 0e 0f transmit (notify, indicate) |
/// | 10, 128 bits | 11 12 (300 octets 5a) 13 "long", 14 15 encrypted, 16 17 authenticated, 18 19 (255 octets a5) |
/// | 1a secondary 180a | 1b 1c write only, 1d includes 01, 1e includes 10 |
enum House {
    static let service128 = BluetoothUUID(high: 0x5892_0001_0BB5_4F7D, low: 0xADA1_988C_7FEC_44E4)
    static let bulk = BluetoothUUID(high: 0x5892_0002_0BB5_4F7D, low: 0xADA1_988C_7FEC_44E4)

    static func database() throws -> AttributeDatabase {
        var builder = DatabaseBuilder()
        builder.addGAPService(name: "door", appearance: 0x0708)
        builder.addGATTService(robustCaching: false)
        builder.addService(BluetoothUUID(0xFCBA))
        builder.addCharacteristic(BluetoothUUID(0x1234), properties: [.write, .writeWithoutResponse])
        builder.addCharacteristic(BluetoothUUID(0x1235), properties: [.notify, .indicate])
        let long = builder.addService(service128)
        builder.addCharacteristic(
            bulk, properties: [.read, .write], value: .static(Array(repeating: 0x5A, count: 300)))
        builder.addDescriptor(
            .userDescription, permissions: [.read, .write], value: .static(Array("long".utf8), maximumCount: 8))
        builder.addCharacteristic(
            BluetoothUUID(0x1236), properties: [.read, .write], permissions: [.readEncrypted, .writeEncrypted],
            value: .static([1], maximumCount: 1))
        builder.addCharacteristic(
            BluetoothUUID(0x1237), properties: [.read, .write], permissions: [.readAuthenticated, .writeAuthenticated],
            value: .static([2], maximumCount: 1))
        builder.addCharacteristic(bulk, properties: .read, value: .static(Array(repeating: 0xA5, count: 255)))
        builder.addService(BluetoothUUID(0x180A), primary: false)
        builder.addCharacteristic(BluetoothUUID(0x1238), properties: .write, value: .static([7], maximumCount: 1))
        builder.addInclude(of: AttributeHandle(rawValue: 1))
        builder.addInclude(of: long)
        return try builder.build()
    }

    static func bench(
        mtu: Int? = nil, slots: Int = 2, configuration: GATTServer.Configuration = .init()
    ) throws -> GATTBench {
        let bench = GATTBench(try database(), slots: slots, configuration: configuration)
        if let mtu {
            for slot in 0..<slots {
                _ = bench.send([0x02, UInt8(truncatingIfNeeded: mtu), UInt8(truncatingIfNeeded: mtu >> 8)], slot: slot)
            }
            bench.events.removeAll()
        }
        return bench
    }
}
