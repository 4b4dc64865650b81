// SPDX-License-Identifier: Apache-2.0

package import Emulation
package import HostLoop
package import Peripheral
package import Devices
package import Timekeeping
import WiFi
import WiFiStation

/// An emulated Smarter AI camera.
package final class EmulatedCamera: EmulatedUnit {
    private let profile: CameraProfile
    private let file: CameraFile?
    private var camera: Camera
    private var station: SimulatedWiFi
    private var value: CharacteristicID?
    /// The last write of credentials; events of their interpretation refer to it.
    private var written: (entry: Int, link: UInt32)?
    /// The links whose last status was changed by a fault, so that their apps know another status than the camera's.
    private var misled: Set<LinkID> = []
    /// The last status, and the time since which apps may know it.
    private var known: (status: CameraStatus, since: Instant)?
    /// The time within which a new status reaches an app.
    private static let newsTime = Duration.milliseconds(500)

    /// The name of the subscribed value in the timeline.
    static let subscribable = "the camera's value"

    package init(
        _ profile: CameraProfile, _ start: CameraStart, _ simulation: WiFiSimulation, _ policy: PairingServer.Policy,
        file: CameraFile?
    ) {
        self.profile = profile
        self.file = file
        station = SimulatedWiFi(simulation)
        var settings = profile.settings
        settings.connectivityScript = simulation.scripts[.connectivity]
        settings.pairingScript = simulation.scripts[.pairing]
        camera = Camera(start, settings: settings, server: PairingServer(policy))
    }

    // MARK: - Description

    package var name: String { profile.name }

    package var facts: [(name: String, text: String)] {
        [
            ("service", "\(profile.service)"), ("characteristic", "\(profile.characteristic)"),
            ("write", "\(profile.write ?? profile.characteristic)"),
            ("layout", "\(profile.settings.layout) (assumed)"), ("state", "\(camera.status)"),
        ]
    }

    package var wifi: SimulatedWiFi? { station }

    package var steps: [EmulatedStep] { EmulatedCamera.steps }

    /// The steps of all cameras.
    package static var steps: [EmulatedStep] {
        // 109 is never notified as a change: it is read, or sent to a new subscriber.
        let values = CameraSignal.notifications.filter { $0 != .notReady }.compactMap { signal in
            signal.name.map { EmulatedStep($0, .value, "the value whose notification state is \(signal.rawValue)") }
        }
        return [
            EmulatedStep("connect", .connection, "an app has connected"),
            EmulatedStep("subscribe", .link, "an app has subscribed, or ceased to"),
            EmulatedStep("read", .request, "an app reads the value"),
            EmulatedStep("credentials", .request, "an app writes credentials, or a part of them"),
            EmulatedStep("status", .value, "the value that a new subscriber is sent"),
        ] + values
    }

    package var expectations: AppExpectations {
        var expectations = AppExpectations()
        expectations.begins = ["credentials"]
        expectations.concludes = Set([CameraSignal.onboarded, .serverClosing].compactMap(\.name))
        expectations.failures = Set(CameraSignal.all.filter(\.isFailure).compactMap(\.name))
        return expectations
    }

    package func define(_ number: Int) -> DeviceDefinition<EmulationSession> {
        var device = DeviceDefinition<EmulationSession>(name: profile.name)
        device.addService(profile.service)
        let sending: CharacteristicProperties = profile.isIndicated ? .indicate : .notify
        let writing: CharacteristicProperties = [.write, .writeWithoutResponse]
        let hasOwn = profile.write.map { $0 != profile.characteristic } ?? false
        // One onboarding sends about 20 diagnostic values, none of which may be lost for lack of room.
        let value = device.addCharacteristic(
            profile.characteristic, hasOwn ? [.read, sending] : [.read, sending, writing], sending: .queue(64))
        self.value = value
        device.onRead(value) { [unowned self] session, context, request in read(request, session, &context) }
        device.onSubscribe(value) { [unowned self] session, context, link, wanted in
            subscribed(wanted, link, session, &context)
        }
        let credentials =
            hasOwn ? device.addCharacteristic(profile.write ?? profile.characteristic, writing) : value
        device.onWrite(credentials) { [unowned self] session, context, request in write(request, session, &context) }
        return device
    }

    // MARK: - Events

    package func start(_ session: EmulationSession, _ context: inout DeviceContext) {
        camera.start(&station, at: session.now)
        settle(session, &context)
    }

    package var deadline: Instant? { .earlier(camera.deadline, station.deadline) }

    package func advance(_ session: EmulationSession, _ context: inout DeviceContext) {
        camera.advance(to: session.now, &station)
        settle(session, &context)
    }

    package func ended(_ link: LinkID, _ session: EmulationSession, _ context: inout DeviceContext) {
        misled.remove(link)
        camera.clientGone(link.generation, at: session.now)
    }

    package func change(_ wifi: WiFiChange, _ session: EmulationSession, _ context: inout DeviceContext) -> Bool {
        defer { advance(session, &context) }
        return station.change(wifi, at: session.now)
    }

    private func read(_ request: ReadRequest, _ session: EmulationSession, _ context: inout DeviceContext) -> ReadAnswer
    {
        session.answer(
            request, step: "read", meaning: "\(camera.status)",
            camera.settings.layout.encodedNumbers(camera.status), &context)
        return .later
    }

    private func subscribed(
        _ wanted: ClientConfiguration, _ link: LinkID, _ session: EmulationSession, _ context: inout DeviceContext
    ) {
        session.subscribed(to: EmulatedCamera.subscribable, wanted, link, &context)
        guard camera.settings.tellsSubscribers, !wanted.isDisjoint(with: [.notification, .indication]) else { return }
        let (status, text) = camera.tellNow()
        send(status, text, step: "status", session.faults(at: "status", link, context.device), link, session, &context)
    }

    private func write(
        _ request: WriteRequest, _ session: EmulationSession, _ context: inout DeviceContext
    ) -> WriteAnswer {
        let link = request.link
        guard let (entry, faulted) = session.wrote(request, step: "credentials", &context) else { return .later }
        let refusal = camera.refusal(of: link.generation)
        // The camera's values follow the response, as apps observe them.
        session.answer(
            request, step: "credentials", faulted, refusing: refusal.map(profile.error),
            why: refusal.map { EmulatedCamera.why($0) } ?? "", &context)
        if let refusal {
            guard !misled.contains(link), !isNews(to: link, session) else { return .later }
            let what = refusal == .busy ? "wrote-while-busy" : "wrote-at-wrong-time"
            session.timeline.mistake(
                what,
                "wrote credentials when the camera took none: \(EmulatedCamera.why(refusal)); look at its states first",
                entry: entry, device: context.device, link: link.generation, at: session.now)
            return .later
        }
        guard faulted.error == nil else { return .later }
        written = (entry, link.generation)
        try? camera.write(request.value.span, client: link.generation, &station, at: session.now)
        settle(session, &context)
        return .later
    }

    /// True if the state is so recent that the app may not know it: another app's credentials, or the camera itself,
    /// have changed it.
    private func isNews(to link: LinkID, _ session: EmulationSession) -> Bool {
        guard let known, written?.link != link.generation else { return false }
        return session.now - known.since < EmulatedCamera.newsTime
    }

    private static func why(_ refusal: CameraRefusal) -> String {
        switch refusal {
        case .busy: "it is busy with credentials (155)"
        case .notReady: "it tries credentials that it has (109)"
        case .online: "it is onboarded and online (113, 1501)"
        case .closing: "it is about to close (1307)"
        }
    }

    // MARK: - Actions of the camera

    private func settle(_ session: EmulationSession, _ context: inout DeviceContext) {
        while let action = camera.nextAction() { perform(action, session, &context) }
    }

    private func perform(_ action: CameraAction, _ session: EmulationSession, _ context: inout DeviceContext) {
        switch action {
        case .tell(let status, let text):
            context.setAdvertised(camera.isAdvertised)
            report(status, text, session, &context)
        case .understood(let credentials, let form, let writes):
            let many = writes == 1 ? "1 write" : "\(writes) writes"
            add(
                .understood(step: "credentials", meaning: "\(credentials); form \(form.rawValue), \(many)"), session,
                context)
            if credentials.hasCarriageReturns { reviewLineEnds(session, context) }
        case .misunderstood(let fault, let writes): misunderstood(fault, writes, session, context)
        case .redeemed(let verdict): session.report("the server answers: \(verdict)", context)
        case .keep(let credentials): keep(credentials, session, context)
        case .close:
            context.setAdvertised(camera.isAdvertised)
            session.report("the GATT server closes", context)
            // Disconnects after the values that a fault delays.
            for link in context.links { session.late(.disconnect(), .zero, link, &context) }
        }
    }

    private func add(_ event: TimelineEntry.Event, _ session: EmulationSession, _ context: borrowing DeviceContext) {
        session.timeline.add(event, device: context.device, link: written?.link, at: session.now)
    }

    private func reviewLineEnds(_ session: EmulationSession, _ context: borrowing DeviceContext) {
        guard let written else { return }
        session.timeline.mistake(
            "carriage-returns",
            "ended its lines with CR LF: the CR belongs to the name, the passphrase and the user; end them with LF alone",
            entry: written.entry, device: context.device, link: written.link, at: session.now)
    }

    private func misunderstood(
        _ fault: CameraCredentialsFault, _ writes: Int, _ session: EmulationSession, _ context: borrowing DeviceContext
    ) {
        add(.understood(step: "credentials", meaning: "not readable: \(fault)"), session, context)
        guard let written else { return }
        var pause = ""
        if case .incomplete = fault { pause = ", and no more for \(camera.settings.quietTime.wholeMilliseconds) ms" }
        let (rule, remedy) =
            fault == .noTrailingNewline
            ? ("no-trailing-newline", "end the fourth line with a line feed")
            : (
                "unreadable-credentials",
                "write ssid, password, userId and pairingToken, each with a line feed behind it"
            )
        session.timeline.mistake(
            rule, "wrote credentials that cannot be read, \(fault)\(pause): \(remedy)", entry: written.entry,
            device: context.device, link: written.link, at: session.now)
    }

    private func keep(
        _ credentials: CameraCredentials, _ session: EmulationSession, _ context: borrowing DeviceContext
    ) {
        guard let file else { return }
        session.report(file.save(credentials) ?? "the credentials are kept in \(file.path)", context)
    }

    private func report(
        _ status: CameraStatus, _ text: String, _ session: EmulationSession, _ context: inout DeviceContext
    ) {
        if known?.status != status { known = (status, session.now) }
        guard !context.links.isEmpty else { return session.report("says to nobody: \(status)", context) }
        let step = status.notification.name ?? "status"
        let faults = session.faults(at: step, nil, context.device)
        for link in context.links { send(status, text, step: step, faults, link, session, &context) }
    }

    private func send(
        _ status: CameraStatus, _ text: String, step: String, _ faults: [Fault], _ link: LinkID,
        _ session: EmulationSession,
        _ context: inout DeviceContext
    ) {
        guard let value else { return }
        var status = status
        if faults.isEmpty { misled.remove(link) } else { misled.insert(link) }
        for case .code(let code) in faults {
            status.notification = CameraSignal(rawValue: Int32(truncatingIfNeeded: code))
        }
        let settings = camera.settings
        let limit = session.longestValue(link, context)
        let values = settings.layout.values(status, text: text, limit: limit, settings.overflow)
        var entry: Int?
        if values.isEmpty {
            entry = session.add(.unsent(step: step, why: "the numbers have more than \(limit) octets"), link, context)
        }
        for octets in values {
            let said = octets.dropFirst(settings.layout.fixedCount)
            let words = String(decoding: said, as: UTF8.self).split(separator: "\n").joined(separator: " ")
            let isCut = settings.layout.hasText && said.count < text.utf8.count
            session.send(
                EmulationSession.StagedValue(
                    step: step, characteristic: value, name: EmulatedCamera.subscribable, octets: octets,
                    isIndication: profile.isIndicated,
                    meaning: "\(status)\(words.isEmpty ? "" : ": ")\(words)\(isCut ? "…" : "")"),
                faults, to: link, &context)
            if isCut, settings.overflow != .split { entry = session.timeline.count }
        }
        guard let entry, context.subscribers(of: value).contains(link) else { return }
        session.reviewRoom(for: step, settings.layout.fixedCount + text.utf8.count, link, entry, context)
    }
}
