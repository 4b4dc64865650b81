// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Crypto
import Testing

@Suite("The AES-128 block cipher by itself")
struct AES128BlockTests {
    @Test("FIPS 197, C.1")
    func vector() throws {
        let block = octets("00112233445566778899aabbccddeeff")
        let key = octets("000102030405060708090a0b0c0d0e0f")
        #expect(
            [UInt8](try AES128Block.encrypt(block.span, key: key.span)) == octets("69c4e0d86a7b0430d8cdb78070b4c55a"))
    }

    @Test("Only one block, and only a key of 16 octets")
    func lengths() {
        for count in [0, 1, 15, 17, 32] {
            let other = [UInt8](repeating: 0, count: count)
            let good = [UInt8](repeating: 0, count: 16)
            #expect(throws: CryptoError.invalidLength) { try AES128Block.encrypt(other.span, key: good.span) }
            #expect(throws: CryptoError.invalidLength) { try AES128Block.encrypt(good.span, key: other.span) }
        }
    }
}
