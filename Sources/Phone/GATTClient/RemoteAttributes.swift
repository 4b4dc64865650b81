public import Peripheral

/// A primary service as a server told of it (Core 5.4, Vol 3, Part G, 3.1).
public struct RemoteService: Hashable, Sendable {
    /// What the service is.
    public var uuid: BluetoothUUID
    /// Its declaration and all that belongs to it.
    public var handles: ClosedRange<AttributeHandle>

    /// A service with these properties.
    public init(uuid: BluetoothUUID, handles: ClosedRange<AttributeHandle>) {
        self.uuid = uuid
        self.handles = handles
    }
}

/// A characteristic as a server told of it (Core 5.4, Vol 3, Part G, 3.3).
public struct RemoteCharacteristic: Hashable, Sendable {
    /// What the characteristic is.
    public var uuid: BluetoothUUID
    /// The properties' bits as the declaration has them (3.3.1.1).
    public var properties: UInt8
    /// The handle of the declaration.
    public var declaration: AttributeHandle
    /// The handle of the value.
    public var value: AttributeHandle
    /// The last handle that can belong to it: up to the next declaration, or the end of what was searched.
    public var last: AttributeHandle

    /// A characteristic with these properties.
    public init(
        uuid: BluetoothUUID, properties: UInt8, declaration: AttributeHandle, value: AttributeHandle,
        last: AttributeHandle
    ) {
        self.uuid = uuid
        self.properties = properties
        self.declaration = declaration
        self.value = value
        self.last = last
    }

    /// Where its descriptors are; nil if there is room for none.
    public var descriptors: ClosedRange<AttributeHandle>? {
        guard value < last else { return nil }
        return AttributeHandle(rawValue: value.rawValue + 1)...last
    }
}

/// An attribute with its type, as a server told of it (Core 5.4, Vol 3, Part F, 3.4.3.2).
public struct RemoteDescriptor: Hashable, Sendable {
    /// The attribute's type.
    public var uuid: BluetoothUUID
    /// The attribute's handle.
    public var handle: AttributeHandle

    /// An attribute with these properties.
    public init(uuid: BluetoothUUID, handle: AttributeHandle) {
        self.uuid = uuid
        self.handle = handle
    }
}
