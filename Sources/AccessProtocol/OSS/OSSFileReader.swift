// SPDX-License-Identifier: Apache-2.0

internal import Octets

/// Reads the octets of one OSS file in order, and throws the status codes of its faults.
///
/// A truncated file is −6. Cards round the size of their files up with zeros, so zeros may follow the contents;
/// anything else there is −32. Only the concatenation of the files is signed, without their lengths: if other octets
/// were accepted, a phone could move them from one file to the next undetected.
struct OSSFileReader {
    private var cursor: OctetCursor

    init(_ bytes: Span<UInt8>, at offset: Int = 0) {
        cursor = OctetCursor(bytes, in: offset..<max(offset, bytes.count))
    }

    mutating func u8(_ bytes: Span<UInt8>) throws(StatusCode) -> UInt8 {
        do throws(OctetError) { return try cursor.u8(bytes) } catch { throw .endOfFile }
    }

    mutating func u16(_ bytes: Span<UInt8>) throws(StatusCode) -> UInt16 {
        do throws(OctetError) { return try cursor.u16BigEndian(bytes) } catch { throw .endOfFile }
    }

    mutating func u32(_ bytes: Span<UInt8>) throws(StatusCode) -> UInt32 {
        do throws(OctetError) { return try cursor.u32(bytes).byteSwapped } catch { throw .endOfFile }
    }

    mutating func consume(_ count: Int, _ bytes: Span<UInt8>) throws(StatusCode) -> Range<Int> {
        do throws(OctetError) { return try cursor.consume(count, of: bytes) } catch { throw .endOfFile }
    }

    /// Requires that only zeros remain.
    func finish(_ bytes: Span<UInt8>) throws(StatusCode) {
        var rest = cursor
        for index in rest.rest() where bytes[index] != 0 { throw .decode }
    }
}

/// Two decimal digits in an octet, the tens in the high nibble.
enum BinaryCodedDecimal {
    /// 0 to 99; nil if a nibble is not a decimal digit.
    static func decode(_ octet: UInt8) -> UInt8? {
        let (tens, ones) = (octet >> 4, octet & 0x0F)
        guard tens <= 9, ones <= 9 else { return nil }
        return tens &* 10 &+ ones
    }

    /// The octet of the last two digits of `number`.
    static func encode(_ number: UInt16) -> UInt8 {
        let digits = UInt8(number % 100)
        return (digits / 10) << 4 | digits % 10
    }
}
