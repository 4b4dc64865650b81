// SPDX-License-Identifier: Apache-2.0

public import Octets

/// Connection parameters in the units of HCI: preferred by a peripheral (Core 5.4, Vol 3, Part C, 12.3), requested by
/// it (Vol 3, Part A, 4.20), or set by a central (Vol 4, Part E, 7.8.12).
public struct ConnectionParameters: Equatable, Sendable {
    /// Connection interval in 1.25 ms, 6 to 3200; 0xFFFF for no preference.
    public var minimumInterval: UInt16
    /// Connection interval in 1.25 ms, `minimumInterval` to 3200; 0xFFFF for no preference.
    public var maximumInterval: UInt16
    /// The peripheral latency: connection events that the peripheral may skip, 0 to 499.
    public var latency: UInt16
    /// Supervision time-out in 10 ms, 10 to 3200; 0xFFFF for no preference.
    public var supervisionTimeout: UInt16

    /// Parameters with these values.
    public init(minimumInterval: UInt16, maximumInterval: UInt16, latency: UInt16, supervisionTimeout: UInt16) {
        self.minimumInterval = minimumInterval
        self.maximumInterval = maximumInterval
        self.latency = latency
        self.supervisionTimeout = supervisionTimeout
    }

    /// Reads the four fields, whose order is the same in all PDUs.
    public init(_ octets: Span<UInt8>, _ cursor: inout OctetCursor) throws(OctetError) {
        minimumInterval = try cursor.u16(octets)
        maximumInterval = try cursor.u16(octets)
        latency = try cursor.u16(octets)
        supervisionTimeout = try cursor.u16(octets)
    }

    /// Appends the four fields, and 0 as minimum and maximum length of connection events: an HCI command's fields (Core
    /// 5.4, Vol 4, Part E, 7.8.18).
    public func append(toCommand packet: inout [UInt8]) {
        append(to: &packet)
        packet.append(littleEndian: UInt32(0))
    }

    /// Appends the four fields.
    public func append(to octets: inout [UInt8]) {
        octets.append(littleEndian: minimumInterval)
        octets.append(littleEndian: maximumInterval)
        octets.append(littleEndian: latency)
        octets.append(littleEndian: supervisionTimeout)
    }
}
