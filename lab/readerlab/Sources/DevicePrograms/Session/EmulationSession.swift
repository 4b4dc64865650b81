// SPDX-License-Identifier: Apache-2.0

package import Emulation
package import HostLoop
package import Peripheral
package import Timekeeping

/// The shared state of an emulation's devices: the timeline, pending faults, delayed actions.
package final class EmulationSession {
    /// A value to send.
    package struct StagedValue {
        package var step: String
        package var characteristic: CharacteristicID
        /// The name of the characteristic in `subscribed`.
        package var name: String
        package var octets: [UInt8]
        var isIndication: Bool
        package var meaning: String
    }

    /// An action that can be delayed.
    package enum Late {
        case value(StagedValue)
        case answer(WriteRequest, step: String, ATTErrorCode?, why: String)
        case reading(ReadRequest, step: String, [UInt8], ATTErrorCode?)
        case disconnect(HCIStatus = .remoteUserTerminated)
        /// No action, only a delay of the actions that follow.
        case nothing
    }

    /// The delay before a fault disconnects, in which the controller sends the preceding values.
    static let disconnectTime = Duration.milliseconds(100)

    package let units: [any EmulatedUnit]
    package var timeline: Timeline
    package var plan: FaultPlan
    /// The ATT_MTU that limits values; nil for the negotiated one.
    package var mtu: Int?
    /// The limit of the scenario on the ATT_MTU of the exchange.
    private let offeredMTU: Int
    /// Called when a command ends the emulation.
    package var quit: () -> Void = {}
    /// The time of the last input.
    package private(set) var now = Instant.origin
    private var schedule: CommandSchedule<EmulationCommand>
    private var isReady = false
    /// True if the controller is ready, and the timeline does not contain that yet.
    private var isReadyDue = false
    /// The devices for which the controller has repeatedly refused to advertise.
    private var refusedDevices: Set<UInt8> = []
    private var queues: [LinkID: LateQueue<Late>] = [:]
    private var ending: Set<LinkID> = []
    /// The links whose ATT_MTU was found too small.
    private var cramped: Set<LinkID> = []
    /// The addresses of the connected peers, and the devices that they are connected to.
    private var peers: [LinkID: (address: BluetoothAddress, device: Int)] = [:]

    init(_ units: [any EmulatedUnit], scenario: EmulationScenario = EmulationScenario(), start: Instant = .origin) {
        self.units = units
        offeredMTU = scenario.mtu ?? .max
        plan = FaultPlan(scenario.faults)
        schedule = CommandSchedule(scenario.events)
        timeline = Timeline(start: start, expectations: units.map(\.expectations))
    }

    /// The steps of the devices, without repetition.
    package static func steps(of units: [any EmulatedUnit]) -> [EmulatedStep] {
        units.flatMap(\.steps).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// Returns a line for each name of a step. If kinds of device share a name, the line states the meaning for each.
    static func stepLines(of units: [any EmulatedUnit]) -> [String] {
        let steps = steps(of: units)
        let names = steps.map(\.name).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        return names.map { name in
            let meanings = steps.filter { $0.name == name }.map { $0.description.dropFirst(name.count + 1) }
            return "\(name) " + meanings.joined(separator: "; or ")
        }
    }

    /// Adds an event of a link to the timeline, and returns its number.
    @discardableResult
    package func add(_ event: TimelineEntry.Event, _ link: LinkID, _ context: borrowing DeviceContext) -> Int {
        timeline.add(event, device: context.device, link: link.generation, at: now)
    }

    /// Adds a message of a device to the timeline.
    package func report(_ text: String, _ context: borrowing DeviceContext) {
        timeline.add(.device(text), device: context.device, at: now)
    }

    // MARK: - Time

    package var deadline: Instant? {
        var earliest = timeline.deadline
        for unit in units { earliest = .earlier(earliest, unit.deadline) }
        for queue in queues.values { earliest = .earlier(earliest, queue.deadline) }
        return .earlier(earliest, schedule.deadline)
    }

    /// Records the time of an input.
    func catchUp(_ now: Instant) { self.now = now }

    /// Handles the readiness of the controller; the first time, starts the devices.
    package func ready(_ context: inout DeviceContext) {
        now = context.now
        if !isReady {
            isReady = true
            schedule.begin(at: now)
            timeline = Timeline(start: now, expectations: units.map(\.expectations))
            for (number, unit) in units.enumerated() {
                _ = context.withDevice(number) { unit.start(self, &$0) }
            }
        }
        isReadyDue = true
        // With advertising, readiness is reported once the controller has confirmed it.
        if !context.advertisesAny { tellReady() }
    }

    private func tellReady() {
        guard isReadyDue else { return }
        isReadyDue = false
        timeline.add(.ready, device: nil, at: now)
    }

    /// Handles the controller's answers about advertising. The identifier of a set is the index of its device.
    func advertisingChanged(_ status: AdvertisingStatus, _ context: inout DeviceContext) {
        now = context.now
        if !status.onAir.isEmpty { tellReady() }
        for refusal in status.refusals where refusal.isRepeated && refusedDevices.insert(refusal.set).inserted {
            timeline.add(
                .happened("advertising", text: "not on the air, and tried again: \(refusal)"),
                device: Int(refusal.set), at: now)
        }
        for set in status.onAir where refusedDevices.remove(set) != nil {
            timeline.add(.happened("advertising", text: "on the air"), device: Int(set), at: now)
        }
    }

    package func advance(_ context: inout DeviceContext) {
        now = context.now
        while let command = schedule.next(at: now) {
            for line in execute(command, &context) {
                timeline.add(.command(line, isTyped: false), device: nil, at: now)
            }
        }
        for link in queues.keys.sorted(by: { $0.generation < $1.generation }) { doLate(link, &context) }
        for (number, unit) in units.enumerated() {
            _ = context.withDevice(number) { unit.advance(self, &$0) }
        }
        timeline.advance(to: now)
    }

    // MARK: - Links

    /// Installs the session's handlers for a device's links.
    package func watch(_ definition: inout DeviceDefinition<EmulationSession>, _ number: Int) {
        definition.server.reportsRefusals = true
        definition.onConnect { session, context, link in
            session.catchUp(context.now)
            let peer = context.description(of: link).map { "\($0.peer)" } ?? ""
            session.timeline.add(.connected(peer: peer), device: number, link: link.generation, at: context.now)
            if let peer = context.description(of: link)?.peer { session.peers[link] = (peer, number) }
            let faults = FaultedRequest(session.faults(at: "connect", link, number))
            if faults.isRefused { return session.end(link, reason: .remoteLowResources, &context) }
            if faults.disconnectsAfter { session.endSoon(link, context) }
            session.units[number].began(link, session, &context)
        }
        definition.onDisconnect { session, context, link in
            session.catchUp(context.now)
            session.queues[link] = nil
            session.cramped.remove(link)
            session.peers[link] = nil
            let byDevice = session.ending.remove(link) != nil
            let reason = context.disconnectReason ?? .remoteUserTerminated
            session.timeline.add(
                .disconnected(reason: reason.rawValue, byDevice: byDevice), device: number, link: link.generation,
                at: context.now)
            session.units[number].ended(link, session, &context)
        }
        definition.onPairing { session, context, link, notice in
            session.catchUp(context.now)
            guard let (text, isEncrypted) = EmulationSession.words(notice, context.securityLevel(link)) else { return }
            session.timeline.add(
                .secured(text, isEncrypted: isEncrypted), device: number, link: link.generation, at: context.now)
            if case .failed = notice { session.units[number].pairingFailed(link, session, &context) }
        }
    }

    private static func words(_ notice: PairingNotice, _ level: LinkSecurityLevel) -> (String, Bool)? {
        switch notice {
        case .secured(let level):
            (level.isEncrypted ? "the link is encrypted" : "the link is not encrypted", level.isEncrypted)
        case .paired: ("paired", level.isEncrypted)
        case .bondRemoved(let identity): ("the bond of \(identity) makes room for the app's", level.isEncrypted)
        case .failed(let failure): ("pairing failed: \(EmulationLine.text(failure))", level.isEncrypted)
        case .showPasskey, .askPasskey, .compare: nil
        }
    }

    /// The faults of a pairing that a peer begins, which are recorded in the timeline of its link.
    func faultsOfPairing(_ peer: BluetoothAddress, at now: Instant) -> [Fault] {
        catchUp(now)
        let known = peers.first { $0.value.address.value == peer.value }
        return faults(at: "pairing", known?.key, known?.value.device ?? 0)
    }

    /// Records that the device ends a link.
    func markEnding(_ link: LinkID) { ending.insert(link) }

    /// Ends a link, and records that the device ended it.
    package func end(_ link: LinkID, reason: HCIStatus = .remoteUserTerminated, _ context: inout DeviceContext) {
        ending.insert(link)
        context.disconnect(link, reason: reason)
    }

    /// Injects the faults of a step that can only end the link.
    func meet(_ step: String, _ link: LinkID, _ context: inout DeviceContext) {
        let faults = self.faults(at: step, link, context.device)
        if FaultedRequest(faults).disconnectsAfter { endSoon(link, context) }
    }

    // MARK: - Faults

    /// The faults of a step, recorded in the timeline.
    package func faults(at step: String, _ link: LinkID?, _ device: Int) -> [Fault] {
        let faults = plan.faults(at: step, device: device)
        for fault in faults {
            timeline.add(.fault(step: step, "\(fault)"), device: device, link: link?.generation, at: now)
        }
        return faults
    }

    /// The current maximum length in octets of a value on a link.
    func longestValue(_ link: LinkID, _ context: borrowing DeviceContext) -> Int {
        min(context.longestValue(link), (mtu ?? EmulationCommand.mtus.upperBound) - 3)
    }

    /// Reports a value of this length that does not fit the link, if the app is the cause: it has agreed on a smaller
    /// ATT_MTU than was offered, and no command limits values.
    func reviewRoom(for step: String, _ count: Int, _ link: LinkID, _ entry: Int, _ context: borrowing DeviceContext) {
        let agreed = context.longestValue(link)
        guard agreed < count, agreed + 3 < offeredMTU, cramped.insert(link).inserted else { return }
        timeline.mistake(
            "small-mtu",
            "agreed on an ATT_MTU of \(agreed + 3), into which \(step) of \(count) octets does not fit: ask for more after "
                + "connecting", entry: entry, device: context.device, link: link.generation, at: now)
    }

    /// Sends a value, modified by its faults.
    package func send(_ value: StagedValue, _ faults: [Fault], to link: LinkID, _ context: inout DeviceContext) {
        let faulted = FaultedValue(value.octets, faults)
        if faulted.disconnectsBefore { return late(.disconnect(), faulted.delay, link, &context) }
        if faulted.octets.isEmpty {
            add(.unsent(step: value.step, why: "dropped: \(value.meaning)"), link, context)
        }
        var delay = faulted.delay
        for octets in faulted.octets {
            var one = value
            if octets != value.octets {
                one.octets = Array(octets.prefix(longestValue(link, context)))
                one.meaning = "malformed, \(one.octets.count) octets"
            }
            late(.value(one), delay, link, &context)
            delay = .zero
        }
        if faulted.disconnectsAfter { endSoon(link, context) }
    }

    /// Answers a write at once or later; subsequent values follow the answer.
    package func answer(
        _ request: WriteRequest, step: String, _ faulted: FaultedRequest, refusing error: ATTErrorCode?, why: String,
        _ context: inout DeviceContext
    ) {
        let error = faulted.error.map { ATTErrorCode(rawValue: $0) } ?? error
        let why = faulted.error == nil ? why : "as a fault"
        late(.answer(request, step: step, error, why: why), faulted.delay, request.link, &context)
        if faulted.disconnectsAfter { endSoon(request.link, context) }
    }

    /// Records a subscription to a value, and injects the faults of the step.
    package func subscribed(
        to name: String, _ wanted: ClientConfiguration, _ link: LinkID, _ context: inout DeviceContext
    ) {
        catchUp(context.now)
        add(
            .subscribed(
                to: name, notifications: wanted.contains(.notification), indications: wanted.contains(.indication)),
            link, context)
        meet("subscribe", link, &context)
    }

    /// Records a write. Returns its number in the timeline and its faults; nil if a fault ends the link first.
    func wrote(
        _ request: WriteRequest, step: String, meaning: String = "", _ context: inout DeviceContext
    ) -> (entry: Int, faulted: FaultedRequest)? {
        catchUp(context.now)
        let entry = add(
            .wrote(step: step, count: request.value.count, withResponse: request.wantsAnswer, meaning: meaning),
            request.link, context)
        let faulted = FaultedRequest(faults(at: step, request.link, context.device))
        guard faulted.disconnectsBefore else { return (entry, faulted) }
        late(.disconnect(), faulted.delay, request.link, &context)
        return nil
    }

    /// Records a read, and answers it at once or later.
    package func answer(
        _ request: ReadRequest, step: String, meaning: String, _ octets: [UInt8], _ context: inout DeviceContext
    ) {
        catchUp(context.now)
        add(.read(step: step, meaning: meaning), request.link, context)
        let faulted = FaultedRequest(faults(at: step, request.link, context.device))
        if faulted.disconnectsBefore { return late(.disconnect(), faulted.delay, request.link, &context) }
        let error = faulted.error.map { ATTErrorCode(rawValue: $0) }
        late(.reading(request, step: step, octets, error), faulted.delay, request.link, &context)
        if faulted.disconnectsAfter { endSoon(request.link, context) }
    }

    // MARK: - Delayed actions

    /// Queues an action after the link's waiting ones.
    package func late(_ thing: Late, _ delay: Duration, _ link: LinkID, _ context: inout DeviceContext) {
        guard context.description(of: link) != nil else { return }
        if case .value = thing, queues[link]?.isEnding == true { return }
        // The controller needs time to send the values that a fault has delayed.
        let gap = if case .disconnect = thing { EmulationSession.disconnectTime } else { Duration.zero }
        queues[link, default: LateQueue()].add(thing, delay: delay, behind: gap, at: now)
        doLate(link, &context)
    }

    /// Ends a link once the controller has sent the preceding values. Until then requests are still answered, since a
    /// value may precede the response to the write that caused it, but no other value is sent.
    private func endSoon(_ link: LinkID, _ context: borrowing DeviceContext) {
        guard context.description(of: link) != nil else { return }
        queues[link, default: LateQueue()].end(with: .disconnect(), delay: EmulationSession.disconnectTime, at: now)
    }

    private func doLate(_ link: LinkID, _ context: inout DeviceContext) {
        guard let device = context.description(of: link)?.device else {
            queues[link] = nil
            return
        }
        _ = context.withDevice(device) { context in
            while let thing = queues[link]?.next(at: now) { perform(thing, link, &context) }
        }
        if queues[link]?.isEmpty == true { queues[link] = nil }
    }

    private func perform(_ thing: Late, _ link: LinkID, _ context: inout DeviceContext) {
        switch thing {
        case .value(let value): deliver(value, link, &context)
        case .answer(let request, let step, let error?, let why):
            add(.refused(step: step, error: error.rawValue, why: why), link, context)
            context.refuse(request, error)
        case .answer(let request, _, nil, _): context.accept(request)
        case .reading(let request, let step, _, let error?):
            add(.refused(step: step, error: error.rawValue, why: "as a fault"), link, context)
            context.refuse(request, error)
        case .reading(let request, _, let octets, nil): context.answer(request, octets)
        case .disconnect(let reason): end(link, reason: reason, &context)
        case .nothing: break
        }
    }

    private func deliver(_ value: StagedValue, _ link: LinkID, _ context: inout DeviceContext) {
        let outcome =
            value.isIndication
            ? context.indicate(value.characteristic, value.octets, to: link)
            : context.notify(value.characteristic, value.octets, to: link)
        let event: TimelineEntry.Event =
            switch outcome {
            case .sent, .waiting, .replaced:
                .sent(
                    step: value.step, octets: value.octets, isIndication: value.isIndication, meaning: value.meaning)
            case .notSubscribed:
                .unsent(step: value.step, why: "the app has not subscribed: \(value.meaning)", lacking: value.name)
            case .tooLong(let limit): .unsent(step: value.step, why: "longer than \(limit) octets")
            case .full: .unsent(step: value.step, why: "too much waits for the app")
            case .gone: .unsent(step: value.step, why: "the link is gone")
            }
        add(event, link, context)
    }
}
