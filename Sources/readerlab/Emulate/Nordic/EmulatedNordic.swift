import Emulation
import HostLoop
import Peripheral
import Provisioning
import Timekeeping

/// A Wi-Fi chip that is provisioned over BLE, at a desk.
final class EmulatedNordic: EmulatedUnit {
    private var provisioning: NordicProvisioning
    private var station: SimulatedWiFi
    private let simulation: WiFiSimulation
    private let file: NordicStateFile?
    private var controlPoint: CharacteristicID?
    private var dataOut: CharacteristicID?
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

    // MARK: - What it is

    private var isExact: Bool { provisioning.settings.profile == .exact }

    var facts: [(name: String, text: String)] {
        [
            ("service", "\(NordicProvisioning.service)"), ("profile", provisioning.settings.profile.rawValue),
            ("access points", "\(simulation.accessPoints.count)"),
        ]
    }

    private static let requests: [(step: String, NordicOperation?, summary: String)] = [
        ("get-status", .getStatus, "an app asks for the status"),
        ("start-scan", .startScan, "an app looks for networks"),
        ("stop-scan", .stopScan, "an app has found enough"),
        ("set-config", .setConfiguration, "an app chooses a network"),
        ("forget-config", .forgetConfiguration, "an app has all networks forgotten"),
        ("other-request", nil, "an app writes anything else"),
    ]

    private static let answers: [NordicStep] = [
        .status, .scanStarted, .scanStopped, .configured, .forgotten, .refused, .undecodable,
    ]

    var steps: [EmulatedStep] {
        [
            EmulatedStep("connect", .link, "an app has connected"),
            EmulatedStep("subscribe", .link, "an app has subscribed, or ceased to"),
            EmulatedStep("read-version", .request, "an app reads the version"),
        ] + EmulatedNordic.requests.map { EmulatedStep($0.step, .request, $0.summary) }
            + NordicStep.allCases.map { step in
                let isAnswer = EmulatedNordic.answers.contains(step)
                return EmulatedStep(step.rawValue, .value, isAnswer ? "an answer, as indication" : "a notification")
            }
    }

    var expectations: AppExpectations {
        var expectations = AppExpectations()
        expectations.subscribesFirst = [
            NordicCharacteristic.controlPoint.rawValue, NordicCharacteristic.dataOut.rawValue,
        ]
        expectations.needsEncryption = true
        expectations.requests = Set(EmulatedNordic.requests.map(\.step))
        expectations.answers = Set(EmulatedNordic.answers.map(\.rawValue))
        expectations.failures = [NordicStep.connectionFailed.rawValue]
        expectations.ends = [NordicStep.connected.rawValue]
        return expectations
    }

    /// The table of `NordicService`, handle for handle.
    func define(_ number: Int) -> DeviceDefinition<EmulationDesk> {
        var device = DeviceDefinition<EmulationDesk>(name: name)
        device.preferredParameters = NordicService.preferredParameters
        device.server = NordicService.server(provisioning.settings.profile)
        device.pairing = NordicService.security
        let service = NordicProvisioning.service
        func type(_ number: UInt64) -> BluetoothUUID {
            BluetoothUUID(high: service.high + number << 32, low: service.low)
        }
        let encrypted: AttributePermissions = [.readEncrypted, .writeEncrypted]
        device.addService(service)
        let information = device.addCharacteristic(type(1), .read)
        // The firmware has one place for an indication, and drops the next one.
        let controlPoint = device.addCharacteristic(
            type(2), [.write, .indicate], security: .encrypted, configuration: encrypted,
            sending: isExact ? .immediate : .queue(256))
        let dataOut = device.addCharacteristic(type(3), .notify, configuration: encrypted, sending: .queue(256))
        self.controlPoint = controlPoint
        self.dataOut = dataOut
        device.onRead(information) { [unowned self] desk, context, request in read(request, desk, &context) }
        device.onWrite(controlPoint) { [unowned self] desk, context, request in write(request, desk, &context) }
        for (characteristic, id) in [(NordicCharacteristic.controlPoint, controlPoint), (.dataOut, dataOut)] {
            device.onSubscribe(id) { desk, context, link, wanted in
                EmulatedNordic.subscribed(characteristic, wanted, link, desk, &context)
            }
        }
        device.onConfirm(controlPoint) { desk, context, link in
            desk.catchUp(context.now)
            desk.timeline.add(
                .confirmed(step: "answer"), device: context.device, link: link.generation, at: context.now)
        }
        return device
    }

    /// The sample leaves the interval of a link to the phone, and has one link.
    func adapt(_ host: inout HostConfiguration) {
        guard isExact else { return }
        host.preferredInterval = nil
        host.links = 1
    }

    // MARK: - What happens

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
            // The indication goes before the answer to the write, as in the firmware; both are as late as it is.
            desk.late(.nothing, faulted.delay, link, &context)
            provisioning.write(request.value.span, from: link, &station, at: desk.now)
            settle(desk, &context)
        }
        desk.answer(request, step: step, faulted, refusing: nil, why: "", &context)
        return .later
    }

    /// Which step a request is, and what it says; a network's name, never its passphrase.
    static func step(_ octets: [UInt8]) -> (String, String) {
        guard let request = try? NordicRequest(decoding: octets.span, in: 0..<octets.count) else {
            return ("other-request", "what is no request")
        }
        let name = request.configuration?.network?.wifiName.map { "network \($0)" }
        for (step, operation, _) in requests where operation != nil && operation == request.operation {
            return (step, name ?? "")
        }
        return ("other-request", request.operation.map { "operation \($0.rawValue)" } ?? "no operation")
    }

    // MARK: - What the chip wants

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
        guard let characteristic = message.characteristic == .controlPoint ? controlPoint : dataOut else { return }
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
            guard let shorter = message.shorter, shorter.count <= limit else { return }
            message.octets = shorter
        }
        desk.send(
            EmulationDesk.StagedValue(
                step: step, characteristic: characteristic, octets: message.octets,
                isIndication: message.characteristic == .controlPoint, meaning: message.meaning),
            faults, to: link, &context)
    }

    private func store(_ networks: StoredNetworks, _ desk: EmulationDesk, _ context: inout DeviceContext) {
        guard let file else { return }
        var text = "the networks are kept in \(file.path)"
        do throws(EmulationError) { try file.save(networks) } catch { text = error.text }
        desk.timeline.add(.device(text), device: context.device, at: desk.now)
    }

    /// What the app does not see; what it sees is told otherwise.
    static func words(_ notice: NordicNotice) -> String? {
        switch notice {
        case .informationRead, .requested, .undecodable, .subscribed, .confirmed, .sent, .notSent: nil
        case .joining(let name, let reason): "Wi-Fi: tries \(name) (\(reason.rawValue))"
        case .joined(let name, let address): "Wi-Fi: is in \(name)\(address.map { ", \($0)" } ?? "")"
        case .joinFailed(let name, let failure): "Wi-Fi: did not get into \(name): \(failure)"
        case .lost: "Wi-Fi: lost its network"
        case .stored(let name, let isVolatile): "stored \(name)\(isVolatile ? " in memory only" : "")"
        case .notStored(let name): "did not store \(name): there is no room, and the app is not told"
        case .forgotten: "forgot all networks"
        case .recordLeftOut(let name): "did not tell of \(name): its name is not UTF-8"
        }
    }
}
