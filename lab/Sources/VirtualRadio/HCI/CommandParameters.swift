// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral

/// Reads a command's parameters in order. Missing octets give Invalid HCI Command Parameters.
struct CommandParameters {
    private let octets: [UInt8]
    private var cursor: OctetCursor

    init(_ octets: [UInt8]) {
        self.octets = octets
        cursor = OctetCursor(octets.span)
    }

    private static let short = CommandRefusal.violation(.invalidParameters, "parameters end early")

    var remaining: Int { cursor.remaining }

    mutating func u8() throws(CommandRefusal) -> UInt8 {
        let octets = octets
        do { return try cursor.u8(octets.span) } catch { throw CommandParameters.short }
    }

    mutating func u16() throws(CommandRefusal) -> UInt16 {
        let octets = octets
        do { return try cursor.u16(octets.span) } catch { throw CommandParameters.short }
    }

    mutating func u24() throws(CommandRefusal) -> UInt32 {
        let octets = octets
        do { return try cursor.u24(octets.span) } catch { throw CommandParameters.short }
    }

    mutating func u64() throws(CommandRefusal) -> UInt64 {
        let octets = octets
        do { return try cursor.u64(octets.span) } catch { throw CommandParameters.short }
    }

    /// Reads the six octets of a device address, least significant first.
    mutating func u48() throws(CommandRefusal) -> UInt64 {
        let low = UInt64(try u24())
        return low | UInt64(try u24()) << 24
    }

    /// Reads an address type and an address. Identity address types are mapped to their base types: nothing is
    /// resolved here.
    mutating func address() throws(CommandRefusal) -> BluetoothAddress {
        let kind = try u8()
        guard kind <= 0x03 else { throw .violation(.invalidParameters, "address type \(kind)") }
        return BluetoothAddress(kind: BluetoothAddress.Kind(rawValue: kind & 0x01), value: try u48())
    }

    mutating func consume(_ count: Int) throws(CommandRefusal) -> [UInt8] {
        let octets = octets
        do {
            let range = try cursor.consume(count, of: octets.span)
            return Array(octets[range])
        } catch { throw CommandParameters.short }
    }

    /// Reads a number that must lie in `range`; `name` is for the violation.
    mutating func u16(in range: ClosedRange<UInt16>, _ name: String) throws(CommandRefusal) -> UInt16 {
        let value = try u16()
        guard range.contains(value) else { throw .violation(.invalidParameters, "\(name) \(value) is out of range") }
        return value
    }

    /// Reads a number that must lie in `range`; `name` is for the violation.
    mutating func u8(in range: ClosedRange<UInt8>, _ name: String) throws(CommandRefusal) -> UInt8 {
        let value = try u8()
        guard range.contains(value) else { throw .violation(.invalidParameters, "\(name) \(value) is out of range") }
        return value
    }

    /// Requires that nothing remains.
    func finish() throws(CommandRefusal) {
        guard remaining == 0 else { throw .violation(.invalidParameters, "\(remaining) octets too many") }
    }
}
