// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral
import SimBLE
import Testing

/// The octets of SimBLE's published tests (nirapod-labs/simble: WireTests.swift, CBORTests.swift, protocol_test.c), as
/// payloads without the frame's length.
@Suite struct WireTests {
    static let octets = [UInt8](repeating: 0xAB, count: 32)
    static let peripheral: [UInt8] = [0x01, 0x02, 0x03, 0x04]
    static let attribute = SimBLEAttribute(
        peripheral: peripheral, service: BluetoothUUID(0x180D), characteristic: BluetoothUUID(0x2A37))
    /// Keys 30, 31 and 32 of that characteristic.
    static let attributeOctets: [UInt8] = [
        0x18, 0x1E, 0x44, 0x01, 0x02, 0x03, 0x04, 0x18, 0x1F, 0x64, 0x31, 0x38, 0x30, 0x44, 0x18, 0x20, 0x64, 0x32,
        0x41, 0x33, 0x37,
    ]
    static var token: SimBLEToken { get throws { try #require(SimBLEToken(octets)) } }

    /// Keys 0 and 7, then more.
    static func request(_ members: UInt8, _ operation: UInt8, _ rest: [UInt8] = []) -> [UInt8] {
        [0xA0 | members, 0x00, operation, 0x07, 0x58, 0x20] + octets + rest
    }

    private func parse(_ payload: [UInt8]) throws -> SimBLERequest {
        try SimBLERequest(payload.span, token: WireTests.token)
    }

    @Test func requests() throws {
        let attribute = WireTests.attribute
        let identifier: [UInt8] = [0x18, 0x1E, 0x44, 0x01, 0x02, 0x03, 0x04]
        let service: [UInt8] = [0x18, 0x1F, 0x64, 0x31, 0x38, 0x30, 0x44]
        let samples: [([UInt8], SimBLERequest)] = [
            (
                WireTests.request(5, 1, [0x08, 0x01, 0x0E, 0x61, 0x61, 0x18, 0x1C, 0x63, 0x41, 0x70, 0x70]),
                .hello(version: 1, application: "a", name: "App")
            ),
            (WireTests.request(3, 1, [0x08, 0x01]), .hello(version: 1, application: nil, name: nil)),
            (WireTests.request(2, 2), .centralState),
            (
                WireTests.request(3, 3, [0x18, 0x32, 0x81, 0x64, 0x31, 0x38, 0x30, 0x44]),
                .scanStart([BluetoothUUID(0x180D)])
            ),
            (WireTests.request(2, 3), .scanStart(nil)),
            (WireTests.request(2, 4), .scanStop),
            (WireTests.request(3, 5, identifier), .connect(WireTests.peripheral)),
            (
                WireTests.request(4, 7, identifier + [0x18, 0x32, 0x81, 0x64, 0x31, 0x38, 0x30, 0x44]),
                .discoverServices(WireTests.peripheral, [BluetoothUUID(0x180D)])
            ),
            (
                WireTests.request(
                    5, 8, identifier + service + [0x18, 0x33, 0x81, 0x64, 0x32, 0x41, 0x33, 0x37]),
                .discoverCharacteristics(
                    WireTests.peripheral, service: BluetoothUUID(0x180D), [BluetoothUUID(0x2A37)])
            ),
            (WireTests.request(5, 9, WireTests.attributeOctets), .read(attribute)),
            (
                WireTests.request(
                    7, 10, WireTests.attributeOctets + [0x18, 0x21, 0x43, 0xDE, 0xAD, 0xBE, 0x18, 0x27, 0x01]),
                .write(attribute, [0xDE, 0xAD, 0xBE], withResponse: false)
            ),
            (WireTests.request(6, 11, WireTests.attributeOctets + [0x18, 0x28, 0x01]), .setNotify(attribute, true)),
            (
                WireTests.request(
                    5, 18, [0x18, 0x21, 0x43, 0xDE, 0xAD, 0xBE, 0x18, 0x2A, 0x07, 0x18, 0x31, 0x00]),
                .peripheralRole(.respondRead)
            ),
            (WireTests.request(4, 19, [0x18, 0x2A, 0x07, 0x18, 0x31, 0x00]), .peripheralRole(.respondWrite)),
        ]
        for (payload, request) in samples { #expect(try parse(payload) == request) }
    }

    @Test func answers() {
        let id: [UInt8] = [0x18, 0x1E, 0x44, 0x01, 0x02, 0x03, 0x04]
        let services: [UInt8] = [0x18, 0x32, 0x81, 0x64, 0x31, 0x38, 0x30, 0x44]
        let characteristics: [UInt8] = [
            0x18, 0x1F, 0x64, 0x31, 0x38, 0x30, 0x44, 0x18, 0x33, 0x81, 0x64, 0x32, 0x41, 0x33, 0x37,
        ]
        let samples: [(SimBLEAnswer, [UInt8])] = [
            (.hello, [0xA3, 0x00, 0x01, 0x01, 0x00, 0x08, 0x01]),
            (.centralState(.poweredOn), [0xA3, 0x00, 0x02, 0x01, 0x00, 0x18, 0x29, 0x05]),
            (.done(.scanStart), [0xA2, 0x00, 0x03, 0x01, 0x00]),
            (.peripheral(.connect, WireTests.peripheral), [0xA3, 0x00, 0x05, 0x01, 0x00] + id),
            (
                .services(WireTests.peripheral, [BluetoothUUID(0x180D)]),
                [0xA4, 0x00, 0x07, 0x01, 0x00] + id + services
            ),
            (
                .characteristics(WireTests.peripheral, service: BluetoothUUID(0x180D), [BluetoothUUID(0x2A37)]),
                [0xA5, 0x00, 0x08, 0x01, 0x00] + id + characteristics
            ),
            (
                .value(WireTests.attribute, [0xDE, 0xAD, 0xBE]),
                [0xA6, 0x00, 0x09, 0x01, 0x00] + WireTests.attributeOctets + [0x18, 0x21, 0x43, 0xDE, 0xAD, 0xBE]
            ),
            (
                .notify(WireTests.attribute, true),
                [0xA6, 0x00, 0x0B, 0x01, 0x00] + WireTests.attributeOctets + [0x18, 0x28, 0x01]
            ),
            (.rssi(WireTests.peripheral, -42), [0xA4, 0x00, 0x0C, 0x01, 0x00] + id + [0x18, 0x22, 0x38, 0x29]),
            (
                .peripheralState(WireTests.peripheral, .connected),
                [0xA4, 0x00, 0x0D, 0x01, 0x00] + id + [0x18, 0x29, 0x02]
            ),
            (.done(.write), [0xA2, 0x00, 0x0A, 0x01, 0x00]),
            (
                .refused(.connect, SimBLECode(rawValue: -7), "no"),
                [0xA4, 0x00, 0x05, 0x01, 0x01, 0x06, 0x62, 0x6E, 0x6F, 0x0A, 0x26]
            ),
        ]
        for (answer, payload) in samples { #expect(answer.frame == [0, 0, 0, UInt8(payload.count)] + payload) }
    }

    @Test func events() {
        var advertisement = SimBLEAdvertisement()
        advertisement.name = "Dev"
        advertisement.services = [BluetoothUUID(0x180D)]
        advertisement.transmitPower = -8
        advertisement.manufacturerData = [0xCA, 0xFE]
        let samples: [(SimBLEEvent, [UInt8])] = [
            (
                .discovered(WireTests.peripheral, advertisement, rssi: -55),
                [
                    0xA7, 0x00, 0x18, 0x80, 0x18, 0x1E, 0x44, 0x01, 0x02, 0x03, 0x04, 0x18, 0x22, 0x38, 0x36, 0x18,
                    0x23,
                    0x63, 0x44, 0x65, 0x76, 0x18, 0x24, 0x81, 0x64, 0x31, 0x38, 0x30, 0x44, 0x18, 0x25, 0x27, 0x18,
                    0x26, 0x42, 0xCA, 0xFE,
                ]
            ),
            (
                .value(WireTests.attribute, [0xDE, 0xAD, 0xBE]),
                [0xA5, 0x00, 0x18, 0x81] + WireTests.attributeOctets + [0x18, 0x21, 0x43, 0xDE, 0xAD, 0xBE]
            ),
            (
                .disconnected(WireTests.peripheral, SimBLECode(rawValue: -10)),
                [0xA3, 0x00, 0x18, 0x82, 0x0A, 0x29, 0x18, 0x1E, 0x44, 0x01, 0x02, 0x03, 0x04]
            ),
            (.centralState(.poweredOn), [0xA2, 0x00, 0x18, 0x83, 0x18, 0x29, 0x05]),
        ]
        for (event, payload) in samples { #expect(event.frame == [0, 0, 0, UInt8(payload.count)] + payload) }
    }

    /// Without the token nothing else of a request is read: a request without one, with 16 octets, and with another.
    @Test(arguments: [
        [0xA1, 0x00, 0x02],
        [0xA2, 0x00, 0x02, 0x07, 0x50] + [UInt8](repeating: 0xAB, count: 16),
        [0xA2, 0x00, 0x02, 0x07, 0x58, 0x20] + [UInt8](repeating: 0xAB, count: 31) + [0xAA],
        // Also of an operation that does not exist.
        [0xA2, 0x00, 0x18, 0x64, 0x07, 0x58, 0x20] + [UInt8](repeating: 0xAC, count: 32),
    ])
    func tokens(payload: [UInt8]) {
        #expect(throws: SimBLEFault.token) { try parse(payload) }
    }

    /// No canonical map: a key twice, an integer in a longer form, octets behind it, lengths that exceed it, no map.
    @Test(arguments: [
        [0xA2, 0x00, 0x02, 0x00, 0x03], [0xA1, 0x00, 0x18, 0x05], [0xA1, 0x00, 0x02, 0xFF],
        [0xA1, 0x07, 0x5B] + [UInt8](repeating: 0xFF, count: 8),
        [0xA1, 0x07, 0x5B, 0x7F] + [UInt8](repeating: 0xFF, count: 7),
        [0xBB] + [UInt8](repeating: 0xFF, count: 8),
        [0xA1, 0x18, 0x32, 0x9B] + [UInt8](repeating: 0xFF, count: 8),
        [0xA1, 0x0A, 0x1B] + [UInt8](repeating: 0xFF, count: 8),
        [0xA1, 0x00, 0x44, 0x01, 0x02], [0x80], [],
        // Keys in descending order.
        [0xA2, 0x07, 0x41, 0x00, 0x00, 0x02],
    ])
    func nonCanonical(payload: [UInt8]) {
        #expect(throws: SimBLEFault.notCanonical) { try parse(payload) }
    }

    @Test func membersOutsideTheSchema() throws {
        #expect(throws: SimBLEFault.operation(21)) { try parse(WireTests.request(2, 21)) }
        // A connection without a peripheral, and one whose peripheral is a text.
        #expect(throws: SimBLEFault.malformed("key 30")) { try parse(WireTests.request(2, 5)) }
        #expect(throws: SimBLEFault.malformed("key 30")) {
            try parse(WireTests.request(3, 5, [0x18, 0x1E, 0x61, 0x61]))
        }
        // A flag that is neither 0 nor 1, and a UUID that is none.
        #expect(throws: SimBLEFault.malformed("key 40")) {
            try parse(WireTests.request(6, 11, WireTests.attributeOctets + [0x18, 0x28, 0x02]))
        }
        #expect(throws: SimBLEFault.malformed("key 50")) {
            try parse(WireTests.request(3, 3, [0x18, 0x32, 0x81, 0x61, 0x31]))
        }
        // A key that the schema does not have is ignored.
        #expect(try parse(WireTests.request(3, 2, [0x18, 0x63, 0x00])) == .centralState)
    }

    @Test func frames() throws {
        var framer = SimBLEFramer()
        let first: [UInt8] = [0x00, 0x00, 0x00, 0x04, 0xDE, 0xAD]
        let second: [UInt8] = [0xBE, 0xEF, 0x00, 0x00, 0x00, 0x00]
        #expect(try framer.next() == nil)
        framer.append(first.span)
        #expect(try framer.next() == nil && framer.isPartial)
        framer.append(second.span)
        #expect(try framer.next() == [0xDE, 0xAD, 0xBE, 0xEF])
        #expect(try framer.next() == [])
        #expect(try framer.next() == nil && !framer.isPartial)
        // 64 KiB are the most; nothing of a longer frame is awaited.
        let longest: [UInt8] = [0x00, 0x01, 0x00, 0x00], tooLong: [UInt8] = [0x00, 0x20, 0x00, 0x01]
        framer.append(longest.span)
        #expect(try framer.next() == nil)
        var other = SimBLEFramer()
        other.append(tooLong.span)
        #expect(throws: SimBLEFault.tooLong(0x200001)) { try other.next() }
    }
}
