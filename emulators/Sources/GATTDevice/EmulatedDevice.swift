// SPDX-License-Identifier: Apache-2.0

import Emulation
public import Peripheral
public import Timekeeping

/// A device from a file, with its address.
public struct PlayedDevice: Sendable {
    /// The device.
    public var table: DeviceTable
    /// Its random static address.
    public var address: BluetoothAddress

    /// The device with this address.
    public init(_ table: DeviceTable, address: BluetoothAddress) {
        self.table = table
        self.address = address
    }
}

/// Devices from files on one host, as a value without I/O: packets and the time go in; packets, notices and the time
/// of the next call come out.
///
/// Each has its own advertising set, address and attributes, and advertises while the host has room for one more
/// link. Values that clients write are shared by all clients of the device, and persist until the process ends.
public struct EmulatedDevice: ~Copyable {
    /// The maximum number of devices on one radio: controllers support up to 16 advertising sets.
    public static let maximumDevices = 16
    var host: Host
    var behaviours: [DeviceBehaviour]
    /// The pending faults, and what they delay.
    public let faults: DeviceFaults
    private(set) var deviceOfLink: [LinkID: Int] = [:]
    var notices = DeviceNotices()
    private let pairing: DevicePairing
    private var channels = DeviceChannels()
    /// The pairing window that opens at the start.
    private var pairingWindow: Duration?
    /// The advertising sets of each device, and the address that they have.
    private var sets: [[AdvertisingSet]]
    private let addresses: [AdvertisingSet.OwnAddress]
    private var publishesOutOfBand: Bool
    /// The initialized controller, until it has confirmed advertising.
    private var readyController: ControllerDescription?
    /// The devices whose refusal was reported.
    private var refusedDevices: Set<UInt8> = []

    /// One device with this random static address, without pairing.
    public init(_ table: DeviceTable, address: BluetoothAddress) {
        self.init([PlayedDevice(table, address: address)])
    }

    /// Devices, at least one and at most `maximumDevices`, idle until `start`.
    ///
    /// - Parameters:
    ///   - security: the identity and the bonds; required for pairing, even if the settings have no policy for it.
    ///   - faults: of reads and writes only for tables with `holdsValues`.
    public init(
        _ devices: [PlayedDevice], settings: EmulationSettings = .init(), security: SecuritySetup? = nil,
        faults: DeviceFaults = DeviceFaults()
    ) {
        var served: [ServedDevice] = []
        let devices = Array(devices.prefix(EmulatedDevice.maximumDevices))
        for (number, device) in devices.enumerated() {
            var server = GATTServer.Configuration()
            server.maximumMTU = min(device.table.mtu, settings.maximumMTU ?? device.table.mtu)
            server.reportsRefusals = true
            served.append(
                ServedDevice(
                    database: device.table.database,
                    advertisingSets: DeviceAdvertising.identifiers(ofDevice: number), server: server,
                    security: settings.pairing))
        }
        addresses = devices.map { settings.isPrivate ? .resolvable : .fixed($0.address) }
        sets = zip(devices, addresses).enumerated().map { EmulatedDevice.sets(of: $1.0.table, $0, $1.1) }
        behaviours = devices.enumerated().map { DeviceBehaviour($1.table, device: $0, faults) }
        self.faults = faults
        pairing = DevicePairing(answers: settings.answers)
        pairingWindow = settings.pairingWindow
        publishesOutOfBand = settings.publishesOutOfBand
        var configuration = settings.host
        configuration.channelServices += DeviceChannels.services(
            settings.echoChannels + devices.compactMap(\.table.echoChannel))
        host = Host(devices: served, configuration: configuration, security: security)
        if settings.isPrivate, let security {
            host.makePrivateAddresses(with: AddressPrivacy(identity: security.identity, random: security.random))
        }
        host.configure(advertising: sets.flatMap(\.self))
    }

    /// The advertising sets of the device with this index. They have one address.
    private static func sets(
        of table: DeviceTable, _ device: Int, _ address: AdvertisingSet.OwnAddress
    ) -> [AdvertisingSet] {
        table.advertising.prefix(DeviceAdvertising.maximumSets).enumerated().map {
            $1.set($0, ofDevice: device, address)
        }
    }

    /// Starts the host: the transport to the controller is open.
    public mutating func start(at now: Instant) {
        if let pairingWindow {
            // Once: not when a lost controller is started again.
            self.pairingWindow = nil
            host.openPairingWindow(until: now + pairingWindow)
        }
        if publishesOutOfBand, let data = host.publishOutOfBandData() {
            // One key serves the whole run, also after a failure of the controller.
            publishesOutOfBand = false
            notices.report(.outOfBand(data))
        }
        host.start(at: now)
        settle(at: now)
    }

    /// Replaces a device with the table of its changed file. Its links stay. Clients that have subscribed to Service
    /// Changed are notified; absent bonded clients are notified at their next connection (Core 5.4, Vol 3, Part G,
    /// 2.5.2). Values that clients have written are reset to the file's. ATT_MTU and echo channel do not change.
    public mutating func replace(_ device: Int, with table: DeviceTable, at now: Instant) {
        guard behaviours.indices.contains(device) else { return }
        host.replaceDatabase(ofDevice: device, with: table.database, at: now)
        behaviours[device].replace(with: table, at: now)
        sets[device] = EmulatedDevice.sets(of: table, device, addresses[device])
        host.configure(advertising: sets.flatMap(\.self), at: now)
        notices.report(.replaced(device: device))
        settle(at: now)
    }

    /// Ends all links: the transport has been lost.
    public mutating func transportLost(at now: Instant) {
        host.transportLost(at: now)
        settle(at: now)
    }

    /// Handles one H4 packet from the controller, with its packet type octet.
    public mutating func receive(_ packet: Span<UInt8>, at now: Instant) {
        host.receive(packet, at: now)
        settle(at: now)
    }

    /// Performs the actions due at `now`.
    public mutating func advance(to now: Instant) {
        host.advance(to: now)
        settle(at: now)
        while let command = faults.nextCommand(at: now) {
            let lines = execute(command, Timeline(start: now, expectations: []), [], at: now)
            notices.report(.executed(command, lines))
        }
        for index in behaviours.indices { behaviours[index].advance(to: now, &host, &notices) }
        settle(at: now)
    }

    /// The time of the next call of `advance`; nil if only an input can change anything.
    public var nextDeadline: Instant? {
        behaviours.reduce(Instant.earlier(host.nextDeadline, faults.deadline)) { Instant.earlier($0, $1.nextDeadline) }
    }

    /// Copies the next packet for the controller into `packet`; false if no packet is pending.
    public mutating func popPacket(into packet: inout [UInt8]) -> Bool {
        host.outbound.popFirst(into: &packet)
    }

    /// Calls `send` with each packet for the controller, in order, and removes them all.
    public mutating func sendPackets(_ send: (Span<UInt8>) -> Void) { host.outbound.sendAll(send) }

    /// Removes and returns the oldest notice; nil if no notice is pending.
    public mutating func nextNotice() -> DeviceNotice? {
        notices.next()
    }

    /// Handles the host's events, and performs the actions that are due.
    mutating func settle(at now: Instant) {
        while true {
            while let event = host.nextEvent() { receive(event, at: now) }
            guard let (link, late) = faults.next(at: now) else { return }
            if let index = device(of: link) { behaviours[index].perform(late, link, &host, &notices, at: now) }
        }
    }

    private mutating func receive(_ event: HostEvent, at now: Instant) {
        if pairing.receive(event, &host, &notices, at: now) || channels.receive(event, &host, &notices, at: now) {
            return
        }
        switch event {
        case .ready(let controller): readyController = controller
        case .advertising(let status): advertisingChanged(status, at: now)
        case .controllerFailed(let fault): notices.report(.controllerFailed(fault))
        case .connected(let link, let description):
            deviceOfLink[link] = description.device
            notices.report(
                .connected(
                    link, peer: description.peer, device: description.device, ownAddress: description.ownAddress))
            connected(link, description.device, at: now)
        case .disconnected(let link, let reason):
            reviewEnd(link, reason, at: now)
            if let index = device(of: link) { behaviours[index].ended(link) }
            deviceOfLink[link] = nil
            notices.report(.disconnected(link, reason: reason))
        case .mtuExchanged(let link, let mtu): notices.report(.mtuExchanged(link, mtu))
        case .written(let link, let handle, let range):
            guard let index = device(of: link) else { return }
            let octets = Array(host.eventOctets[range])
            behaviours[index].receive(link, handle, octets, &notices, at: now)
        case .subscribed(let link, let handle, let configuration):
            guard let index = device(of: link) else { return }
            behaviours[index].subscribed(link, handle, configuration, &notices, at: now)
        case .readRequested(let request, let handle, let offset):
            guard let index = device(of: request.link) else { return }
            behaviours[index].read(request, handle, offset: offset, &host, &notices, at: now)
        case .writeRequested(let request, let handle, let range):
            guard let index = device(of: request.link) else { return }
            let octets = Array(host.eventOctets[range])
            behaviours[index].write(request, handle, octets, &host, &notices, at: now)
        case .confirmed(let link, let handle):
            guard let index = device(of: link) else { return }
            behaviours[index].confirmed(link, handle, &notices)
        case .refused(let link, let request):
            guard let index = device(of: link) else { return }
            behaviours[index].refused(link, request, &notices)
        default: break
        }
    }

    /// Reports the controller's answers about advertising. The identifier of a set is the index of its device.
    private mutating func advertisingChanged(_ status: AdvertisingStatus, at now: Instant) {
        if let controller = readyController, !status.onAir.isEmpty {
            readyController = nil
            faults.begin(at: now)
            notices.report(.ready(controller))
        }
        for refusal in status.refusals where refusal.isRepeated && refusedDevices.insert(refusal.set).inserted {
            notices.report(.advertisingRefused(device: Int(refusal.set), refusal))
        }
        for set in status.onAir where refusedDevices.remove(set) != nil {
            notices.report(.advertisingResumed(device: Int(set)))
        }
    }

    private func device(of link: LinkID) -> Int? {
        deviceOfLink[link].flatMap { behaviours.indices.contains($0) ? $0 : nil }
    }

    // MARK: - Faults

    /// Injects the faults of a connection.
    private mutating func connected(_ link: LinkID, _ device: Int, at now: Instant) {
        let faulted = FaultedRequest(faults.faults(at: DeviceStep.connect, link, device, &notices))
        if faulted.isRefused { return host.disconnect(link, reason: .remoteLowResources, at: now) }
        if faulted.disconnectsAfter { faults.endSoon(link, at: now) }
    }

    /// Reports a client that has ended its link before its request was answered.
    private mutating func reviewEnd(_ link: LinkID, _ reason: HCIStatus, at now: Instant) {
        guard let (handle, since) = faults.ended(link), reason == .remoteUserTerminated, let index = device(of: link)
        else { return }
        behaviours[index].gaveUp(link, handle, after: now - since, &notices)
    }
}
