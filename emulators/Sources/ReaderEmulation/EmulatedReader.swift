// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Crypto
public import Emulation
import Octets
public import Peripheral
import Proximity
public import Reader
public import Timekeeping

/// A reader for app developers: the firmware's own, with faults on command, a timeline and a review of its apps.
///
/// The faults are imposed from outside: on the packets of its controller (`ReaderWire`), its clock, its disk
/// (`ReaderDisk`) and its lines. A class without I/O, driven as a `HostedDevice` is.
public final class EmulatedReader {
    /// The properties of the reader.
    public struct Settings: Sendable {
        /// The modes that it advertises.
        public var modes: [AdvertisingMode] = [.onTouch, .access]
        /// The number in the random static address of the first mode; the next modes have the next ones.
        public var address: UInt64
        /// The maximum number of links served at once.
        public var links = 3
        /// Its NFC field; nil for none.
        public var field: ReaderFieldSettings?

        /// A reader with this address.
        public init(address: UInt64) { self.address = address }
    }

    /// The delay before a fault disconnects: by then the controller has sent the preceding values, and the host has
    /// done what it does with a new link.
    static let disconnectTime = Duration.milliseconds(100)

    /// A link of an app.
    struct Link {
        /// The stage of an exchange.
        enum Phase: Equatable { case idle, greeted, proven, requested }

        let peer: BluetoothAddress
        /// The host's number; nil until the host has reported it.
        var number: UInt32?
        var phase = Phase.idle
        /// The faults of the answer to the current request.
        var faults: [Emulation.Fault] = []
    }

    /// An action at a later time.
    enum Late {
        case disconnect(UInt16, HCIStatus)
        case review(ReaderReview.Event, UInt32)
    }

    let settings: Settings
    let identity: ReaderIdentity
    var configuration: AccessConfiguration
    var device: ReaderDevice<SystemRandomSource>
    var wire: ReaderWire
    var disk = ReaderDisk()
    var field: ReaderField?
    var clock: ReaderClock
    let systemSeconds: () -> Int64
    var plan = FaultPlan()
    var review = ReaderReview()
    var links: [UInt16: Link] = [:]
    var late: [(due: Instant, action: Late)] = []
    private var effects: [ReaderEffect] = []
    private var schedule: CommandSchedule<ReaderOrder>
    /// The controller is ready, and the timeline does not say so yet.
    var isReadyDue = false
    /// The time of the last input.
    public private(set) var now: Instant
    /// The events of the run, and the findings about its apps.
    public var timeline: Timeline
    /// The modes that are advertised, with their addresses.
    public var advertised: [(mode: AdvertisingMode, address: BluetoothAddress)] {
        configuration.modes.map { ($0.mode, $0.address) }
    }
    /// Called when an order ends the emulation.
    public var quit: () -> Void = {}

    /// A reader that is not started.
    ///
    /// - Parameter systemSeconds: the computer's time in seconds since 1970.
    public init(
        _ settings: Settings, identity: ReaderIdentity, scenario: ReaderScenario = ReaderScenario(), at now: Instant,
        systemSeconds: @escaping () -> Int64
    ) throws(DatabaseError) {
        self.settings = settings
        self.identity = identity
        self.systemSeconds = systemSeconds
        self.now = now
        schedule = CommandSchedule(scenario.events)
        configuration = EmulatedReader.configuration(settings, settings.modes)
        clock = EmulatedReader.clock(.real, systemSeconds(), at: now)
        let moment = Moment(instant: now, epochSeconds: clock.epochSeconds(at: now))
        device = try EmulatedReader.device(configuration, identity, at: moment)
        wire = ReaderWire(try EmulatedReader.table(configuration, identity))
        field = settings.field.map { ReaderField($0) }
        timeline = Timeline(start: now, expectations: [EmulatedReader.expectations])
    }

    /// The rules common to all devices do not know this protocol's answers; `ReaderReview` does.
    private static var expectations: AppExpectations {
        var expectations = AppExpectations()
        expectations.allowsWriteWithoutResponse = true
        return expectations
    }

    static func configuration(_ settings: Settings, _ modes: [AdvertisingMode]) -> AccessConfiguration {
        var configuration = AccessConfiguration(
            modes: modes.enumerated().map { number, mode in
                let isGated = mode == .onTouch || mode == .access
                return AccessConfiguration.Mode(
                    mode: mode, address: .randomStatic(from: settings.address &+ UInt64(number)),
                    gate: isGated ? ProximityGate.Configuration() : nil)
            })
        configuration.maximumLinks = settings.links
        configuration.version.buildTime = UInt32(EmulatedReader.buildTime)
        configuration.isAudited = true
        configuration.cards.kinds = settings.field?.kinds ?? []
        return configuration
    }

    /// 2025-01-01: no clock shows an earlier time.
    static let buildTime: Int64 = 1_735_689_600

    static func device(
        _ configuration: AccessConfiguration, _ identity: ReaderIdentity, at moment: Moment
    ) throws(DatabaseError) -> ReaderDevice<SystemRandomSource> {
        try ReaderDevice(
            configuration: configuration, identity: identity, door: DoorConfiguration(), random: SystemRandomSource(),
            at: moment)
    }

    /// A table with the handles of the device's: equal services have equal ones.
    static func table(
        _ configuration: AccessConfiguration, _ identity: ReaderIdentity
    ) throws(DatabaseError) -> AccessTable {
        let record = ManufacturerRecord(isFactory: identity.isDemo, applicationVersion: 0, localMidnight: 0)
        return try AccessTable(
            deviceName: identity.deviceID, modes: configuration.modes.map(\.mode),
            identifiers: configuration.identifiers, record: record)
    }

    // MARK: - Inputs

    /// Starts the host: the transport to the controller is open.
    public func start(at now: Instant) {
        self.now = now
        device.reader.startDoor(at: now)
        device.start(at: moment)
        startField()
        settle()
    }

    /// Handles the loss of the transport.
    public func transportLost(at now: Instant) {
        self.now = now
        device.transportLost(at: moment)
        wire.transportLost()
        settle()
    }

    /// Handles one H4 packet of the controller.
    public func receive(_ packet: Span<UInt8>, at now: Instant) {
        self.now = now
        var octets: [UInt8] = []
        octets.append(packet)
        noteEnds(in: octets)
        let isForHost = wire.receive(&octets, at: now) { handle, header in self.treatRequest(on: handle) }
        takeWireEvents()
        guard isForHost else { return }
        device.receive(octets.span, at: moment)
        settle()
    }

    /// Performs the actions due at `now`.
    public func advance(to now: Instant) {
        self.now = now
        while let order = schedule.next(at: now) {
            let answer = execute(order)
            timeline.add(.command(answer.first ?? "", isTyped: false), device: nil, at: now)
        }
        while let next = late.first, next.due <= now {
            late.removeFirst()
            switch next.action {
            case .disconnect(let handle, let reason): wire.disconnect(handle, reason: reason)
            case .review(let event, let link): judge(event, link: link, entry: timeline.count)
            }
        }
        device.reader.ledger.advance(to: now, auditTime)
        decideOpenings()
        device.advance(to: moment)
        timeline.advance(to: now)
        settle()
    }

    /// The time of the next call of `advance`.
    public var nextDeadline: Instant? {
        [
            device.nextDeadline, device.reader.ledger.nextDeadline, wire.deadline, late.first?.due, timeline.deadline,
            schedule.deadline, field?.nextDeadline,
        ].compactMap(\.self).min()
    }

    /// Copies the next packet for the controller into `packet`; false if no packet is pending.
    public func popPacket(into packet: inout [UInt8]) -> Bool {
        while true {
            if let waiting = wire.nextPacket(at: now) {
                packet = waiting
                return true
            }
            guard device.popPacket(into: &packet) else {
                guard let answer = wire.nextAnswer() else { return false }
                device.receive(answer.span, at: moment)
                settle()
                continue
            }
            let isSent = wire.send(&packet, at: now) { handle, header in self.treatAnswer(header, on: handle) }
            takeWireEvents()
            if isSent { return true }
        }
    }

    // MARK: - Effects

    var moment: Moment {
        Moment(
            instant: now, epochSeconds: clock.epochSeconds(at: now), latestSeconds: clock.latestSeconds(at: now),
            earliestSeconds: clock.earliestSeconds(at: now))
    }

    private var auditTime: AuditTime { AuditTime(moment, zone: configuration.zone) }

    /// Carries out everything that inputs have caused.
    func settle() {
        var hasServed = false
        repeat {
            device.reader.takeEffects(into: &effects)
            let taken = effects
            for effect in taken { perform(effect) }
            hasServed = serveField()
            disk.write(&device.reader.ledger, at: now, auditTime)
            decideOpenings()
            device.answerOpenings(at: moment)
        } while hasServed || !device.reader.effects.isEmpty
        if let events = disk.takeCarried() { device.reader.carry(events) }
        while let notice = device.reader.ledger.nextNotice() {
            timeline.add(.device(notice.text), device: 0, at: now)
        }
    }

    private func perform(_ effect: ReaderEffect) {
        switch effect {
        // The lines are simulated: the door's notices report them. It has neither panel nor Aliro.
        case .door, .handOn, .operated, .revocation, .update, .recorded, .aliroStore: break
        case .store(let request): answer(request)
        case .notice(let notice): report(notice)
        }
    }

    func answer(_ request: StorageRequest) {
        if case .clock(let seconds, let authority) = request.work {
            var events: [ReaderClock.Event] = []
            let outcome = clock.set(
                to: seconds, by: authority, systemSeconds: systemSeconds(), at: now, into: &events)
            for event in events { timeline.add(.device("\(event)"), device: 0, at: now) }
            if let id = request.id { device.answerStorage(id, .clock(outcome), at: moment) }
            return
        }
        guard let answer = disk.answer(request, &device.reader.ledger), let id = request.id else { return }
        device.answerStorage(id, answer, at: moment)
    }

    private func decideOpenings() {
        while let verdict = device.reader.ledger.nextVerdict() {
            device.reader.decide(verdict.opening, verdict.status, at: moment)
        }
    }

    /// Notes that the controller is ready, from which the scenario counts.
    func noteReady() { schedule.begin(at: now) }

    /// Records the time of an input.
    func catchUp(_ now: Instant) { self.now = now }
}
