// SPDX-License-Identifier: Apache-2.0

public import Octets

/// A range of attribute handles in PDUs, both ends included.
public struct HandleRange: Equatable, Sendable {
    /// The first handle.
    public var first: UInt16
    /// The last handle.
    public var last: UInt16

    /// The range from `first` to `last`, by default to the highest handle.
    public init(first: UInt16, last: UInt16 = .max) {
        self.first = first
        self.last = last
    }

    /// Reads the two handles.
    public init(_ octets: Span<UInt8>, _ cursor: inout OctetCursor) throws(OctetError) {
        first = try cursor.u16(octets)
        last = try cursor.u16(octets)
    }

    /// Refuses handle 0 and a start after the end; the start is the handle in error (Core 5.4, Vol 3, Part F, 3.4.3.1).
    func check() throws(ATTFault) {
        guard first != 0, first <= last else { throw ATTFault(.invalidHandle, first) }
    }
}

extension AttributeHandle {
    /// Reads a handle.
    public init(_ octets: Span<UInt8>, _ cursor: inout OctetCursor) throws(OctetError) {
        self.init(rawValue: try cursor.u16(octets))
    }
}

extension BluetoothUUID {
    /// Reads a UUID at the end of the octets: 2 or 16, least significant first.
    public init(_ octets: Span<UInt8>, _ cursor: inout OctetCursor) throws(OctetError) {
        if cursor.remaining == 2 {
            self.init(try cursor.u16(octets))
        } else {
            let low = try cursor.u64(octets)
            self.init(high: try cursor.u64(octets), low: low)
        }
    }
}
