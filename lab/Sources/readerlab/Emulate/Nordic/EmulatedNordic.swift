import Emulation
import HostLoop
import Peripheral
import Devices
import WiFiProvisioning
import Timekeeping

/// An emulated Wi-Fi chip that is provisioned over BLE.
final class EmulatedNordic: EmulatedUnit {
    private var provisioning: NordicProvisioning
    private var station: SimulatedWiFi
    private let simulation: WiFiSimulation
    private let file: NordicStateFile?
    private var table: NordicTable<CharacteristicID>?
    let name: String

    init(
        _ settings: NordicSettings, _ simulation: WiFiSimulation, stored: StoredNetworks, file: NordicStateFile?
    ) {
        provisioning = NordicProvisioning(settings, stored: stored)
        station = SimulatedWiFi(simulation)
        self.simulation = simulation
        self.file = file
        name = settings.name ?? NordicProvisioning.usualName(simulation.address)
    }

    // MARK: - Description

    var facts: [(name: String, text: String)] {
        [
            ("service", "\(NordicProvisioning.service)"), ("profile", provisioning.settings.profile.rawValue),
            ("access points", "\(simulation.accessPoints.count)"),
        ]
    }

    /// Defines the service with the same handles as `NordicService`.
    func define(_ number: Int) -> DeviceDefinition<EmulationDesk> {
        let profile = provisioning.settings.profile
        var device = DeviceDefinition<EmulationDesk>(name: name)
        device.preferredParameters = NordicService.preferredParameters
        device.server = NordicService.server(profile)
        device.pairing = NordicService.security
        device.addService(NordicProvisioning.service)
        let table = NordicTable { declaration in
            let waits = declaration.characteristic != .controlPoint || profile.queuesIndications
            return device.addCharacteristic(
                declaration.type, declaration.properties, security: declaration.security,
                configuration: declaration.configuration, sending: waits ? .queue(256) : .immediate)
        }
        self.table = table
        device.onRead(table.information) { [unowned self] desk, context, request in read(request, desk, &context) }
        device.onWrite(table.controlPoint) { [unowned self] desk, context, request in write(request, desk, &context) }
        for characteristic in [NordicCharacteristic.controlPoint, .dataOut] {
            device.onSubscribe(table[characteristic]) { desk, context, link, wanted in
                EmulatedNordic.subscribed(characteristic, wanted, link, desk, &context)
            }
        }
        device.onConfirm(table.controlPoint) { desk, context, link in
            desk.catchUp(context.now)
            desk.timeline.add(
                .confirmed(step: "answer"), device: context.device, link: link.generation, at: context.now)
        }
        return device
    }

    /// Adapts the host to the sample, which leaves the connection interval to the phone, and has one link.
    func adapt(_ host: inout HostConfiguration) {
        guard provisioning.settings.profile == .exact else { return }
        host.preferredInterval = nil
        host.links = 1
    }

    // MARK: - Events

    func start(_ desk: EmulationDesk, _ context: inout DeviceContext) {
        provisioning.start(&station, at: desk.now)
        settle(desk, &context)
    }

    var deadline: Instant? { provisioning.deadline(station) }

    func advance(_ desk: EmulationDesk, _ context: inout DeviceContext) {
        provisioning.advance(&station, to: desk.now)
        settle(desk, &context)
    }

    func began(_ link: LinkID, _ desk: EmulationDesk, _ context: inout DeviceContext) {
        provisioning.connected(link, &station, at: desk.now)
        settle(desk, &context)
    }

    func ended(_ link: LinkID, _ desk: EmulationDesk, _ context: inout DeviceContext) {
        provisioning.disconnected(link, &station, at: desk.now)
        settle(desk, &context)
    }

    func pairingFailed(_ link: LinkID, _ desk: EmulationDesk, _ context: inout DeviceContext) {
        provisioning.pairingFailed(link)
        settle(desk, &context)
    }

    func setWiFi(isUp: Bool, _ desk: EmulationDesk, _ context: inout DeviceContext) {
        station.simulation.accessPoints = isUp ? simulation.accessPoints : []
        if !isUp { station.drop() }
        advance(desk, &context)
    }

    private static func subscribed(
        _ characteristic: NordicCharacteristic, _ wanted: ClientConfiguration, _ link: LinkID, _ desk: EmulationDesk,
        _ context: inout DeviceContext
    ) {
        desk.catchUp(context.now)
        desk.timeline.add(
            .subscribed(
                to: characteristic.rawValue, notifications: wanted.contains(.notification),
                indications: wanted.contains(.indication)),
            device: context.device, link: link.generation, at: desk.now)
        desk.meet("subscribe", link, &context)
    }

    private func read(_ request: ReadRequest, _ desk: EmulationDesk, _ context: inout DeviceContext) -> ReadAnswer {
        desk.catchUp(context.now)
        let value = provisioning.readInformation(from: request.link)
        desk.timeline.add(
            .read(step: "read-version", meaning: "\(provisioning.settings.version)"), device: context.device,
            link: request.link.generation, at: desk.now)
        let faulted = FaultedRequest(desk.faults(at: "read-version", request.link, context.device))
        desk.answer(request, step: "read-version", faulted, value, &context)
        settle(desk, &context)
        return .later
    }

    private func write(
        _ request: WriteRequest, _ desk: EmulationDesk, _ context: inout DeviceContext
    ) -> WriteAnswer {
        desk.catchUp(context.now)
        let link = request.link
        let (step, meaning) = EmulatedNordic.step(request.value)
        desk.timeline.add(
            .wrote(step: step, count: request.value.count, withResponse: request.wantsAnswer, meaning: meaning),
            device: context.device, link: link.generation, at: desk.now)
        let faulted = FaultedRequest(desk.faults(at: step, link, context.device))
        if faulted.disconnectsBefore {
            desk.late(.disconnect(), faulted.delay, link, &context)
            return .later
        }
        if faulted.error == nil {
            // The indication precedes the response to the write, as in the firmware; both have its delay.
            desk.late(.nothing, faulted.delay, link, &context)
            provisioning.write(request.value.span, from: link, &station, at: desk.now)
            settle(desk, &context)
        }
        desk.answer(request, step: step, faulted, refusing: nil, why: "", &context)
        return .later
    }

    // MARK: - Actions of the chip

    private func settle(_ desk: EmulationDesk, _ context: inout DeviceContext) {
        while let action = provisioning.nextAction() { perform(action, desk, &context) }
        while let notice = provisioning.nextNotice() {
            guard let text = EmulatedNordic.words(notice) else { continue }
            desk.timeline.add(.device(text), device: context.device, at: desk.now)
        }
    }

    private func perform(_ action: NordicAction, _ desk: EmulationDesk, _ context: inout DeviceContext) {
        switch action {
        case .send(let message): send(message, desk, &context)
        case .advertise(let advertisement):
            context.advertise(
                advertisement.data, scanResponse: advertisement.scanResponse, interval: advertisement.interval)
            context.setAdvertised(true)
        case .stopAdvertising: context.setAdvertised(false)
        case .disconnect(let link, let reason): desk.late(.disconnect(reason), .zero, link, &context)
        case .store(let networks): store(networks, desk, &context)
        }
    }

    private func send(_ message: NordicMessage, _ desk: EmulationDesk, _ context: inout DeviceContext) {
        guard let table else { return }
        let link = message.link, step = message.step.rawValue
        let faults = desk.faults(at: step, link, context.device)
        var message = message
        for case .code(let code) in faults { message = message.saying(Int32(truncatingIfNeeded: code)) }
        let limit = desk.longestValue(link, context)
        if message.octets.count > limit {
            let entry = desk.timeline.add(
                .unsent(step: step, why: "longer than the \(limit) octets of the link"), device: context.device,
                link: link.generation, at: desk.now)
            desk.timeline.mistake(
                "small-mtu", "did not agree on an ATT_MTU that \(step) fits into: ask for it after connecting",
                entry: entry, device: context.device, link: link.generation, at: desk.now)
            guard let shorter = message.fitting(limit) else { return }
            message = shorter
        }
        desk.send(
            EmulationDesk.StagedValue(
                step: step, characteristic: table[message.characteristic], octets: message.octets,
                isIndication: message.isIndication, meaning: message.meaning),
            faults, to: link, &context)
    }

    private func store(_ networks: StoredNetworks, _ desk: EmulationDesk, _ context: inout DeviceContext) {
        guard let file else { return }
        var text = "the networks are kept in \(file.path)"
        do throws(EmulationError) { try file.save(networks) } catch { text = error.text }
        desk.timeline.add(.device(text), device: context.device, at: desk.now)
    }
}
