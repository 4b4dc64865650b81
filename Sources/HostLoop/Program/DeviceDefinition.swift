public import Peripheral

/// A device as its author describes it: a name, services, and what it does when a client reads, writes or subscribes.
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
/// `State` is what the handlers work on; a `DeviceProgram` has it, and one state for all of its devices. Generic Access
/// and Generic Attribute (with Service Changed and the Database Hash) need not be added: they are there.
public struct DeviceDefinition<State> {
    /// Called for a link.
    public typealias LinkHandler = (inout State, inout DeviceContext, LinkID) -> Void
    /// Called when a client has subscribed, or has ceased to be.
    public typealias SubscriptionHandler = (inout State, inout DeviceContext, LinkID, ClientConfiguration) -> Void
    /// Makes a value.
    public typealias ReadHandler = (inout State, inout DeviceContext, ReadRequest) -> ReadAnswer
    /// Takes a value.
    public typealias WriteHandler = (inout State, inout DeviceContext, WriteRequest) -> WriteAnswer
    /// Called in pairing.
    public typealias PairingHandler = (inout State, inout DeviceContext, LinkID, PairingNotice) -> Void
    /// Called in a rhythm.
    public typealias RhythmHandler = (inout State, inout DeviceContext) -> Void

    /// The shortest period of `every`: shorter ones are made that long.
    public static var shortestPeriod: Duration { .milliseconds(1) }

    /// The name that phones show, at most 248 octets of UTF-8; only as much as fits is advertised.
    public var name: String
    /// What the device looks like, a value of the Assigned Numbers; 0 is unknown.
    public var appearance: UInt16
    /// The services that advertisements name; nil for all primary ones, in the order in which they were added.
    public var advertisedServices: [BluetoothUUID]?
    /// The advertising data, in place of flags, services and name.
    public var advertisingData: AdvertisingData?
    /// The scan response, in place of a name that did not fit the advertising data.
    public var scanResponse: AdvertisingData?
    /// Time between two advertising events, 20 ms to 10.24 s. 100 ms is found at once by a person who waits; 1 s saves
    /// power.
    public var advertisingInterval = Duration.milliseconds(100)
    /// The connection parameters that its Generic Access asks for; nil to leave them to the client (Core 5.4, Vol 3, Part
    /// C, 12.3).
    public var preferredParameters: PreferredConnectionParameters?
    /// The address that the device advertises with; nil leaves it to the program's keys.
    public var address: AdvertisingSet.OwnAddress?
    /// What is demanded of pairings; nil if the device does not pair.
    public var pairing: SecurityPolicy?
    /// The ATT_MTU that is offered, and what may be prepared.
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

    struct Rhythm {
        var period: Duration
        var characteristic: Int?
        var handler: RhythmHandler
    }

    var items: [Item] = []
    var characteristics: [Characteristic] = []
    var rhythms: [Rhythm] = []
    var connected: LinkHandler?
    var disconnected: LinkHandler?
    var drained: LinkHandler?
    var paired: PairingHandler?

    /// A device without services of its own.
    public init(name: String, appearance: UInt16 = 0) {
        self.name = name
        self.appearance = appearance
    }

    /// Opens a service; what is added next belongs to it (Core 5.4, Vol 3, Part G, 3.1).
    public mutating func addService(_ uuid: BluetoothUUID, primary: Bool = true) {
        items.append(.service(uuid, isPrimary: primary))
    }

    /// Adds a characteristic, with a client characteristic configuration if it notifies or indicates (Core 5.4, Vol 3,
    /// Part G, 3.3).
    ///
    /// - Parameters:
    ///   - security: what a link has to be for what the properties promise.
    ///   - configuration: permissions of the client characteristic configuration, in place of those that `security` makes.
    ///   - value: what clients read until something else is written, or set by `DeviceContext.setValue`.
    ///   - maximumCount: how many octets a value may have, at most 512; a client that writes more is refused.
    ///   - sending: what becomes of values that a link has no room for.
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
        items.append(.descriptor(uuid, security.reading, .stored(value, maximumCount: value.count)))
    }
}

// MARK: - What the device does

extension DeviceDefinition {
    /// Makes the characteristic's value each time a client reads it.
    public mutating func onRead(_ characteristic: CharacteristicID, _ handler: @escaping ReadHandler) {
        change(characteristic) { $0.onRead = handler }
    }

    /// Called before a written value counts, so that it can be refused. What the handler indicates or notifies reaches
    /// the client before the Write Response.
    public mutating func onWrite(_ characteristic: CharacteristicID, _ handler: @escaping WriteHandler) {
        change(characteristic) { $0.onWrite = handler }
    }

    /// Called when a client has set what it wants of the characteristic: notifications, indications, or nothing. Not
    /// when its link ends.
    public mutating func onSubscribe(_ characteristic: CharacteristicID, _ handler: @escaping SubscriptionHandler) {
        change(characteristic) { $0.onSubscribe = handler }
    }

    /// Called when a client has confirmed an indication of the characteristic.
    public mutating func onConfirm(_ characteristic: CharacteristicID, _ handler: @escaping LinkHandler) {
        change(characteristic) { $0.onConfirm = handler }
    }

    /// Called when a client has connected to this device.
    public mutating func onConnect(_ handler: @escaping LinkHandler) { connected = handler }

    /// Called when a link of this device is gone, for what the state has of it: sending to it does nothing any more.
    public mutating func onDisconnect(_ handler: @escaping LinkHandler) { disconnected = handler }

    /// Called when nothing waits for room on a link any more.
    public mutating func onDrained(_ handler: @escaping LinkHandler) { drained = handler }

    /// Called while a client pairs.
    public mutating func onPairing(_ handler: @escaping PairingHandler) { paired = handler }

    /// Called in this rhythm, first after one period. Beats that were missed are not made up for.
    ///
    /// - Parameter characteristic: the rhythm runs only while a client has subscribed to this one, and begins anew with
    ///   the first that does.
    public mutating func every(
        _ period: Duration, whileSubscribed characteristic: CharacteristicID? = nil, _ handler: @escaping RhythmHandler
    ) {
        let period = max(period, DeviceDefinition.shortestPeriod)
        rhythms.append(Rhythm(period: period, characteristic: characteristic?.index, handler: handler))
    }

    /// One of another device changes nothing.
    private mutating func change(_ characteristic: CharacteristicID, _ body: (inout Characteristic) -> Void) {
        guard characteristics.indices.contains(characteristic.index) else { return }
        body(&characteristics[characteristic.index])
    }
}
