// SPDX-License-Identifier: Apache-2.0

import Octets

/// An event of a client for the device.
public enum GATTEvent: Equatable, Sendable {
    /// A complete write of a value that is not static, or reports writes; `value` is a range of the events' octets.
    case written(AttributeHandle, value: Range<Int>, withResponse: Bool)
    /// The client set the configuration of the characteristic with this value handle, even to the same value.
    case subscribed(AttributeHandle, ClientConfiguration)
    /// The client exchanged the ATT_MTU, with this result.
    case mtuExchanged(Int)
    /// The client reads a dynamic value from this offset; `respond` with the complete value, or `refuse`, must follow.
    case readRequested(AttributeRequest, AttributeHandle, offset: Int)
    /// The client writes a dynamic value; `accept` or `refuse` must follow. `value` is a range of the events' octets.
    case writeRequested(AttributeRequest, AttributeHandle, value: Range<Int>)
    /// The client has confirmed the indication of this value.
    case confirmed(AttributeHandle)
    /// The server has refused a request (`GATTServer.Configuration.reportsRefusals`).
    case refused(RefusedRequest)
    /// The state to be stored for a bonded client has changed, other than by `subscribed`.
    case clientStateChanged
}

/// A request that was answered with ATT_ERROR_RSP (Core 5.4, Vol 3, Part F, 3.4.1.1).
public struct RefusedRequest: Equatable, Sendable {
    /// The request.
    public var opcode: ATTOpcode
    /// The attribute in error; 0 for none.
    public var handle: AttributeHandle
    /// The error.
    public var error: ATTErrorCode

    /// A refused request.
    public init(opcode: ATTOpcode, handle: AttributeHandle, error: ATTErrorCode) {
        self.opcode = opcode
        self.handle = handle
        self.error = error
    }
}

/// Events in order, with their octets; memory is reused.
public struct GATTEvents: Sendable {
    /// The events since the last `removeAll`.
    public var events: [GATTEvent] = []
    /// The written values, one after the other.
    public var octets: [UInt8] = []

    /// No events.
    public init() {}

    /// Appends a value and returns its range.
    mutating func append(_ value: Span<UInt8>) -> Range<Int> {
        let start = octets.count
        octets.append(value)
        return start..<octets.count
    }

    /// Removes the events; memory is retained.
    public mutating func removeAll() {
        events.removeAll(keepingCapacity: true)
        octets.removeAll(keepingCapacity: true)
    }
}
