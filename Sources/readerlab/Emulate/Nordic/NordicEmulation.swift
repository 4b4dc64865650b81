import HostLoop
import Peripheral
import Provisioning
import Timekeeping

/// A Wi-Fi chip that is being provisioned, with a simulated station, as a value without I/O.
struct NordicEmulation: ~Copyable, HostedDevice {
    /// What happened, for whoever watches.
    enum Notice {
        case host(HostEvent)
        case device(NordicNotice)
    }

    private static let set: UInt8 = 0

    private var host: Host
    private var device: NordicPeripheral
    private var wifi: SimulatedWiFi
    private let address: BluetoothAddress
    private var isStarted = false
    private var notices: [Notice] = []
    private var unsaved: StoredNetworks?

    /// A device with the address of these keys. Nothing happens before `start`.
    init(
        _ settings: NordicSettings, simulation: WiFiSimulation, stored: StoredNetworks, keys: EmulationKeys
    ) throws(DatabaseError) {
        let name = settings.name ?? NordicProvisioning.usualName(simulation.address)
        let (served, service) = try NordicService.device(
            named: name, profile: settings.profile, advertisingSets: [NordicEmulation.set])
        var configuration = HostConfiguration()
        if settings.profile == .exact {
            // The sample has one link, and leaves its interval to the phone.
            configuration.links = 1
            configuration.preferredInterval = nil
        }
        host = Host(devices: [served], configuration: configuration, security: keys.setup)
        device = NordicPeripheral(NordicProvisioning(settings, stored: stored), service)
        wifi = SimulatedWiFi(simulation)
        address = keys.identity.address
    }

    /// The transport to the controller is open: the device is switched on, the first time.
    mutating func start(at now: Instant) {
        host.start(at: now)
        if !isStarted { device.start(&wifi, at: now) }
        isStarted = true
        settle(at: now)
    }

    mutating func receive(_ packet: Span<UInt8>, at now: Instant) {
        host.receive(packet, at: now)
        settle(at: now)
    }

    mutating func advance(to now: Instant) {
        host.advance(to: now)
        device.advance(&wifi, to: now)
        settle(at: now)
    }

    var nextDeadline: Instant? { Instant.earlier(host.nextDeadline, isStarted ? device.deadline(wifi) : nil) }

    mutating func popPacket(into packet: inout [UInt8]) -> Bool { host.outbound.popFirst(into: &packet) }

    /// The oldest thing that happened and was not told yet.
    mutating func nextNotice() -> Notice? { notices.isEmpty ? nil : notices.removeFirst() }

    /// The networks, if they have to be written to where they outlast the process.
    mutating func takeUnsaved() -> StoredNetworks? {
        defer { unsaved = nil }
        return unsaved
    }

    private mutating func settle(at now: Instant) {
        perform(at: now)
        while let event = host.nextEvent() {
            if case .writeRequested = event {} else { notices.append(.host(event)) }
            _ = device.take(event, &host, &wifi, at: now)
            perform(at: now)
        }
    }

    /// Does what the device wants done. All that it sends goes through here.
    private mutating func perform(at now: Instant) {
        while let action = device.nextAction() {
            device.perform(action, &host, at: now)
            switch action {
            case .advertise, .stopAdvertising: advertise(at: now)
            case .store(let networks): unsaved = networks
            case .send, .answer, .disconnect: break
            }
        }
        while let notice = device.nextNotice() { notices.append(.device(notice)) }
    }

    private mutating func advertise(at now: Instant) {
        let sets = device.advertisement.map {
            [
                AdvertisingSet(
                    id: NordicEmulation.set, address: address, data: $0.data, scanResponse: $0.scanResponse,
                    interval: $0.interval)
            ]
        }
        host.configure(advertising: sets ?? [], at: now)
    }
}
