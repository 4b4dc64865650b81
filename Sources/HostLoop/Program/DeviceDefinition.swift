// SPDX-License-Identifier: Apache-2.0

public import Peripheral

/// The definition of a device: name, services and handlers of reads, writes and subscriptions.
///
/// ```swift
/// var device = DeviceDefinition<Lamp>(name: "lamp")
/// device.addService(lighting)
/// let level = device.addCharacteristic(brightness, [.read, .write, .notify], security: .encrypted, value: [0])
/// device.onWrite(level) { lamp, context, write in
///     guard write.value.count == 1 else { return .refuse(.invalidAttributeValueLength) }
///     lamp.level = write.value[0]
///     context.notify(level, write.value)
///     return .accept
/// }
/// ```
///
/// `State` is the type that the handlers change; a `DeviceProgram` holds one state for all of its devices. Generic
/// Access and Generic Attribute (with Service Changed and the Database Hash) are added automatically.
public struct DeviceDefinition<State> {
    /// A handler of a link's event.
    public typealias LinkHandler = (inout State, inout DeviceContext, LinkID) -> Void
    /// A handler of a change of a client's configuration.
    public typealias SubscriptionHandler = (inout State, inout DeviceContext, LinkID, ClientConfiguration) -> Void
    /// A handler that supplies a value.
    public typealias ReadHandler = (inout State, inout DeviceContext, ReadRequest) -> ReadAnswer
    /// A handler that receives a written value.
    public typealias WriteHandler = (inout State, inout DeviceContext, WriteRequest) -> WriteAnswer
    /// A handler of pairing notices.
    public typealias PairingHandler = (inout State, inout DeviceContext, LinkID, PairingNotice) -> Void
    /// A handler called periodically.
    public typealias TimerHandler = (inout State, inout DeviceContext) -> Void

    /// The minimum period of `every`; shorter periods are raised to it.
    public static var shortestPeriod: Duration { .milliseconds(1) }

    /// The device name, at most 248 octets of UTF-8; the part that fits is advertised.
    public var name: String
    /// The Appearance value (Assigned Numbers); 0 is unknown.
    public var appearance: UInt16
    /// The services in the advertising data; nil for all primary services, in the order in which they were added.
    public var advertisedServices: [BluetoothUUID]?
    /// The advertising data; replaces flags, services and name.
    public var advertisingData: AdvertisingData?
    /// The scan response data; replaces a name that did not fit the advertising data.
    public var scanResponse: AdvertisingData?
    /// The advertising interval, 20 ms to 10.24 s. At 100 ms a waiting user finds the device at once; 1 s saves
    /// power.
    public var advertisingInterval = Duration.milliseconds(100)
    /// The Peripheral Preferred Connection Parameters (Core 5.4, Vol 3, Part C, 12.3); nil to leave the parameters to
    /// the client.
    public var preferredParameters: ConnectionParameters?
    /// The advertising address; nil for the address that the program's keys give.
    public var address: AdvertisingSet.OwnAddress?
    /// The requirements on pairings; nil if the device does not pair.
    public var pairing: SecurityPolicy?
    /// The offered ATT_MTU and the limits of prepared writes.
    public var server = GATTServer.Configuration()

    enum Item {
        case service(BluetoothUUID, isPrimary: Bool)
        case characteristic(Int)
        case descriptor(BluetoothUUID, AttributePermissions, AttributeValue)
    }

    struct Characteristic {
        var uuid: BluetoothUUID
        var properties: CharacteristicProperties
        var security: SecurityRequirement
        var configuration: AttributePermissions?
        var value: [UInt8]
        var maximumCount: Int
        var policy: SendingPolicy
        var onRead: ReadHandler?
        var onWrite: WriteHandler?
        var onSubscribe: SubscriptionHandler?
        var onConfirm: LinkHandler?
    }

    struct PeriodicWork {
        var period: Duration
        var characteristic: Int?
        var handler: TimerHandler
    }

    var items: [Item] = []
    var characteristics: [Characteristic] = []
    var periodicWork: [PeriodicWork] = []
    var connected: LinkHandler?
    var disconnected: LinkHandler?
    var drained: LinkHandler?
    var paired: PairingHandler?

    /// A device without services.
    public init(name: String, appearance: UInt16 = 0) {
        self.name = name
        self.appearance = appearance
    }

    /// Begins a service; subsequent additions belong to it (Core 5.4, Vol 3, Part G, 3.1).
    public mutating func addService(_ uuid: BluetoothUUID, primary: Bool = true) {
        items.append(.service(uuid, isPrimary: primary))
    }

    /// Adds a characteristic, with a client characteristic configuration if it notifies or indicates (Core 5.4, Vol
    /// 3, Part G, 3.3).
    ///
    /// - Parameters:
    ///   - security: the link security that the properties require.
    ///   - configuration: permissions of the client characteristic configuration; by default they are derived from
    ///     `security`.
    ///   - value: the initial value, until a client writes another or `DeviceContext.setValue` sets one.
    ///   - maximumCount: the maximum length in octets, at most 512; longer writes are refused.
    ///   - sending: the treatment of values for which a link has no room.
    /// - Returns: the characteristic's identifier for handlers and `DeviceContext`.
    @discardableResult
    public mutating func addCharacteristic(
        _ uuid: BluetoothUUID, _ properties: CharacteristicProperties, security: SecurityRequirement = .none,
        configuration: AttributePermissions? = nil, value: [UInt8] = [],
        maximumCount: Int = AttributeDatabase.maximumValueCount, sending: SendingPolicy = .latest
    ) -> CharacteristicID {
        items.append(.characteristic(characteristics.count))
        let maximum = min(max(maximumCount, 0), AttributeDatabase.maximumValueCount)
        characteristics.append(
            Characteristic(
                uuid: uuid, properties: properties, security: security, configuration: configuration, value: value,
                maximumCount: maximum, policy: sending))
        return CharacteristicID(index: characteristics.count - 1)
    }

    /// Adds a descriptor with a fixed value to the last characteristic (Core 5.4, Vol 3, Part G, 3.3.3), such as
    /// `BluetoothUUID.userDescription`.
    public mutating func addDescriptor(
        _ uuid: BluetoothUUID, value: [UInt8], security: SecurityRequirement = .none
    ) {
        items.append(.descriptor(uuid, security.reading, .static(value, maximumCount: value.count)))
    }
}

// MARK: - Handlers

extension DeviceDefinition {
    /// Supplies the characteristic's value each time a client reads it.
    public mutating func onRead(_ characteristic: CharacteristicID, _ handler: @escaping ReadHandler) {
        change(characteristic) { $0.onRead = handler }
    }

    /// Called before a written value takes effect, so that it can be refused. Indications and notifications that the
    /// handler sends reach the client before the Write Response.
    public mutating func onWrite(_ characteristic: CharacteristicID, _ handler: @escaping WriteHandler) {
        change(characteristic) { $0.onWrite = handler }
    }

    /// Called when a client has written the client characteristic configuration: notifications, indications or
    /// neither. Not called when its link ends.
    public mutating func onSubscribe(_ characteristic: CharacteristicID, _ handler: @escaping SubscriptionHandler) {
        change(characteristic) { $0.onSubscribe = handler }
    }

    /// Called when a client has confirmed an indication of the characteristic.
    public mutating func onConfirm(_ characteristic: CharacteristicID, _ handler: @escaping LinkHandler) {
        change(characteristic) { $0.onConfirm = handler }
    }

    /// Called when a client has connected to this device.
    public mutating func onConnect(_ handler: @escaping LinkHandler) { connected = handler }

    /// Called when a link of this device has ended, so that the state can release its resources for the link. Nothing
    /// more is sent to it.
    public mutating func onDisconnect(_ handler: @escaping LinkHandler) { disconnected = handler }

    /// Called when a link's queue of values has become empty.
    public mutating func onDrained(_ handler: @escaping LinkHandler) { drained = handler }

    /// Called for each notice of a client's pairing.
    public mutating func onPairing(_ handler: @escaping PairingHandler) { paired = handler }

    /// Calls `handler` periodically, first after one period. Missed periods are skipped.
    ///
    /// - Parameter characteristic: if given, the timer runs only while a client has subscribed to this
    ///   characteristic, and restarts with the first that does.
    public mutating func every(
        _ period: Duration, whileSubscribed characteristic: CharacteristicID? = nil, _ handler: @escaping TimerHandler
    ) {
        let period = max(period, DeviceDefinition.shortestPeriod)
        periodicWork.append(PeriodicWork(period: period, characteristic: characteristic?.index, handler: handler))
    }

    /// Changes a characteristic; the identifier of another device's is ignored.
    private mutating func change(_ characteristic: CharacteristicID, _ body: (inout Characteristic) -> Void) {
        guard characteristics.indices.contains(characteristic.index) else { return }
        body(&characteristics[characteristic.index])
    }
}
