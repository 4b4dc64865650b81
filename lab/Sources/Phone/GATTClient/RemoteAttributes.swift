// SPDX-License-Identifier: Apache-2.0

public import Peripheral

/// A primary service discovered on a server (Core 5.4, Vol 3, Part G, 3.1).
public struct RemoteService: Hashable, Sendable {
    /// The service UUID.
    public var uuid: BluetoothUUID
    /// The handle range of the service, declaration included.
    public var handles: ClosedRange<AttributeHandle>

    /// A service with these properties.
    public init(uuid: BluetoothUUID, handles: ClosedRange<AttributeHandle>) {
        self.uuid = uuid
        self.handles = handles
    }
}

/// A characteristic discovered on a server (Core 5.4, Vol 3, Part G, 3.3).
public struct RemoteCharacteristic: Hashable, Sendable {
    /// The characteristic UUID.
    public var uuid: BluetoothUUID
    /// The properties bits of the declaration (3.3.1.1).
    public var properties: UInt8
    /// The handle of the declaration.
    public var declaration: AttributeHandle
    /// The handle of the value.
    public var value: AttributeHandle
    /// The last handle that can belong to it: before the next declaration, or the end of the searched range.
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

    /// The handle range of its descriptors; nil if it is empty.
    public var descriptors: ClosedRange<AttributeHandle>? {
        guard value < last else { return nil }
        return AttributeHandle(rawValue: value.rawValue + 1)...last
    }
}

/// An attribute handle with its type, discovered on a server (Core 5.4, Vol 3, Part F, 3.4.3.2).
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
