// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Reader
import Testing
import Timekeeping

/// NFC Forum NDEF 1.0, URI RTD 1.0, and Type 4 Tag (mapping version 2.0).
@Suite struct NDEFTests {
    @Test func uriAndPackage() {
        #expect(
            NDEFMessage.octets(uri: "https://door.example/a", package: "com.example.app")
                // MB, SR, well known; "U", 04 = https://
                == octets("91 01 0F 55 04") + Array("door.example/a".utf8)
                // ME, SR, external
                + octets("54 0F 0F") + Array("android.com:pkg".utf8) + Array("com.example.app".utf8))
    }

    @Test func oneRecordBeginsAndEnds() {
        #expect(
            NDEFMessage.octets(uri: "https://www.example.com", package: nil)
                == octets("D1 01 0C 55 02") + Array("example.com".utf8))
        #expect(
            NDEFMessage.octets(uri: nil, package: "a.b")
                == octets("D4 0F 03") + Array("android.com:pkga.b".utf8))
        #expect(NDEFMessage.octets(uri: nil, package: nil) == [])
    }

    @Test func prefixes() {
        #expect(NDEFMessage.octets(uri: "http://a", package: nil) == octets("D1 01 02 55 03 61"))
        #expect(NDEFMessage.octets(uri: "http://www.a", package: nil) == octets("D1 01 02 55 01 61"))
        #expect(NDEFMessage.octets(uri: "tel:1", package: nil) == octets("D1 01 06 55 00") + Array("tel:1".utf8))
    }

    @Test func textsThatAreTooLongAreLeftOut() {
        let long = String(repeating: "a", count: 201)
        #expect(NDEFMessage.octets(uri: long, package: nil) == [])
        #expect(NDEFMessage.octets(uri: String(long.dropLast()), package: nil).count == 5 + 200)
    }

    private func link() -> CardApplication {
        var configuration = ContactlessConfiguration()
        configuration.message = octets("D1 01 02 55 04 61")
        return CardApplication(configuration: configuration)
    }

    /// 5.4.1 to 5.4.6: the read of a type 4 tag, octet by octet.
    @Test func detectionAndRead() {
        var tag = link()
        #expect(tag.send("00A4040007D276000085010100") == octets("9000"))
        #expect(tag.send("00A4000C02E103") == octets("9000"))
        #expect(tag.send("00B000000F") == octets("000F 20 00F0 00F0 0406 E104 0008 00 FF 9000"))
        #expect(tag.send("00A4000C02E104") == octets("9000"))
        #expect(tag.send("00B0000002") == octets("0006 9000"))
        #expect(tag.send("00B0000206") == octets("D10102550461 9000"))
        #expect(tag.send("00B0000000") == octets("0006D10102550461 9000"))
        #expect(tag.send("00B0000701") == octets("61 9000"))
    }

    @Test func beyondTheFile() {
        var tag = link()
        _ = tag.send("00A4040007D276000085010100")
        // No file is selected yet.
        #expect(tag.send("00B0000002") == octets("6985"))
        _ = tag.send("00A4000C02E104")
        #expect(tag.send("00B0000609") == octets("0461 6282"))
        #expect(tag.send("00B0000801") == octets("6B00"))
        #expect(tag.send("00B07FFF01") == octets("6B00"))
        #expect(tag.send("00B0810001") == octets("6A86"))
        #expect(tag.send("00B00000") == octets("6700"))
        #expect(tag.send("00B0000001AA00") == octets("6700"))
    }

    @Test func otherFilesAndWrites() {
        var tag = link()
        _ = tag.send("00A4040007D276000085010100")
        #expect(tag.send("00A4000C02E105") == octets("6A82"))
        #expect(tag.send("00A4000C01E1") == octets("6700"))
        #expect(tag.send("00A4000C03E10300") == octets("6700"))
        #expect(tag.send("00A4020C02E103") == octets("6A86"))
        #expect(tag.send("00A4000402E103") == octets("6A86"))
        // UPDATE BINARY: the tag can only be read.
        #expect(tag.send("00D60000020000") == octets("6D00"))
        // Mapping version 1.0's name.
        #expect(tag.send("00A4040007D276000085010000") == octets("6A82"))
    }

    @Test func withoutAMessageThereIsNoTag() {
        var none = CardApplication(configuration: ContactlessConfiguration())
        #expect(none.send("00A4040007D276000085010100") == octets("6A82"))
        #expect(none.send("00A4000C02E103") == octets("6A82"))
        #expect(none.send("00B000000F") == octets("6985"))
    }
}

extension CardApplication {
    /// The response to one command, at the origin of time.
    mutating func send(_ text: String) -> [UInt8] {
        _ = receive(octets(text).span, at: .origin)
        return response
    }
}
