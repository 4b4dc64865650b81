// SPDX-License-Identifier: Apache-2.0

/// An IPv4 or an IPv6 address.
public struct HostAddress: Hashable, Sendable {
    /// The octets in network order: 4 or 16.
    public let octets: [UInt8]

    /// The address with these octets; nil unless there are 4 or 16.
    public init?(_ octets: [UInt8]) {
        guard octets.count == 4 || octets.count == 16 else { return nil }
        self.octets = octets
    }

    /// An IPv4 address.
    public init(_ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8) { octets = [a, b, c, d] }

    /// True for an IPv6 address.
    public var isIPv6: Bool { octets.count == 16 }

    /// True if the first `prefix` bits equal the first bits of `other`, an address of the same family.
    func shares(_ prefix: Int, with other: HostAddress) -> Bool {
        guard octets.count == other.octets.count else { return false }
        for (index, pair) in zip(octets, other.octets).enumerated() {
            let bits = min(max(prefix - index * 8, 0), 8)
            guard (pair.0 ^ pair.1) >> UInt8(8 - bits) == 0 else { return false }
        }
        return true
    }
}

extension HostAddress: CustomStringConvertible {
    /// The address in the usual notation (RFC 5952).
    public var description: String {
        guard isIPv6 else { return octets.map { "\($0)" }.joined(separator: ".") }
        let groups = stride(from: 0, to: 16, by: 2).map { UInt16(octets[$0]) << 8 | UInt16(octets[$0 + 1]) }
        func text(_ range: Range<Int>) -> String {
            groups[range].map { String($0, radix: 16) }.joined(separator: ":")
        }
        // The first of the longest runs of two or more zeros is omitted.
        var longest = 0..<0
        for start in groups.indices {
            let end = groups[start...].firstIndex { $0 != 0 } ?? groups.count
            if end - start > max(longest.count, 1) { longest = start..<end }
        }
        guard !longest.isEmpty else { return text(0..<8) }
        return text(0..<longest.lowerBound) + "::" + text(longest.upperBound..<8)
    }
}

/// The address of a host in a network, with the length of the network's prefix.
public struct HostNetwork: Hashable, Sendable {
    /// The address.
    public var address: HostAddress
    /// The number of bits that the network's addresses share.
    public var prefix: Int

    /// An address in a network.
    public init(_ address: HostAddress, prefix: Int) {
        self.address = address
        self.prefix = prefix
    }
}
