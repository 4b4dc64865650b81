// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Octets
@testable import Peripheral
import Testing

/// Core 5.4, Vol 3, Part F, 3.4: the PDUs of a server, and the count of the octets before the value or the list.
@Suite struct ATTResponseTests {
    static let samples: [(String, Int, ATTResponse)] = [
        ("01 0a 0201 02", 5, .error(.readRequest, handle: 0x0102, .readNotPermitted)),
        ("03 0502", 3, .exchangeMTU(server: 517)),
        ("05 01", 2, .findInformation(isShort: true)),
        ("05 02", 2, .findInformation(isShort: false)),
        ("07", 1, .bare(.findByTypeValueResponse)),
        ("09 15", 2, .readByType(entryCount: 21)),
        ("0b", 1, .bare(.readResponse)),
        ("0d", 1, .bare(.readBlobResponse)),
        ("0f", 1, .bare(.readMultipleResponse)),
        ("11 06", 2, .readByGroupType(entryCount: 6)),
        ("13", 1, .bare(.writeResponse)),
        ("17 0201 0403", 5, .prepareWrite(0x0102, offset: 0x0304)),
        ("19", 1, .bare(.executeWriteResponse)),
        ("1b 0201", 3, .notification(AttributeHandle(rawValue: 0x0102))),
        ("1d 0201", 3, .indication(AttributeHandle(rawValue: 0x0102))),
        ("21", 1, .bare(.readMultipleVariableResponse)),
        ("23", 1, .bare(.multipleHandleValueNotification)),
    ]

    private func read(_ pdu: [UInt8]) throws -> (ATTResponse?, Int) {
        let span = pdu.span
        var cursor = OctetCursor(span)
        return (try ATTResponse(span, &cursor), cursor.position)
    }

    @Test func bothDirections() throws {
        for (pdu, count, response) in ATTResponseTests.samples {
            let head = octets(pdu)
            let (found, position) = try read(head + [0xAA, 0xBB])
            #expect(found == response && position == count && head.count == count)
            var written: [UInt8] = []
            response.append(to: &written)
            #expect(written == head)
            for count in 0..<head.count {
                #expect(throws: OctetError.self, "\(pdu), \(count)") { try read(Array(head.prefix(count))) }
            }
        }
    }

    /// 3.4.3.2: there are two formats.
    @Test func formatsOfFindInformation() {
        for format: UInt8 in [0, 3, 255] {
            #expect(throws: OctetError.self) { try read([0x05, format, 1, 0, 0, 0x28]) }
        }
    }

    @Test func everyOtherOpcodeIsOfNoServer() throws {
        let known = Set(ATTResponseTests.samples.map { octets($0.0)[0] })
        for opcode: UInt8 in 0...255 where !known.contains(opcode) {
            #expect(try read([opcode, 1, 2, 3, 4]).0 == nil, "opcode \(opcode)")
        }
    }
}

/// Core 5.4, Vol 3, Part G, 3.3.1: properties, value handle, UUID of 2 or 16 octets.
@Test func characteristicDeclarations() throws {
    func read(_ value: [UInt8]) throws -> CharacteristicDeclaration {
        let span = value.span
        var cursor = OctetCursor(span)
        return try CharacteristicDeclaration(span, &cursor)
    }
    let long = "e444ec7f8c98a1ad7d4fb50b01009258"
    for (value, uuid) in [("12 0300 002a", BluetoothUUID(0x2A00)), ("12 0300" + long, ATTRequestTests.uuid)] {
        let octets = octets(value)
        let declaration = try read(octets)
        #expect(declaration.properties == [.read, .notify] && declaration.uuid == uuid)
        #expect(declaration.value == AttributeHandle(rawValue: 3))
        var written: [UInt8] = []
        declaration.append(to: &written)
        #expect(written == octets)
        for count in 0..<octets.count where count != 5 {
            #expect(throws: OctetError.self) { try read(Array(octets.prefix(count))) }
        }
        #expect(throws: OctetError.self) { try read(octets + [0]) }
    }
}
