// SPDX-License-Identifier: Apache-2.0

import Protobuf
import Testing

@Suite("Octets held in place")
struct BoundedBytesTests {
    @Test("Up to the capacity, and not one more")
    func capacity() throws {
        for count in 0...8 {
            let octets = [UInt8](0..<UInt8(count))
            let value = try BoundedBytes<8>(octets)
            #expect(value.count == count)
            #expect(value.isEmpty == (count == 0))
            var copy: [UInt8] = [0xEE]
            value.append(to: &copy)
            #expect(copy == [0xEE] + octets)
            #expect(value.withSpan { $0.count } == count)
        }
        let nine = [UInt8](0..<9)
        #expect(BoundedBytes<8>(copying: nine.span) == nil)
        #expect(throws: ProtobufError.tooLong(field: 0)) { try BoundedBytes<8>(nine) }
    }

    @Test("Equal if the octets are, whatever the capacity holds behind them")
    func equality() throws {
        let value = try BoundedBytes<4>([1, 2, 3])
        #expect(value == (try BoundedBytes([1, 2, 3])))
        for other in [[1, 2], [1, 2, 3, 0], [1, 2, 4], [0, 2, 3], []] as [[UInt8]] {
            #expect(try BoundedBytes<4>(other) != value)
        }
        let known: Set = [value, try BoundedBytes<4>([1, 2, 3]), BoundedBytes<4>()]
        #expect(known.count == 2)
        let fixed = FixedBytes<3>([1, 2, 3])
        #expect(fixed == FixedBytes<3>([1, 2, 3]))
        for index in 0..<3 {
            var other = fixed
            other.octets[index] ^= 0x10
            #expect(other != fixed)
            #expect(Set([other, fixed, fixed]).count == 2)
        }
    }

    @Test("Text: ASCII in and out, and nothing else")
    func text() throws {
        let ping = try BoundedBytes<8>(ascii: "PING")
        #expect(ping == (try BoundedBytes(Array("PING".utf8))))
        #expect(ping.ascii == "PING")
        #expect(BoundedBytes<8>().ascii == "")
        #expect(try BoundedBytes<8>([0x41, 0x80]).ascii == nil)
        #expect(throws: ProtobufError.outOfRange(field: 0)) { try BoundedBytes<8>(ascii: "Tür") }
        #expect(throws: ProtobufError.tooLong(field: 0)) { try BoundedBytes<8>(ascii: "123456789") }
        #expect(try BoundedBytes<8>(ascii: "12345678").count == 8)
    }

    @Test("A description tells the length and not the octets")
    func description() throws {
        let secret = try BoundedBytes<16>(ascii: "hunter2")
        #expect("\(secret)" == "7 octets")
        #expect(String(reflecting: secret) == "7 octets")
        #expect("\(FixedBytes<2>([1, 2]))" == "2 octets")
        #expect("\([secret])" == "[7 octets]")
    }

    @Test("Fixed octets are exactly as many")
    func fixed() {
        for count in 0...5 {
            let octets = [UInt8](repeating: 1, count: count)
            #expect((FixedBytes<4>(copying: octets.span) != nil) == (count == 4))
        }
    }
}
