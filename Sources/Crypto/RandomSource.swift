// SPDX-License-Identifier: Apache-2.0

/// A source of random octets: the system's, or a test's.
public protocol RandomSource {
    /// Fills all of `octets`.
    mutating func fill(_ octets: inout MutableSpan<UInt8>)
}

extension RandomSource {
    /// Random octets in a new array.
    public mutating func octets(_ count: Int) -> [UInt8] {
        var octets = [UInt8](repeating: 0, count: count)
        var span = octets.mutableSpan
        fill(&span)
        return octets
    }
}
