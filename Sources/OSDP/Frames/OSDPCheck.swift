// SPDX-License-Identifier: Apache-2.0

/// The end of a frame, which detects faults of the line (OSDP 2.2, 5.9).
public enum OSDPCheck: Equatable, Sendable {
    /// One octet.
    case checksum
    /// Two octets, the low one first.
    case crc

    /// The number of octets.
    public var count: Int { self == .crc ? 2 : 1 }

    /// The octets that follow `octets`.
    public func octets(after octets: some Sequence<UInt8>) -> [UInt8] {
        switch self {
        case .checksum: return [OSDPCheck.checksum(octets)]
        case .crc:
            let value = OSDPCheck.crc(octets)
            return [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
        }
    }

    /// The two's complement of the sum.
    static func checksum(_ octets: some Sequence<UInt8>) -> UInt8 {
        0 &- octets.reduce(0, &+)
    }

    /// CRC-16 with the polynomial 0x1021, initially 0x1D0F, most significant bit first.
    static func crc(_ octets: some Sequence<UInt8>) -> UInt16 {
        octets.reduce(0x1D0F) { crc, octet in
            crc << 8 ^ table[Int(UInt8(truncatingIfNeeded: crc >> 8) ^ octet)]
        }
    }

    private static let table: [UInt16] = (0..<256).map { index in
        (0..<8).reduce(UInt16(index) << 8) { value, _ in
            value & 0x8000 == 0 ? value << 1 : value << 1 ^ 0x1021
        }
    }
}
