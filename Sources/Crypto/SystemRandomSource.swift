// SPDX-License-Identifier: Apache-2.0

import CCrypto

/// The kernel's random number generator, getrandom(2). Early after boot, the first call blocks until it is seeded.
public struct SystemRandomSource: RandomSource, Sendable {
    /// The kernel's generator, without state here.
    public init() {}

    /// Fills all of `octets`. Terminates the process if the system call is unavailable: without randomness every
    /// session and key could be forged.
    public mutating func fill(_ octets: inout MutableSpan<UInt8>) {
        let status = octets.withUnsafeMutableBufferPointer { readerd_crypto_random($0.baseAddress, $0.count) }
        guard Int(status) == READERD_CRYPTO_OK else {
            fatalError("getrandom(2) failed: this kernel gives no random octets; Linux 3.17 or newer is needed")
        }
    }
}
