public import Peripheral

/// What a client can be asked to do. Each takes one or more requests, sent one after the other.
public enum GATTOperation: Equatable, Sendable {
    /// Agrees on an ATT_MTU; once in a connection (Core 5.4, Vol 3, Part F, 3.4.2).
    case exchangeMTU
    /// Finds all primary services (Part G, 4.4.1).
    case discoverServices
    /// Finds the primary services with this UUID (Part G, 4.4.2).
    case discoverServicesByUUID(BluetoothUUID)
    /// Finds the characteristics of a service (Part G, 4.6.1).
    case discoverCharacteristics(in: ClosedRange<AttributeHandle>)
    /// Finds the descriptors of a characteristic (Part G, 4.7.1).
    case discoverDescriptors(in: ClosedRange<AttributeHandle>)
    /// Reads as much of a value as one answer holds, ATT_MTU − 1 octets (Part G, 4.8.1).
    case read(AttributeHandle)
    /// Reads all of a value (Part G, 4.8.3).
    case readLong(AttributeHandle)
    /// Writes a value of at most ATT_MTU − 3 octets and waits for the answer (Part G, 4.9.3).
    case write(AttributeHandle, [UInt8])
    /// Writes a value of at most ATT_MTU − 3 octets; there is no answer (Part G, 4.9.1).
    case writeCommand(AttributeHandle, [UInt8])
    /// Sets what the server may send of a characteristic, by its client characteristic configuration descriptor
    /// (Part G, 3.3.3.3).
    case subscribe(descriptor: AttributeHandle, ClientConfiguration)
}

/// Tells one operation of a client from the next.
public struct GATTOperationID: Hashable, Sendable {
    /// Counts the operations of this client.
    public let rawValue: UInt64
}

/// What an operation has brought.
public enum GATTOutcome: Equatable, Sendable {
    /// The ATT_MTU from now on.
    case mtu(Int)
    /// The services found, in order of their handles; none is no error.
    case services([RemoteService])
    /// The characteristics found, in order of their handles.
    case characteristics([RemoteCharacteristic])
    /// The descriptors found, in order of their handles.
    case descriptors([RemoteDescriptor])
    /// The value read.
    case value([UInt8])
    /// The server has taken what was written.
    case written
    /// The command is on its way; whether it was taken is not told.
    case sent
}

/// Why an operation failed.
public enum GATTClientError: Error, Equatable, Sendable {
    /// The server refused: the attribute that it named, and its error code (Core 5.4, Vol 3, Part F, 3.4.1.1).
    case refused(handle: AttributeHandle, code: UInt8)
    /// The answer is not what the specification lets it be; the octet is its opcode.
    case malformed(opcode: UInt8)
    /// A search's answer holds a handle that is not behind those before it: it might never end.
    case notAdvancing(AttributeHandle)
    /// A search's answer holds a handle outside what was asked for.
    case outOfRange(AttributeHandle)
    /// A search's answers hold more than `GATTClient.maximumFoundCount`.
    case tooManyFound
    /// The value is longer than an attribute can be, or than the request has room for.
    case valueTooLong(count: Int, limit: Int)
    /// Handle 0 is no attribute's.
    case invalidHandle
    /// The ATT_MTU was exchanged before, and may be once.
    case alreadyExchanged
    /// More than `GATTClient.maximumWaitingCount` operations wait.
    case tooManyWaiting
    /// The server did not answer within 30 s; nothing more may be sent on this bearer (3.3.3).
    case timedOut
    /// The server answered something else than was asked, so that no answer can be told from another any more; the
    /// octet is the opcode that came.
    case outOfStep(opcode: UInt8)
    /// The link is gone.
    case linkLost
}

/// What a client has to tell.
public enum GATTClientEvent: Equatable, Sendable {
    /// An operation is over.
    case completed(GATTOperationID, Result<GATTOutcome, GATTClientError>)
    /// The server sent a value.
    case notification(AttributeHandle, [UInt8])
    /// The server sent a value, and the client has confirmed it.
    case indication(AttributeHandle, [UInt8])
}
