// SPDX-License-Identifier: Apache-2.0

public import Peripheral

/// An operation of a GATT client, consisting of one or more requests in sequence.
public enum GATTOperation: Equatable, Sendable {
    /// Exchanges the ATT_MTU; once per connection (Core 5.4, Vol 3, Part F, 3.4.2).
    case exchangeMTU
    /// Discovers all primary services (Part G, 4.4.1).
    case discoverServices
    /// Discovers the primary services with this UUID (Part G, 4.4.2).
    case discoverServicesByUUID(BluetoothUUID)
    /// Discovers the characteristics of a service (Part G, 4.6.1).
    case discoverCharacteristics(in: ClosedRange<AttributeHandle>)
    /// Discovers the descriptors of a characteristic (Part G, 4.7.1).
    case discoverDescriptors(in: ClosedRange<AttributeHandle>)
    /// Reads as much of a value as one response holds, ATT_MTU − 1 octets (Part G, 4.8.1).
    case read(AttributeHandle)
    /// Reads a complete value (Part G, 4.8.3).
    case readLong(AttributeHandle)
    /// Writes a value of at most ATT_MTU − 3 octets with a response (Part G, 4.9.3).
    case write(AttributeHandle, [UInt8])
    /// Writes a value of at most ATT_MTU − 3 octets without a response (Part G, 4.9.1).
    case writeCommand(AttributeHandle, [UInt8])
    /// Writes a client characteristic configuration descriptor, which enables notifications or indications (Part G,
    /// 3.3.3.3).
    case subscribe(descriptor: AttributeHandle, ClientConfiguration)
}

/// The identifier of an operation of one client.
public struct GATTOperationID: Hashable, Sendable {
    /// A consecutive number.
    public let rawValue: UInt64
}

/// The result of an operation.
public enum GATTOutcome: Equatable, Sendable {
    /// The new ATT_MTU.
    case mtu(Int)
    /// The discovered services, in handle order; possibly none.
    case services([RemoteService])
    /// The discovered characteristics, in handle order.
    case characteristics([RemoteCharacteristic])
    /// The discovered descriptors, in handle order.
    case descriptors([RemoteDescriptor])
    /// The value read.
    case value([UInt8])
    /// The server has accepted the written value.
    case written
    /// The command was sent; the server does not confirm it.
    case sent
}

/// The reason why an operation failed.
public enum GATTClientError: Error, Equatable, Sendable {
    /// The server refused: the attribute handle in error, and the error code (Core 5.4, Vol 3, Part F, 3.4.1.1).
    case refused(handle: AttributeHandle, code: UInt8)
    /// The response with this opcode violates the specification.
    case malformed(opcode: UInt8)
    /// A discovery response contains a handle that does not follow the previous ones, so that the discovery might not
    /// end.
    case notAdvancing(AttributeHandle)
    /// A discovery response contains a handle outside the requested range.
    case outOfRange(AttributeHandle)
    /// A discovery returned more than `GATTClient.maximumFoundCount` attributes.
    case tooManyFound
    /// The value exceeds the limit of an attribute or of the request.
    case valueTooLong(count: Int, limit: Int)
    /// Handle 0 is reserved.
    case invalidHandle
    /// The ATT_MTU has been exchanged before.
    case alreadyExchanged
    /// More than `GATTClient.maximumWaitingCount` operations are queued.
    case tooManyWaiting
    /// No response within 30 s; nothing more may be sent on this bearer (3.3.3).
    case timedOut
    /// The response, with this opcode, does not match the request, so that requests and responses can no longer be
    /// matched.
    case outOfStep(opcode: UInt8)
    /// The link has ended.
    case linkLost
}

/// An event of a GATT client.
public enum GATTClientEvent: Equatable, Sendable {
    /// An operation has completed.
    case completed(GATTOperationID, Result<GATTOutcome, GATTClientError>)
    /// The server notified a value.
    case notification(AttributeHandle, [UInt8])
    /// The server indicated a value, and the client has confirmed it.
    case indication(AttributeHandle, [UInt8])
}
