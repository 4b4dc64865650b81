// SPDX-License-Identifier: Apache-2.0

import Octets

/// A value that is a sequence of fields in a message.
protocol OSDPFields {
    init(_ cursor: inout OctetCursor, _ octets: Span<UInt8>) throws(OSDPFieldFault)
    /// The octets of the fields.
    var encoded: [UInt8] { get }
}

extension FixedWidthInteger {
    /// The octets of the number, least significant first.
    var encoded: [UInt8] { (0..<Self.bitWidth / 8).map { UInt8(truncatingIfNeeded: self >> (8 * $0)) } }
}

/// An error in the encoding of fields.
enum OSDPFieldFault: Error {
    case size
    case value
}

extension OctetCursor {
    mutating func field8(_ octets: Span<UInt8>) throws(OSDPFieldFault) -> UInt8 {
        do { return try u8(octets) } catch { throw .size }
    }

    mutating func field16(_ octets: Span<UInt8>) throws(OSDPFieldFault) -> UInt16 {
        do { return try u16(octets) } catch { throw .size }
    }

    mutating func field32(_ octets: Span<UInt8>) throws(OSDPFieldFault) -> UInt32 {
        do { return try u32(octets) } catch { throw .size }
    }

    mutating func fieldArray(_ count: Int, _ octets: Span<UInt8>) throws(OSDPFieldFault) -> [UInt8] {
        do {
            let range = try consume(count, of: octets)
            return octets.extracting(range).withUnsafeBufferPointer { Array($0) }
        } catch { throw .size }
    }

    mutating func fieldRest(_ octets: Span<UInt8>) -> [UInt8] {
        octets.extracting(rest()).withUnsafeBufferPointer { Array($0) }
    }

    mutating func fieldEnum<Value: RawRepresentable<UInt8>>(_ octets: Span<UInt8>) throws(OSDPFieldFault) -> Value {
        guard let value = Value(rawValue: try field8(octets)) else { throw .value }
        return value
    }
}
