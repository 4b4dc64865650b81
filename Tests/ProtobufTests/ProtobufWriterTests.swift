// SPDX-License-Identifier: Apache-2.0

import Protobuf
import Testing

@Suite("Writing the wire format")
struct ProtobufWriterTests {
    private func written(_ body: (inout ProtobufWriter) -> Void) -> [UInt8] {
        var octets: [UInt8] = []
        ProtobufWriter.append(to: &octets, body)
        #expect(ProtobufWriter.count(body) == octets.count)
        return octets
    }

    @Test("Numbers in as few octets as they need")
    func numbers() {
        #expect(written { $0.put(0 as UInt32, field: 1) } == [0x08, 0x00])
        #expect(written { $0.put(127 as UInt32, field: 1) } == [0x08, 0x7F])
        #expect(written { $0.put(128 as UInt32, field: 15) } == [0x78, 0x80, 0x01])
        #expect(written { $0.put(UInt32.max, field: 16) } == [0x80, 0x01, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F])
        #expect(written { $0.put(UInt64.max, field: 1) } == [0x08] + [UInt8](repeating: 0xFF, count: 9) + [0x01])
        #expect(
            written { $0.put(-12 as Int32, field: 4) }
                == [0x20, 0xF4, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01])
        #expect(written { $0.put(Int32.max, field: 4) } == [0x20, 0xFF, 0xFF, 0xFF, 0xFF, 0x07])
        #expect(written { $0.put(true, field: 2) } == [0x10, 0x01])
        #expect(written { $0.put(false, field: 2) } == [0x10, 0x00])
        #expect(
            written { $0.put(1 as UInt32, field: ProtobufTag.maxField) } == [0xF8, 0xFF, 0xFF, 0xFF, 0x0F, 0x01])
    }

    @Test("Octets after their length, also none and many")
    func octets() throws {
        let bounded = try BoundedBytes<4>([7, 8])
        let none = BoundedBytes<4>()
        let fixed = FixedBytes<3>([1, 2, 3])
        #expect(written { $0.put(bounded, field: 1) } == [0x0A, 0x02, 7, 8])
        #expect(written { $0.put(none, field: 1) } == [0x0A, 0x00])
        #expect(written { $0.put(fixed, field: 1) } == [0x0A, 0x03, 1, 2, 3])
        let many = [UInt8](repeating: 9, count: 300)
        #expect(written { $0.put(many.span, field: 1) } == [0x0A, 0xAC, 0x02] + many)
    }

    @Test("Appending keeps what is there, and the memory too where it was reserved")
    func appending() {
        var octets: [UInt8] = [0xEE]
        octets.reserveCapacity(64)
        let before = octets.withUnsafeBufferPointer(\.baseAddress)
        ProtobufWriter.append(to: &octets) { $0.put(300 as UInt32, field: 1) }
        #expect(octets == [0xEE, 0x08, 0xAC, 0x02])
        #expect(octets.withUnsafeBufferPointer(\.baseAddress) == before)
    }
}
