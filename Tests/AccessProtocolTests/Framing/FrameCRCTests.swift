// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Testing

@Suite("Frame checksum (access protocol, 4)")
struct FrameCRCTests {
    private let digits = Array("123456789".utf8)

    @Test("the published check values, from both start values")
    func checkValues() {
        #expect(FrameCRC(of: digits.span).value == 0xB58D)
        var fromZero = FrameCRC(initialValue: 0)
        fromZero.update(digits.span)
        #expect(fromZero.value == 0xADFF)
    }

    @Test("the same over any split of the octets")
    func splits() {
        for cut in 0...digits.count {
            var crc = FrameCRC()
            crc.update(digits.span.extracting(0..<cut))
            crc.update(digits.span.extracting(cut..<digits.count))
            #expect(crc.value == 0xB58D, "cut at \(cut)")
        }
    }

    @Test("every octet, as the description has it: by nibbles, the low one first")
    func nibbles() {
        let polynomial: UInt16 = 0x1021
        func nibble(_ crc: UInt16, _ value: UInt8) -> UInt16 {
            var crc = crc ^ UInt16(value) << 12
            for _ in 0..<4 { crc = crc & 0x8000 == 0 ? crc << 1 : crc << 1 ^ polynomial }
            return crc
        }
        for start in [0xFFFF, 0, 0x8000, 0x1D0F] as [UInt16] {
            for octet in UInt8.min...UInt8.max {
                var crc = FrameCRC(initialValue: start)
                crc.update([octet].span)
                #expect(crc.value == nibble(nibble(start, octet & 0xF), octet >> 4), "\(octet)")
            }
        }
    }

    @Test("nothing has the checksum 0")
    func nothing() {
        #expect(FrameCRC(of: [UInt8]().span).value == 0)
        #expect(FrameCRC(of: ([0] as [UInt8]).span).value != 0)
    }
}
