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

    @Test("nothing has the checksum 0")
    func nothing() {
        #expect(FrameCRC(of: [UInt8]().span).value == 0)
        #expect(FrameCRC(of: ([0] as [UInt8]).span).value != 0)
    }
}
