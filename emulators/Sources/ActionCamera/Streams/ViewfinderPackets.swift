// SPDX-License-Identifier: Apache-2.0

/// Cuts pictures into the datagrams of the viewfinder (Bandit §4.1). It writes into buffers of the caller's, and
/// allocates nothing.
public struct ViewfinderPackets: Equatable, Sendable {
    /// The octets of a whole datagram (§4.1.6).
    public static let datagram = 1024
    /// The octets of a header.
    public static let header = 7
    /// The octets of the first datagram.
    public static let start = 15
    static let payload = datagram - header

    /// The number of the next datagram.
    public private(set) var next: UInt16
    /// True if numbers wrap as they come; else a frame that would not fit below 65535 starts at 0 (§4.1.3).
    public var wraps: Bool

    /// Packets from a number on.
    public init(from next: UInt16 = 0, wraps: Bool = false) {
        self.next = next
        self.wraps = wraps
    }

    /// The datagrams of a picture of this many octets.
    public static func count(_ octets: Int) -> Int { 1 + (octets + payload - 1) / payload }

    /// Prepares for a picture: its START may have to begin at 0.
    public mutating func begin(_ octets: Int) {
        // No number of the frame may be 65535.
        if !wraps, Int(next) + ViewfinderPackets.count(octets) > 65_535 { next = 0 }
    }

    /// Leaves out numbers, as if datagrams had been lost.
    public mutating func skip(_ count: UInt16) { next &+= count }

    /// Writes the START of a picture: its octets, and the presentation time in seconds as a 32-bit float.
    public mutating func writeStart(_ octets: Int, time: Float, into buffer: UnsafeMutableRawBufferPointer) {
        writeHeader(0, 8, into: buffer)
        ViewfinderPackets.put(UInt32(truncatingIfNeeded: octets), at: 7, buffer)
        ViewfinderPackets.put(time.bitPattern, at: 11, buffer)
    }

    /// Writes the header of DATA with this many octets.
    public mutating func writeData(_ count: Int, into buffer: UnsafeMutableRawBufferPointer) {
        writeHeader(1, UInt16(truncatingIfNeeded: count), into: buffer)
    }

    /// The part of a picture in its DATA with this index, from 0.
    public static func slice(_ index: Int, of octets: Int) -> Range<Int> {
        let first = index * payload
        return first..<min(octets, first + payload)
    }

    private mutating func writeHeader(_ type: UInt8, _ count: UInt16, into buffer: UnsafeMutableRawBufferPointer) {
        buffer[0] = 0x55
        buffer[1] = 0xAA
        buffer[2] = type
        buffer[3] = UInt8(next >> 8)
        buffer[4] = UInt8(next & 0xFF)
        buffer[5] = UInt8(count >> 8)
        buffer[6] = UInt8(count & 0xFF)
        next &+= 1
    }

    private static func put(_ word: UInt32, at index: Int, _ buffer: UnsafeMutableRawBufferPointer) {
        for octet in 0..<4 { buffer[index + octet] = UInt8(truncatingIfNeeded: word >> UInt32(24 - 8 * octet)) }
    }

    /// The pictures of a steady clock: the time of each is computed from the first, so that errors do not add up.
    public static func time(ofFrame number: Int) -> Int64 { Int64(number) * 1_000_000_000 / 30 }
}
