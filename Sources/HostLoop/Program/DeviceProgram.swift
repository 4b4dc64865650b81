// SPDX-License-Identifier: Apache-2.0

public import Peripheral
public import Timekeeping

/// Settings shared by a program's devices, each with a default.
public struct ProgramSettings: Sendable {
    /// The maximum number of devices on one radio: controllers support up to 16 advertising sets.
    public static let maximumDevices = 16

    /// Limits and times of the host.
    public var host = HostConfiguration()
    /// True if the devices use resolvable private addresses, which only bonded phones can resolve. Nil means true if a
    /// device pairs and the bonds outlast the process.
    public var usesPrivateAddresses: Bool?

    /// Settings with their defaults.
    public init() {}
}

/// Devices with their handlers on one radio, as a value without I/O: controller packets and the time go in, packets
/// come out. A `HostLoop` drives it, or a test with a virtual clock.
///
/// ```swift
/// try DeviceProgram(Lamp(), devices: [lamp]).run(on: TransportName("hci-socket:0"))
/// ```
///
/// Each device has its own advertising set, address and attributes, and advertises while the host has room for one
/// more link. All handlers work on one `State`, on one thread.
public struct DeviceProgram<State>: ~Copyable, HostedDevice {
    /// The state that the handlers change.
    public var state: State

    private var context: DeviceContext
    private let devices: [DeviceDefinition<State>]
    private var timers: [PeriodicTimer] = []
    private var other: ((inout State, inout DeviceContext, HostEvent) -> Void)?

    private var timed: (deadline: (State) -> Instant?, handler: (inout State, inout DeviceContext) -> Void)?

    /// A running timer of `every`.
    private struct PeriodicTimer {
        var device: Int
        var work: Int
        /// The next time; nil while no client has subscribed.
        var due: Instant?
    }

    /// A program of 1 to 16 devices, idle until `start`.
    ///
    /// - Parameter keys: the devices' identity and the bonds; by default new ones, which end with the process.
    /// - Throws: `DeviceProgramError` if a definition has a mistake.
    public init(
        _ state: State, devices: [DeviceDefinition<State>], keys: DeviceKeys = DeviceKeys(),
        settings: ProgramSettings = ProgramSettings()
    ) throws(DeviceProgramError) {
        guard (1...ProgramSettings.maximumDevices).contains(devices.count) else { throw .deviceCount(devices.count) }
        let isPrivate = settings.usesPrivateAddresses ?? (keys.areKept && devices.contains { $0.pairing != nil })
        var served: [ServedDevice] = []
        var tables: [CharacteristicTable] = []
        var sets: [AdvertisingSet] = []
        for (number, device) in devices.enumerated() {
            let id = UInt8(truncatingIfNeeded: number)
            let (own, table) = try device.served(set: id)
            served.append(own)
            tables.append(table)
            let address = isPrivate ? .resolvable : AdvertisingSet.OwnAddress.fixed(keys.address(ofDevice: number))
            sets.append(try device.advertisingSet(id, address: address))
            for work in device.periodicWork.indices { timers.append(PeriodicTimer(device: number, work: work)) }
        }
        var host = Host(devices: served, configuration: settings.host, security: keys.setup)
        host.makePrivateAddresses(with: AddressPrivacy(identity: keys.identity, random: keys.setup.random))
        host.configure(advertising: sets)
        self.state = state
        self.devices = devices
        context = DeviceContext(host, tables)
        context.sets = sets.map { ($0, true) }
    }

    /// Sets the handler of host events for which devices have no handler. Events of a link have the context of the
    /// link's device: ATT_MTU, interval, RSSI, refused requests and credit-based channels. The others have the context
    /// of the first device: readiness and failure of the controller, and the state of advertising. The octets that an
    /// event's range refers to are `withHost { host, _ in host.eventOctets }`.
    public mutating func onOther(_ handler: @escaping (inout State, inout DeviceContext, HostEvent) -> Void) {
        other = handler
    }

    /// Sets the handler of a deadline that the state supplies, for delayed and aperiodic actions.
    ///
    /// - Parameters:
    ///   - deadline: the next time, nil for none; evaluated after each input.
    ///   - handler: called with the context of the first device. If the deadline is not later afterwards, the handler
    ///     is called again only with the next input.
    public mutating func onDeadline(
        _ deadline: @escaping (State) -> Instant?, _ handler: @escaping (inout State, inout DeviceContext) -> Void
    ) {
        timed = (deadline, handler)
    }

    /// Changes the state and the devices from outside of the handlers, with the context of the first device: for
    /// input from a terminal or another source.
    public mutating func act(at now: Instant, _ body: (inout State, inout DeviceContext) -> Void) {
        context.now = now
        context.device = 0
        body(&state, &context)
        handleEvents()
    }

    // MARK: - HostedDevice

    /// Starts the host: the transport to the controller is open.
    public mutating func start(at now: Instant) {
        context.now = now
        for index in timers.indices where timers[index].due == nil && work(of: timers[index]).characteristic == nil {
            timers[index].due = now + work(of: timers[index]).period
        }
        context.host.start(at: now)
        handleEvents()
    }

    /// Ends all links: the transport has been lost.
    public mutating func transportLost(at now: Instant) {
        context.now = now
        context.host.transportLost(at: now)
        handleEvents()
    }

    /// Handles one H4 packet from the controller, with its packet type octet.
    public mutating func receive(_ packet: Span<UInt8>, at now: Instant) {
        context.now = now
        context.host.receive(packet, at: now)
        handleEvents()
    }

    /// Performs the actions due at `now`.
    public mutating func advance(to now: Instant) {
        context.now = now
        context.host.advance(to: now)
        handleEvents()
        runTimers()
        handleEvents()
        if let timed, let due = timed.deadline(state), due <= now {
            context.device = 0
            timed.handler(&state, &context)
            handleEvents()
        }
    }

    /// The time of the next call of `advance`; nil if only an input can change anything.
    public var nextDeadline: Instant? {
        var earliest = context.host.nextDeadline
        for timer in timers {
            guard let due = timer.due else { continue }
            earliest = earliest.map { min($0, due) } ?? due
        }
        return Instant.earlier(earliest, timed?.deadline(state))
    }

    /// Copies the next packet for the controller into `packet`; false if the queue is empty.
    public mutating func popPacket(into packet: inout [UInt8]) -> Bool {
        context.host.outbound.popFirst(into: &packet)
    }

    /// Calls `send` with each packet for the controller, in order, and removes them all.
    public mutating func sendPackets(_ send: (Span<UInt8>) -> Void) { context.host.outbound.sendAll(send) }

    // MARK: - Timers

    private func work(of timer: PeriodicTimer) -> DeviceDefinition<State>.PeriodicWork {
        devices[timer.device].periodicWork[timer.work]
    }

    private mutating func runTimers() {
        for index in timers.indices {
            guard let due = timers[index].due, due <= context.now else { continue }
            let work = work(of: timers[index])
            let following = due + work.period
            timers[index].due = following > context.now ? following : context.now + work.period
            context.device = timers[index].device
            work.handler(&state, &context)
        }
    }

    /// Starts and stops the timers that depend on a subscription.
    private mutating func followSubscribers() {
        for index in timers.indices {
            let work = work(of: timers[index])
            guard let characteristic = work.characteristic else { continue }
            if !context.isWanted(characteristic, timers[index].device) {
                timers[index].due = nil
            } else if timers[index].due == nil {
                timers[index].due = context.now + work.period
            }
        }
    }

    // MARK: - Events

    /// Handles all pending events, including those that handlers cause.
    private mutating func handleEvents() {
        takeEvents()
        context.flush(.indication)
        let drained = context.drainedLinks
        context.drainedLinks.removeAll(keepingCapacity: true)
        for link in drained where context.place(of: link) != nil { notify(link) { $0.drained } }
        takeEvents()
        followSubscribers()
    }

    private mutating func takeEvents() {
        while let event = context.host.nextEvent() { handle(event) }
    }

    private mutating func handle(_ event: HostEvent) {
        switch event {
        case .connected(let link, let description):
            context.connections.append(DeviceContext.Connection(link: link, description: description))
            notify(link) { $0.connected }
        case .disconnected(let link, let reason):
            guard let device = select(link) else { return }
            context.connections.removeAll { $0.link == link }
            context.disconnectReason = reason
            devices[device].disconnected?(&state, &context, link)
            context.disconnectReason = nil
        case .subscribed(let link, let handle, let configuration): subscribed(link, handle, configuration)
        case .readRequested(let id, let handle, let offset): read(id, handle, offset)
        case .writeRequested(let id, let handle, let range): write(id.link, handle, range, id)
        case .written(let link, let handle, let range): write(link, handle, range, nil)
        case .confirmed(let link, let handle):
            guard let (device, index) = characteristic(link, handle) else { return }
            devices[device].characteristics[index].onConfirm?(&state, &context, link)
        case .writable: context.flush(.notification)
        case .displayPasskey(let link, let passkey): paired(link, .showPasskey(passkey))
        case .requestPasskey(let link): paired(link, .askPasskey)
        case .compare(let link, let number): paired(link, .compare(number))
        case .securityChanged(let link, let level): paired(link, .secured(level))
        case .bondRemoved(let link, let identity): paired(link, .bondRemoved(identity))
        case .paired(let link, let error): paired(link, .paired(storeError: error))
        case .pairingFailed(let link, let failure): paired(link, .failed(failure))
        case .intervalChanged(let link, _), .rssi(let link, _), .transmitPower(let link, _), .mtuExchanged(let link, _),
            .refused(let link, _), .channelOpened(let link, _, _), .channelReceived(let link, _, _),
            .channelWritable(let link, _), .channelReconfigured(let link, _, _), .channelClosed(let link, _):
            _ = select(link)
            other?(&state, &context, event)
        case .ready, .controllerFailed, .advertising, .transmitPowerUnavailable:
            context.device = 0
            other?(&state, &context, event)
        }
    }

    /// Makes the device of a link the current one.
    private mutating func select(_ link: LinkID) -> Int? {
        guard let place = context.place(of: link) else { return nil }
        context.device = context.connections[place].description.device
        return context.device
    }

    private mutating func notify(
        _ link: LinkID, _ handler: (DeviceDefinition<State>) -> DeviceDefinition<State>.LinkHandler?
    ) {
        guard let device = select(link) else { return }
        handler(devices[device])?(&state, &context, link)
    }

    private mutating func paired(_ link: LinkID, _ notice: PairingNotice) {
        guard let device = select(link) else { return }
        devices[device].paired?(&state, &context, link, notice)
    }

    /// The characteristic of a link's device whose value has this handle; makes that device the current one.
    private mutating func characteristic(_ link: LinkID, _ handle: AttributeHandle) -> (device: Int, index: Int)? {
        guard let device = select(link), let index = context.tables[device].index(of: handle) else { return nil }
        return (device, index)
    }

    private mutating func subscribed(
        _ link: LinkID, _ handle: AttributeHandle, _ configuration: ClientConfiguration
    ) {
        guard let (device, index) = characteristic(link, handle), let place = context.place(of: link) else { return }
        context.subscribed(place, index, configuration)
        devices[device].characteristics[index].onSubscribe?(&state, &context, link, configuration)
    }

    private mutating func read(_ id: AttributeRequestID, _ handle: AttributeHandle, _ offset: Int) {
        guard let (device, index) = characteristic(id.link, handle) else {
            _ = context.host.refuse(id, .unlikelyError, at: context.now)
            return
        }
        let request = ReadRequest(link: id.link, offset: offset, id: id)
        let kept = context.tables[device].values[index] ?? []
        let handler = devices[device].characteristics[index].onRead
        switch handler?(&state, &context, request) ?? .value(kept) {
        case .value(let octets):
            guard context.answer(request, octets) == .tooLong else { return }
            context.refuse(request, .unlikelyError)
        case .refuse(let error): context.refuse(request, error)
        case .later: break
        }
    }

    private mutating func write(
        _ link: LinkID, _ handle: AttributeHandle, _ range: Range<Int>, _ id: AttributeRequestID?
    ) {
        guard let (device, index) = characteristic(link, handle) else {
            if let id { _ = context.host.refuse(id, .unlikelyError, at: context.now) }
            return
        }
        let value = Array(context.host.eventOctets[range])
        let request = WriteRequest(link: link, value: value, characteristic: index, id: id)
        guard value.count <= context.tables[device].maximumCounts[index] else {
            context.refuse(request, .invalidAttributeValueLength)
            return
        }
        switch devices[device].characteristics[index].onWrite?(&state, &context, request) ?? .accept {
        case .accept: context.accept(request)
        case .refuse(let error): context.refuse(request, error)
        case .later: break
        }
    }
}
