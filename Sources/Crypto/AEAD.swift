// SPDX-License-Identifier: Apache-2.0

import CCrypto

/// The call of a cipher that also authenticates, common to CCM and GCM.
enum AEAD {
    typealias Operation = (
        _ key: UnsafePointer<UInt8>?, Int, _ nonce: UnsafePointer<UInt8>?, Int, _ header: UnsafePointer<UInt8>?, Int,
        _ input: UnsafePointer<UInt8>?, Int, _ output: UnsafeMutablePointer<UInt8>?
    ) -> Int32

    /// Appends the `count` octets that `operation` writes; nothing if it fails.
    static func append(
        _ count: Int, to output: inout [UInt8], from input: Span<UInt8>, _ key: Span<UInt8>, _ nonce: Span<UInt8>,
        _ header: Span<UInt8>, _ operation: Operation
    ) throws(CryptoError) {
        let start = output.count
        output.append(contentsOf: repeatElement(0, count: count))
        let status = output.withUnsafeMutableBufferPointer { output in
            input.withUnsafeBufferPointer { input in
                key.withUnsafeBufferPointer { key in
                    nonce.withUnsafeBufferPointer { nonce in
                        header.withUnsafeBufferPointer { header in
                            operation(
                                key.baseAddress, key.count, nonce.baseAddress, nonce.count, header.baseAddress,
                                header.count, input.baseAddress, input.count, output.baseAddress.map { $0 + start })
                        }
                    }
                }
            }
        }
        if Int(status) != READERD_CRYPTO_OK { output.removeLast(count) }
        try CryptoError.check(status)
    }
}
