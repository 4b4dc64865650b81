// SPDX-License-Identifier: Apache-2.0

import Crypto
import Phone
import TestSupport
import Testing

/// Signatures of the lab's keys: RFC 6979, A.2.5 (P-256, SHA-256).
@Suite struct RepeatableKeyTests {
    private static let scalar: [UInt8] = [
        0xC9, 0xAF, 0xA9, 0xD8, 0x45, 0xBA, 0x75, 0x16, 0x6B, 0x5C, 0x21, 0x57, 0x67, 0xB1, 0xD6, 0x93,
        0x4E, 0x50, 0xC3, 0xDB, 0x36, 0xE8, 0x9B, 0x12, 0x7B, 0x8A, 0x62, 0x2B, 0x12, 0x0F, 0x67, 0x21,
    ]

    @Test func vectors() throws {
        let key = try RepeatableKey(scalar: RepeatableKeyTests.scalar.span)
        var signature: [UInt8] = []
        try key.sign(Array("sample".utf8).span, into: &signature)
        #expect(
            signature == [
                0x30, 0x46, 0x02, 0x21, 0x00,
                0xEF, 0xD4, 0x8B, 0x2A, 0xAC, 0xB6, 0xA8, 0xFD, 0x11, 0x40, 0xDD, 0x9C, 0xD4, 0x5E, 0x81, 0xD6,
                0x9D, 0x2C, 0x87, 0x7B, 0x56, 0xAA, 0xF9, 0x91, 0xC3, 0x4D, 0x0E, 0xA8, 0x4E, 0xAF, 0x37, 0x16,
                0x02, 0x21, 0x00,
                0xF7, 0xCB, 0x1C, 0x94, 0x2D, 0x65, 0x7C, 0x41, 0xD4, 0x36, 0xC7, 0xA1, 0xB6, 0xE2, 0x9F, 0x65,
                0xF3, 0xE9, 0x00, 0xDB, 0xB9, 0xAF, 0xF4, 0x06, 0x4D, 0xC4, 0xAB, 0x2F, 0x84, 0x3A, 0xCD, 0xA8,
            ])
        signature = []
        try key.sign(Array("test".utf8).span, into: &signature)
        #expect(
            signature == [
                0x30, 0x45, 0x02, 0x21, 0x00,
                0xF1, 0xAB, 0xB0, 0x23, 0x51, 0x83, 0x51, 0xCD, 0x71, 0xD8, 0x81, 0x56, 0x7B, 0x1E, 0xA6, 0x63,
                0xED, 0x3E, 0xFC, 0xF6, 0xC5, 0x13, 0x2B, 0x35, 0x4F, 0x28, 0xD3, 0xB0, 0xB7, 0xD3, 0x83, 0x67,
                0x02, 0x20,
                0x01, 0x9F, 0x41, 0x13, 0x74, 0x2A, 0x2B, 0x14, 0xBD, 0x25, 0x92, 0x6B, 0x49, 0xC6, 0x49, 0x15,
                0x5F, 0x26, 0x7E, 0x60, 0xD3, 0x81, 0x4B, 0x4C, 0x0C, 0xC8, 0x42, 0x50, 0xE4, 0x6F, 0x00, 0x83,
            ])
    }

    /// libcrypto accepts the signatures, with short and long numbers in them.
    @Test func validForLibcrypto() throws {
        let key = try RepeatableKey(scalar: RepeatableKeyTests.scalar.span)
        for number in UInt8(0)..<100 {
            var signature: [UInt8] = []
            try key.sign([number].span, into: &signature)
            let isValid = key.publicKey.isValid(signature: signature.span, for: [number].span)
            let isValidForAnother = key.publicKey.isValid(signature: signature.span, for: [number &+ 1].span)
            #expect(isValid && !isValidForAnother)
        }
    }

    /// A run of a swarm signs several times: a signature costs as much as a few verifications, not a hundred.
    @Test func costOfASignature() throws {
        let key = try RepeatableKey(scalar: RepeatableKeyTests.scalar.span)
        var signature: [UInt8] = []
        try key.sign([0].span, into: &signature)
        let isValid = key.publicKey.isValid(signature: signature.span, for: [0].span)
        try #require(isValid)
        let verifying = processorTime {
            for _ in 0..<100 { _ = key.publicKey.isValid(signature: signature.span, for: [0].span) }
        }
        let signing = try processorTime {
            for number in UInt8(0)..<10 {
                var signature: [UInt8] = []
                try key.sign([number].span, into: &signature)
            }
        }
        #expect(signing < verifying)
    }

    @Test func invalidScalars() {
        #expect(throws: CryptoError.invalidKey) {
            try RepeatableKey(scalar: [UInt8](repeating: 0, count: 32).span)
        }
        #expect(throws: CryptoError.invalidKey) {
            try RepeatableKey(scalar: [UInt8](repeating: 0xFF, count: 32).span)
        }
    }
}
