// SPDX-License-Identifier: Apache-2.0

import MatterTLV
import Testing

@testable import DevicePrograms

@Suite struct MatterCodesTests {
    /// The codes of the CHIP project's examples, as found on the network.
    @Test func theCodesAreThoseOfTheProduct() throws {
        var product = MatterProduct()
        product.product = 0x8000
        let codes = try MatterCodes(product, hasBluetooth: false)
        #expect(codes.qr == "MT:Y.K90AFN00KA0648G00")
        #expect(codes.manual == "34970112332")
        #expect(codes.lines[1].hasPrefix("  manual code 3497-011-2332, long "))
        #expect(try MatterCodes(product, hasBluetooth: true).qr != codes.qr)
    }

    @Test func aGuessablePasscodeHasNoCodes() {
        var product = MatterProduct()
        product.passcode = 12_345_678
        #expect(throws: (any Error).self) { try MatterCodes(product, hasBluetooth: false) }
    }
}
