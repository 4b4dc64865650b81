// SPDX-License-Identifier: Apache-2.0

import TestSupport
import AccessProtocol
import Crypto
import Testing

@testable import ReaderTestSupport

@Suite("Salt rule (access protocol, 5)")
struct SessionSaltTests {
    @Test(
        "8 different values are enough, and 0xFF is none of them",
        arguments: [
            ("01020304050607080808080808080808", true),
            ("01020304050607070707070707070707", false),
            ("0102030405060708ffffffffffffffff", true),
            ("01020304050607ffffffffffffffffff", false),
            ("0001020304050607ff00010203040506", true),
            ("00000000000000000000000000000000", false),
            ("ffffffffffffffffffffffffffffffff", false),
            ("003f407f80bfc0fe003f407f80bfc0fe", true),
            ("0ffe0eb6ccfed9dd80aac04c1886aa62", true),
            ("5f748e29d1314bfa870a93bcee975919", true),
        ])
    func rule(salt: String, strong: Bool) throws {
        #expect(try SessionOctets.salt(octets(salt)).isStrong == strong)
    }

    @Test("only 16 octets are a salt", arguments: [0, 8, 15, 17, 18])
    func length(count: Int) {
        #expect(SessionSalt([UInt8](repeating: 0, count: count).span) == nil)
    }

    @Test("a drawn salt keeps the rule; a source that gives none is -153, not a loop")
    func drawn() throws {
        var random = SplitMix64(seed: 1)
        for _ in 0..<1000 {
            #expect(try SessionSalt(from: &random).isStrong)
        }
        var broken = ConstantRandom(7)
        #expect(throws: StatusCode.ownSalt) { try SessionSalt(from: &broken) }
    }
}
