public import Peripheral
public import Timekeeping

/// A device from a file on its host, joined, as a value without I/O: packets and the time go in; packets, what happened
/// and the time of the next call come out.
///
/// It can be found whenever the host has room for one more link. Values that clients write are the same for all
/// clients, and stay until the process ends.
public struct EmulatedDevice: ~Copyable {
    /// How often it can be found: fast enough for a person who waits, slow enough for a board beside other radios.
    static let advertisingInterval = Duration.milliseconds(100)

    private var host: Host
    private var behaviour: DeviceBehaviour
    private let advertising: DeviceAdvertising
    private let address: BluetoothAddress

    /// A device with this random address; nothing happens before `start`.
    public init(_ table: DeviceTable, address: BluetoothAddress, configuration: HostConfiguration = .init()) {
        var configuration = configuration
        configuration.maximumMTU = table.mtu
        host = Host(database: table.database, configuration: configuration)
        behaviour = DeviceBehaviour(table)
        advertising = DeviceAdvertising(name: table.name, services: table.services)
        self.address = address
        host.configure(advertising: [
            AdvertisingSet(
                id: 0, address: address, data: advertising.data, scanResponse: advertising.scanResponse,
                interval: EmulatedDevice.advertisingInterval)
        ])
    }

    /// The transport to the controller is open.
    public mutating func start(at now: Instant) {
        host.start(at: now)
        takeEvents(at: now)
    }

    /// The transport is gone, and all links with it.
    public mutating func transportLost(at now: Instant) {
        host.transportLost(at: now)
        takeEvents(at: now)
    }

    /// Takes one H4 packet of the controller, with its type octet.
    public mutating func receive(_ packet: Span<UInt8>, at now: Instant) {
        host.receive(packet, at: now)
        takeEvents(at: now)
    }

    /// Does what is due at `now`.
    public mutating func advance(to now: Instant) {
        host.advance(to: now)
        takeEvents(at: now)
        behaviour.advance(to: now, &host)
        takeEvents(at: now)
    }

    /// When `advance` is to be called next; nil if only an input can change anything.
    public var nextDeadline: Instant? {
        guard let own = behaviour.nextDeadline else { return host.nextDeadline }
        return host.nextDeadline.map { min($0, own) } ?? own
    }

    /// Puts the next packet for the controller into `packet`; false if there is none.
    public mutating func popPacket(into packet: inout [UInt8]) -> Bool {
        host.outbound.popFirst(into: &packet)
    }

    /// The oldest thing that happened and was not told yet.
    public mutating func nextNotice() -> DeviceNotice? {
        behaviour.nextNotice()
    }

    private mutating func takeEvents(at now: Instant) {
        while let event = host.nextEvent() { behaviour.receive(event, &host, at: now) }
    }
}
