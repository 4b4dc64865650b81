// SPDX-License-Identifier: Apache-2.0

import Crypto
import TestSupport
import Testing

@Suite("AES-256-CCM with nonces of 12 octets")
struct AES256CCMTests {
    private static let key = octets("48e8c6f209e1d6dd0dcde7b8e168d149cba4bee8f24bb6f7b644d06559f539be")
    private static let nonce = octets("000000000000000100000001")

    private static func sealed(_ text: [UInt8], header: [UInt8] = []) throws -> [UInt8] {
        var sealed: [UInt8] = []
        try AES256CCM.seal(
            text.span, key: key.span, nonce: nonce.span, authenticating: header.span, into: &sealed)
        return sealed
    }

    private static func opened(_ sealed: [UInt8], header: [UInt8] = []) throws -> [UInt8] {
        var text: [UInt8] = []
        try AES256CCM.open(
            sealed.span, key: key.span, nonce: nonce.span, authenticating: header.span, into: &text)
        return text
    }

    @Test("What is sealed opens, and only with its header")
    func opens() throws {
        let text = octets("00010203040506070809")
        let sealed = try Self.sealed(text, header: [1, 2])
        #expect(sealed.count == text.count + AES256CCM.tagCount)
        #expect(try Self.opened(sealed, header: [1, 2]) == text)
        #expect(throws: CryptoError.notAuthentic) { try Self.opened(sealed, header: [1, 3]) }
        #expect(throws: CryptoError.notAuthentic) { try Self.opened(sealed) }
    }

    @Test("Each changed octet is noticed")
    func changes() throws {
        let sealed = try Self.sealed([1, 2, 3])
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 0x80
            #expect(throws: CryptoError.notAuthentic) { try Self.opened(changed) }
        }
    }

    @Test("Other lengths of key, nonce and tag are refused")
    func lengths() throws {
        var text: [UInt8] = []
        let (empty, sealed) = ([UInt8](), try Self.sealed([1]))
        for count in [0, 16, 31, 33] {
            let key = [UInt8](repeating: 0, count: count)
            #expect(throws: CryptoError.invalidLength) {
                try AES256CCM.open(
                    sealed.span, key: key.span, nonce: Self.nonce.span, authenticating: empty.span, into: &text)
            }
        }
        for count in [0, 11, 13] {
            let nonce = [UInt8](repeating: 0, count: count)
            #expect(throws: CryptoError.invalidLength) {
                try AES256CCM.open(
                    sealed.span, key: Self.key.span, nonce: nonce.span, authenticating: empty.span, into: &text)
            }
        }
        #expect(throws: CryptoError.invalidLength) { try Self.opened(Array(sealed.prefix(15))) }
        #expect(text.isEmpty)
    }
}
