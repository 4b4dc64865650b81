// SPDX-License-Identifier: Apache-2.0

public import Crypto
public import SeededNumbers

/// Octets for keys and salts of repeatable runs, each from its own number. Never for a real reader.
extension SeededGenerator: RandomSource {
    /// Fills all of `octets`.
    public mutating func fill(_ octets: inout MutableSpan<UInt8>) {
        for index in octets.indices { octets[index] = UInt8(truncatingIfNeeded: next()) }
    }
}
