// SPDX-License-Identifier: Apache-2.0

import Commands
package import Devices
import Emulation
package import HostLoop
package import NordicProvisioning
package import Peripheral
package import Timekeeping
import WiFi
package import WiFiStation

/// An emulated Wi-Fi chip that is provisioned over BLE.
package final class EmulatedNordic: EmulatedUnit {
    private var provisioning: NordicProvisioning
    private var station: SimulatedWiFi
    private let simulation: WiFiSimulation
    private let file: NordicStateFile?
    private var table: NordicTable<CharacteristicID>?
    package let name: String

    package init(
        _ settings: NordicSettings, _ simulation: WiFiSimulation, stored: StoredNetworks, file: NordicStateFile?
    ) {
        provisioning = NordicProvisioning(settings, stored: stored)
        station = SimulatedWiFi(simulation)
        station.staysWithoutAddress = settings.profile == .exact
        self.simulation = simulation
        self.file = file
        name = settings.name ?? NordicProvisioning.usualName(simulation.address)
    }

    // MARK: - Description

    package var wifi: SimulatedWiFi? { station }

    package var facts: [(name: String, text: String)] {
        [
            ("service", "\(provisioning.settings.uuids.service)"), ("profile", provisioning.settings.profile.rawValue),
            ("access points", "\(simulation.accessPoints.count)"),
        ]
    }

    /// Defines the service with the same handles as `NordicService`.
    package func define(_ number: Int) -> DeviceDefinition<EmulationSession> {
        let profile = provisioning.settings.profile
        var device = DeviceDefinition<EmulationSession>(name: name)
        device.preferredParameters = NordicService.preferredParameters
        device.server = NordicService.server(profile)
        device.pairing = NordicService.security
        device.addService(provisioning.settings.uuids.service)
        let table = NordicTable(uuids: provisioning.settings.uuids) { declaration in
            let waits = declaration.characteristic != .controlPoint || profile.queuesIndications
            return device.addCharacteristic(
                declaration.type, declaration.properties, security: declaration.security,
                configuration: declaration.configuration, sending: waits ? .queue(256) : .immediate)
        }
        self.table = table
        device.onRead(table.information) { [unowned self] session, context, request in read(request, session, &context)
        }
        device.onWrite(table.controlPoint) { [unowned self] session, context, request in
            write(request, session, &context)
        }
        for characteristic in [NordicCharacteristic.controlPoint, .dataOut] {
            device.onSubscribe(table[characteristic]) { session, context, link, wanted in
                session.subscribed(to: characteristic.rawValue, wanted, link, &context)
            }
        }
        device.onConfirm(table.controlPoint) { session, context, link in
            session.catchUp(context.now)
            session.add(.confirmed(step: "answer"), link, context)
        }
        return device
    }

    /// Adapts the host to Nordic's sample, which has one link and leaves the connection interval to the phone.
    package func adapt(_ host: inout HostConfiguration) {
        guard provisioning.settings.profile == .exact else { return }
        host.preferredInterval = nil
        host.links = 1
    }

    // MARK: - Events

    package func start(_ session: EmulationSession, _ context: inout DeviceContext) {
        provisioning.start(&station, at: session.now)
        settle(session, &context)
    }

    package var deadline: Instant? { provisioning.deadline(station) }

    package func advance(_ session: EmulationSession, _ context: inout DeviceContext) {
        provisioning.advance(&station, to: session.now)
        settle(session, &context)
    }

    package func began(_ link: LinkID, _ session: EmulationSession, _ context: inout DeviceContext) {
        provisioning.connected(link, &station, at: session.now)
        settle(session, &context)
    }

    package func ended(_ link: LinkID, _ session: EmulationSession, _ context: inout DeviceContext) {
        provisioning.disconnected(link, &station, at: session.now)
        settle(session, &context)
    }

    package func pairingFailed(_ link: LinkID, _ session: EmulationSession, _ context: inout DeviceContext) {
        provisioning.pairingFailed(link)
        settle(session, &context)
    }

    package func change(_ wifi: WiFiChange, _ session: EmulationSession, _ context: inout DeviceContext) -> Bool {
        defer { advance(session, &context) }
        return station.change(wifi, at: session.now)
    }

    private func read(_ request: ReadRequest, _ session: EmulationSession, _ context: inout DeviceContext) -> ReadAnswer
    {
        session.answer(
            request, step: "read-version", meaning: "\(provisioning.settings.version)",
            provisioning.readInformation(from: request.link), &context)
        settle(session, &context)
        return .later
    }

    private func write(
        _ request: WriteRequest, _ session: EmulationSession, _ context: inout DeviceContext
    ) -> WriteAnswer {
        let (step, meaning) = EmulatedNordic.step(request.value)
        guard let (_, faulted) = session.wrote(request, step: step, meaning: meaning, &context) else { return .later }
        if faulted.error == nil {
            // As in the firmware, the indication precedes the response to the write; both have its delay.
            session.late(.nothing, faulted.delay, request.link, &context)
            provisioning.write(request.value.span, from: request.link, &station, at: session.now)
            settle(session, &context)
        }
        session.answer(request, step: step, faulted, refusing: nil, why: "", &context)
        return .later
    }

    // MARK: - Actions of the chip

    private func settle(_ session: EmulationSession, _ context: inout DeviceContext) {
        while let action = provisioning.nextAction() { perform(action, session, &context) }
        while let notice = provisioning.nextNotice() {
            if let text = EmulatedNordic.words(notice) { session.report(text, context) }
        }
    }

    private func perform(_ action: NordicAction, _ session: EmulationSession, _ context: inout DeviceContext) {
        switch action {
        case .send(let message): send(message, session, &context)
        case .advertise(let advertisement):
            context.advertise(
                advertisement.data, scanResponse: advertisement.scanResponse, interval: advertisement.interval)
            context.setAdvertised(true)
        case .stopAdvertising: context.setAdvertised(false)
        case .disconnect(let link, let reason): session.late(.disconnect(reason), .zero, link, &context)
        case .store(let networks): store(networks, session, &context)
        }
    }

    private func send(_ message: NordicMessage, _ session: EmulationSession, _ context: inout DeviceContext) {
        guard let table else { return }
        let link = message.link, step = message.step.rawValue
        let faults = session.faults(at: step, link, context.device)
        var message = message
        for case .code(let code) in faults { message = message.saying(Int32(truncatingIfNeeded: code)) }
        let limit = session.longestValue(link, context)
        if message.octets.count > limit {
            let entry = session.add(
                .unsent(step: step, why: "longer than the \(limit) octets of the link"), link, context)
            session.reviewRoom(for: step, message.octets.count, link, entry, context)
            guard let shorter = message.fitting(limit) else { return }
            message = shorter
        }
        session.send(
            EmulationSession.StagedValue(
                step: step, characteristic: table[message.characteristic], name: message.characteristic.rawValue,
                octets: message.octets, isIndication: message.isIndication, meaning: message.meaning),
            faults, to: link, &context)
    }

    private func store(_ networks: StoredNetworks, _ session: EmulationSession, _ context: inout DeviceContext) {
        guard let file else { return }
        var text = "the networks are kept in \(file.path)"
        do throws(CommandError) { try file.save(networks) } catch { text = error.text }
        session.report(text, context)
    }
}
