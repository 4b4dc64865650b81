import Timekeeping

/// The door as the reader runs it: its inputs and its hours, and what is told and recorded of it.
struct DoorControl: ~Copyable {
    private(set) var door: Door
    /// The levels of the inputs, in the order of `DoorInput.allCases`.
    private(set) var inputs: [InputDebouncer]
    /// When the office hours are looked at next; nil without any.
    private var officeHoursDue: Instant?
    /// What holds the door open as far as that is recorded.
    private(set) var recordedHold: ReleaseCause?
    /// What happened at the door and has been told, and is to be recorded.
    private var untimedEvents: [DoorEvent] = []
    /// How often the door was opened since the start, for `STATUS`.
    private(set) var openings: UInt32 = 0
    private var actions: [DoorAction] = []

    init(_ door: DoorConfiguration, _ configuration: AccessConfiguration) {
        self.door = Door(door)
        inputs = DoorInput.allCases.map {
            InputDebouncer(time: configuration.debounce[$0] ?? InputDebouncer.defaultTime)
        }
        officeHoursDue = configuration.officeHours.spans.isEmpty ? nil : .origin
    }

    // MARK: Questions

    var isUnlocked: Bool { door.isUnlocked }
    var state: DoorState { door.state }
    var configuration: DoorConfiguration { door.configuration }

    /// What the door would say to a request.
    func verdict(on request: DoorRequest, at now: Instant) -> DoorVerdict { door.verdict(on: request, at: now) }

    /// Where the door is.
    var status: DoorStatus {
        DoorStatus(
            state: door.state, standsOpen: door.standsOpen, alarm: door.alarm, isTampered: door.isTampered,
            isBlocked: door.isBlocked, openings: openings)
    }

    /// When `advance` is to be called next.
    var nextDeadline: Instant? {
        var earliest = Instant.earlier(door.nextDeadline, officeHoursDue)
        for input in inputs { earliest = Instant.earlier(earliest, input.nextDeadline) }
        return earliest
    }

    // MARK: Requests

    /// Asks the door, and counts what it opens. `since`: when the request came, if it waited for a record.
    mutating func request(
        _ request: DoorRequest, since: Instant? = nil, at now: Instant, into effects: inout [ReaderEffect]
    ) -> DoorVerdict {
        let verdict = door.request(request, at: now, into: &actions)
        if verdict == .done, request != .officeOff { openings &+= 1 }
        deliver(since: since, into: &effects)
        return verdict
    }

    /// Shows somebody that the door stays secured.
    mutating func deny(at now: Instant, into effects: inout [ReaderEffect]) {
        door.deny(at: now, into: &actions)
        deliver(into: &effects)
    }

    mutating func lockdown(_ isActive: Bool, at now: Instant, into effects: inout [ReaderEffect]) {
        door.lockdown(isActive, at: now, into: &actions)
        deliver(into: &effects)
    }

    mutating func resetTamper(at now: Instant, into effects: inout [ReaderEffect]) -> Bool {
        defer { deliver(into: &effects) }
        return door.resetTamper(at: now, into: &actions)
    }

    /// Takes other times and policies, and looks at the office hours again.
    mutating func reconfigure(_ configuration: DoorConfiguration) {
        officeHoursDue = .origin
        door.reconfigure(configuration)
    }

    /// Has a pushed configuration change the times.
    mutating func apply(_ pushed: PushedConfiguration, _ allowed: Set<PushedSetting>) {
        pushed.apply(allowed, to: &door.configuration)
    }

    // MARK: Start, time, end

    /// Brings the door into its secured state and sets all of its outputs.
    mutating func start(at now: Instant, into effects: inout [ReaderEffect]) {
        door.start(at: now, into: &actions)
        deliver(into: &effects)
    }

    /// Does what is due at the door.
    mutating func advance(
        to moment: Moment, _ configuration: AccessConfiguration, into effects: inout [ReaderEffect]
    ) {
        for input in DoorInput.allCases {
            if let level = inputs[input.index].advance(to: moment.instant) {
                take(input, isActive: level, at: moment, configuration, into: &effects)
            }
        }
        followOfficeHours(at: moment, configuration)
        door.advance(to: moment.instant, into: &actions)
        deliver(into: &effects)
        settle(at: moment, configuration, into: &effects)
    }

    /// Opens or secures the door as the office hours say, and comes again with the next minute: hours begin and end
    /// with one, and so does daylight saving. A clock that is stepped is seen within a minute as well. Without a set
    /// clock there are no hours.
    private mutating func followOfficeHours(at moment: Moment, _ configuration: AccessConfiguration) {
        guard let due = officeHoursDue, due <= moment.instant else { return }
        let local = configuration.civilTime(moment.epochSeconds)
        officeHoursDue = moment.instant + .seconds(60 - (local?.second ?? 0))
        door.schedule(
            isOpen: local.map(configuration.officeHours.isOpen) ?? false, at: moment.instant, into: &actions)
    }

    /// An output could not be set; it is set again a little later.
    mutating func failed(_ output: DoorOutput, at now: Instant) { door.failed(output, at: now) }

    /// Takes the current from the door.
    mutating func shutDown(at now: Instant, into effects: inout [ReaderEffect]) {
        door.shutdown(at: now, into: &actions)
        deliver(into: &effects)
    }

    // MARK: Inputs

    /// The line of an input has had this level since `edge`. The door is told once the level has lasted; the first
    /// level is taken as it is.
    mutating func line(
        _ input: DoorInput, isActive: Bool, since edge: Instant, at moment: Moment,
        _ configuration: AccessConfiguration, into effects: inout [ReaderEffect]
    ) {
        // A kernel's clock may be another than ours.
        let level = inputs[input.index].take(isActive, since: min(edge, moment.instant))
        if let level { take(input, isActive: level, at: moment, configuration, into: &effects) }
    }

    /// Nobody knows the line's level any more. No loss opens the door: a request to exit ends, with the pulse that
    /// follows it, and does not come back before the line was seen at rest. Everything else stays as it was, fire
    /// above all.
    mutating func lineLost(
        _ input: DoorInput, at moment: Moment, _ configuration: AccessConfiguration,
        into effects: inout [ReaderEffect]
    ) {
        inputs[input.index].lose(rests: input == .exit)
        if input == .exit { take(.exit, isActive: false, at: moment, configuration, into: &effects) }
    }

    private mutating func take(
        _ input: DoorInput, isActive: Bool, at moment: Moment, _ configuration: AccessConfiguration,
        into effects: inout [ReaderEffect]
    ) {
        let now = moment.instant
        switch input {
        case .contact: door.contact(isOpen: isActive, at: now, into: &actions)
        case .exit: door.exitRequest(isActive: isActive, at: now, into: &actions)
        case .fire: door.fire(isActive: isActive, at: now, into: &actions)
        case .tamper: door.tamper(isActive: isActive, at: now, into: &actions)
        }
        deliver(into: &effects)
        settle(at: moment, configuration, into: &effects)
    }

    // MARK: Effects

    private mutating func deliver(since: Instant? = nil, into effects: inout [ReaderEffect]) {
        for action in actions { effects.append(.door(action, since: action.output == .lock ? since : nil)) }
        actions.removeAll(keepingCapacity: true)
    }

    /// Tells what happened at the door so far; `settle` records it, when the input that caused it is done with.
    mutating func tell(_ configuration: AccessConfiguration, into effects: inout [ReaderEffect]) {
        guard !door.events.isEmpty else { return }
        for event in door.events { effects.append(.notice(.door(event))) }
        if configuration.isAudited { untimedEvents += door.events }
        door.events.removeAll(keepingCapacity: true)
    }

    /// Tells and records what happened at the door.
    mutating func settle(
        at moment: Moment, _ configuration: AccessConfiguration, into effects: inout [ReaderEffect]
    ) {
        tell(configuration, into: &effects)
        guard !untimedEvents.isEmpty || door.hold != recordedHold else { return }
        let time = AuditTime(moment, zone: configuration.zone)
        for event in untimedEvents {
            guard let kind = event.auditKind else { continue }
            effects.append(.record(AuditEvent(kind, at: time, channel: event.isByCommand ? .reader : .local)))
        }
        untimedEvents.removeAll(keepingCapacity: true)
        if configuration.isAudited, door.isRunning { recordHold(at: time, into: &effects) }
    }

    /// Office mode and office hours that give way to each other are one; what comes in front of them, as fire, is no end
    /// of theirs, and a pulse that outlasts them is none of them. The end of the process has a record of its own.
    private mutating func recordHold(at time: AuditTime, into effects: inout [ReaderEffect]) {
        let former = recordedHold
        recordedHold = door.hold
        switch (former, door.hold) {
        case (nil, let hold?):
            effects.append(.record(AuditEvent(.heldOpen, at: time, channel: hold == .office ? .reader : .local)))
        case (let hold?, nil):
            effects.append(.record(AuditEvent(.heldOpenEnded, at: time, channel: hold == .office ? .reader : .local)))
        default: break
        }
    }
}

extension DoorEvent {
    /// Whether it follows from what a credential or an operator asked, whose own record says who that was.
    fileprivate var isByCommand: Bool {
        switch self {
        case .lockdown, .lockout, .tamperReset: true
        default: false
        }
    }
}

extension DoorInput {
    /// Its place in `allCases`.
    fileprivate var index: Int {
        switch self {
        case .contact: 0
        case .exit: 1
        case .fire: 2
        case .tamper: 3
        }
    }
}

/// Where a door is, for people.
public struct DoorStatus: Equatable, Sendable {
    /// In one word.
    public var state: DoorState
    /// Whether the contact says that the door stands open.
    public var standsOpen: Bool
    /// The contact's alarm that lasts.
    public var alarm: ContactAlarm?
    /// Whether the housing is open.
    public var isTampered: Bool
    /// Whether nobody is let in until a tamper is reset.
    public var isBlocked: Bool
    /// How often the door was opened since the start.
    public var openings: UInt32
}
