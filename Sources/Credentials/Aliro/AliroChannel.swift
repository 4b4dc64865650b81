// SPDX-License-Identifier: Apache-2.0

internal import Crypto

/// One direction pair of sealed messages: AES-256-GCM, whose nonce is the direction (8 octets) and a counter (4).
struct AliroChannel {
    /// The counters end here: the transaction is over long before.
    static let counterLimit: UInt32 = 0xFFFF

    private var readerKey: [UInt8]
    private var deviceKey: [UInt8]
    private var sent: UInt32 = 1
    private var received: UInt32 = 1

    init(readerKey: [UInt8], deviceKey: [UInt8]) {
        self.readerKey = readerKey
        self.deviceKey = deviceKey
    }

    /// The step-up channel. `key` is wiped.
    init(stepUp key: inout [UInt8]) throws(CryptoError) {
        defer { wipeSecret(&key) }
        let salt = [UInt8](repeating: 0, count: 32)
        readerKey = try AliroKeys.derive(AliroKeys.keyCount, key, salt: salt, info: Array("SKReader".utf8))
        deviceKey = try AliroKeys.derive(AliroKeys.keyCount, key, salt: salt, info: Array("SKDevice".utf8))
    }

    /// The channel of notifications over Bluetooth LE. `key` is wiped.
    ///
    /// - Parameter versions: the reader's list of versions, as published.
    init(bluetooth key: inout [UInt8], versions: [UInt8], selected: [UInt8]) throws(CryptoError) {
        defer { wipeSecret(&key) }
        let salt = versions + selected
        readerKey = try AliroKeys.derive(AliroKeys.keyCount, key, salt: salt, info: Array("BleSKReader".utf8))
        deviceKey = try AliroKeys.derive(AliroKeys.keyCount, key, salt: salt, info: Array("BleSKDevice".utf8))
    }

    /// Seals the reader's next message. `header` is authenticated with it.
    mutating func seal(_ plaintext: [UInt8], header: [UInt8] = []) throws(CryptoError) -> [UInt8] {
        let nonce = try Self.nonce(0, &sent)
        var sealed: [UInt8] = []
        try AES256GCM.seal(
            plaintext.span, key: readerKey.span, nonce: nonce.span, authenticating: header.span, into: &sealed)
        return sealed
    }

    /// Opens the phone's next message. The counter advances even if the message is not authentic.
    mutating func open(_ sealed: Span<UInt8>, header: [UInt8] = []) throws(CryptoError) -> [UInt8] {
        let nonce = try Self.nonce(1, &received)
        var plaintext: [UInt8] = []
        try AES256GCM.open(
            sealed, key: deviceKey.span, nonce: nonce.span, authenticating: header.span, into: &plaintext)
        return plaintext
    }

    mutating func wipe() {
        wipeSecret(&readerKey)
        wipeSecret(&deviceKey)
    }

    private static func nonce(_ direction: UInt8, _ counter: inout UInt32) throws(CryptoError) -> [UInt8] {
        guard counter < counterLimit else { throw .invalidLength }
        defer { counter += 1 }
        return [
            0, 0, 0, 0, 0, 0, 0, direction, 0, 0, UInt8(truncatingIfNeeded: counter >> 8),
            UInt8(truncatingIfNeeded: counter),
        ]
    }
}
