import Peripheral
import Testing

/// Core 5.4, Vol 3, Part A, 4, and Part H, 3.
@Suite struct L2CAPSignallingTests {
    private func answer(_ pdu: String) -> String {
        var response: [UInt8] = []
        L2CAPSignalling().receive(octets(pdu).span, response: &response)
        return hex(response)
    }

    @Test func unknownRequestsAreNotUnderstood() {
        // Echo, information and connection requests of BR/EDR; enhanced connection; a code of the future.
        for code in ["00", "02", "04", "08", "0a", "17", "19", "1b", "ff"] {
            #expect(answer(code + "21 0000") == packed("01 21 0200 0000"), "code \(code)")
        }
    }

    @Test func parameterUpdateFromACentralIsRejected() {
        #expect(answer("12 07 0800 0600 0c00 0000 c800") == packed("01 07 0200 0000"))
    }

    @Test func creditBasedConnectionIsRefused() {
        #expect(answer("14 09 0a00 8000 4000 1700 1700 0100") == packed("15 09 0a00 0000 0000 0000 0000 0200"))
        #expect(answer("14 09 0800 8000 4000 1700 1700") == packed("01 09 0200 0000"))
    }

    @Test func disconnectionOfAnUnknownChannelIsRejected() {
        #expect(answer("06 03 0400 4000 4100") == packed("01 03 0600 0200 4000 4100"))
        #expect(answer("06 03 0200 4000") == packed("01 03 0200 0000"))
    }

    @Test func moreThanTheMTUIsRejected() {
        #expect(answer("02 05 1300" + "00".times(19)) == packed("01 05 0200 0000"))
        #expect(answer("02 05 1400" + "00".times(20)) == packed("01 05 0400 0100 1700"))
    }

    @Test func lengthThatIsWrongIsNotUnderstood() {
        #expect(answer("12 07 0800 0600") == packed("01 07 0200 0000"))
        #expect(answer("12 07 0000 0600") == packed("01 07 0200 0000"))
    }

    @Test func responsesAndIndicationsAreNeverAnswered() {
        for code: UInt8 in [1, 3, 5, 7, 9, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x15, 0x16, 0x18, 0x1A] {
            #expect(answer(hex([code]) + "21 0000") == "", "code \(code)")
            #expect(answer(hex([code]) + "21 0000" + "00".times(40)) == "", "code \(code)")
        }
    }

    @Test func illegalIdentifierAndShortPDUsAreIgnored() {
        #expect(answer("12 00 0000") == "")
        #expect(answer("") == "")
        #expect(answer("12") == "")
        #expect(answer("12 07") == "")
        #expect(answer("12 07 00") == "")
    }

    @Test func anyOctetsGetAtMostOneShortAnswer() {
        var random = SplitMix(state: 0x5349_4700)
        for _ in 0..<20_000 {
            let pdu = (0..<Int(random.next() % 30)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            var response: [UInt8] = []
            L2CAPSignalling().receive(pdu.span, response: &response)
            if !response.isEmpty, response.count != 4 + Int(response[2]) || response[1] != pdu[1] {
                Issue.record("\(hex(pdu)) is answered with \(hex(response))")
            }
        }
    }

    @Test func pairingIsNotSupported() {
        func answer(_ pdu: String) -> String {
            var response: [UInt8] = []
            SecurityManagerRefusal.receive(octets(pdu).span, response: &response)
            return hex(response)
        }
        #expect(answer("01 03 00 01 10 07 07") == "0505")
        #expect(answer("01") == "0505")
        #expect(answer("") == "")
        for code: UInt8 in 0...255 where code != 1 { #expect(answer(hex([code]) + "00") == "") }
    }
}
