// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// The door in the reader: its inputs, its office hours, and its notices and records.
struct DoorControl: ~Copyable {
    private(set) var door: Door
    /// The levels of the inputs, in the order of `DoorInput.allCases`.
    private(set) var inputs: [InputDebouncer]
    /// The next time at which the office hours are checked; nil without configured hours.
    private var officeHoursDue: Instant?
    /// The office mode or schedule that the last record names as keeping the door unlocked.
    private(set) var recordedHold: ReleaseCause?
    /// The door's events that were reported as notices and await recording.
    private var untimedEvents: [DoorEvent] = []
    /// The number of openings since the start, for `STATUS`.
    private(set) var openings: UInt32 = 0

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

    /// The door's verdict on a request, without carrying it out.
    func verdict(on request: DoorRequest, at now: Instant) -> DoorVerdict { door.verdict(on: request, at: now) }

    /// True if `officeOff` would end something.
    func hasOpeningToEnd(at now: Instant) -> Bool { door.release.hasOpeningToEnd(at: now) }

    /// The door's status for operators.
    var status: DoorStatus {
        DoorStatus(
            state: door.state, standsOpen: door.standsOpen, alarm: door.alarm, isTampered: door.isTampered,
            isBlocked: door.isBlocked, openings: openings,
            isExitRequested: door.isExitInputActive, isFire: door.isFireInputActive,
            isUnlocked: door.isUnlocked, isUnlockedByPanel: door.release.isPanel, refusesPanel: door.refusesPanel,
            isLockdown: door.release.isLockdown, sign: door.sign,
            grantUntil: door.release.hold == nil ? door.release.grant?.until : nil)
    }

    /// The time of the next call of `advance`.
    var nextDeadline: Instant? {
        var earliest = Instant.earlier(door.nextDeadline, officeHoursDue)
        for input in inputs { earliest = Instant.earlier(earliest, input.nextDeadline) }
        return earliest
    }

    // MARK: Requests

    /// Requests an action of the door and counts openings. `since` is the time of arrival of a request that waited for
    /// its record.
    mutating func request(
        _ request: DoorRequest, since: Instant? = nil, at now: Instant, into effects: inout [ReaderEffect]
    ) -> DoorVerdict {
        let verdict = door.request(request, since: since, at: now, into: &effects)
        if verdict == .done, request != .officeOff { openings &+= 1 }
        return verdict
    }

    /// Signals a refusal.
    mutating func deny(at now: Instant, into effects: inout [ReaderEffect]) {
        door.deny(at: now, into: &effects)
    }

    /// Signals a refusal for which the person is not to blame.
    mutating func refuse(at now: Instant, into effects: inout [ReaderEffect]) {
        door.refuse(at: now, into: &effects)
    }

    /// Executes the order of an access panel, and counts openings.
    mutating func panel(unlocks: Bool, at now: Instant, into effects: inout [ReaderEffect]) {
        let wasUnlocked = door.release.isPanel
        door.panel(unlocks: unlocks, at: now, into: &effects)
        if !wasUnlocked, door.release.isPanel { openings &+= 1 }
    }

    /// Applies the signs of an access panel.
    mutating func panel(shows signs: PanelSigns, at now: Instant, into effects: inout [ReaderEffect]) {
        door.panel(shows: signs, at: now, into: &effects)
    }

    /// Shows the missing parts of the board.
    mutating func lacks(_ flashes: Int, at now: Instant, into effects: inout [ReaderEffect]) {
        door.lacks(flashes, at: now, into: &effects)
    }

    /// Shows a fault.
    mutating func show(_ fault: DoorFault?, at now: Instant, into effects: inout [ReaderEffect]) {
        door.show(fault, at: now, into: &effects)
    }

    mutating func lockdown(_ isActive: Bool, at now: Instant, into effects: inout [ReaderEffect]) {
        door.lockdown(isActive, at: now, into: &effects)
    }

    mutating func resetTamper(at now: Instant, into effects: inout [ReaderEffect]) -> Bool {
        door.resetTamper(at: now, into: &effects)
    }

    /// Applies other times and policies, and checks the office hours again.
    mutating func reconfigure(_ configuration: DoorConfiguration) {
        officeHoursDue = .origin
        door.reconfigure(configuration)
    }

    /// Applies the times of a pushed configuration.
    mutating func apply(_ pushed: PushedConfiguration, _ allowed: Set<PushedSetting>) {
        pushed.apply(allowed, to: &door.configuration)
    }

    /// Applies the time of a pulse, from the next opening on.
    mutating func apply(pulse: Duration) { door.configuration.pulse = pulse }

    /// Applies the extended time, from the next opening on.
    mutating func apply(extended: Duration) { door.configuration.extended = extended }

    // MARK: Start, time, end

    /// Secures the door and sets all of its outputs.
    mutating func start(at now: Instant, into effects: inout [ReaderEffect]) {
        door.start(at: now, into: &effects)
    }

    /// Executes due actions of the door.
    mutating func advance(
        to moment: Moment, _ configuration: AccessConfiguration, into effects: inout [ReaderEffect],
        _ ledger: inout RecordLedger
    ) {
        for input in DoorInput.allCases {
            if let level = inputs[input.index].advance(to: moment.instant) {
                execute(input, isActive: level, at: moment, configuration, into: &effects, &ledger)
            }
        }
        followOfficeHours(at: moment, configuration, into: &effects)
        door.advance(to: moment.instant, into: &effects)
        flushEvents(at: moment, configuration, into: &effects, &ledger)
    }

    /// Applies the office hours, and schedules the next check for the next minute: hours and daylight saving time begin
    /// and end at full minutes, and a step of the clock is noticed within a minute. While the clock is unset there are
    /// no office hours.
    private mutating func followOfficeHours(
        at moment: Moment, _ configuration: AccessConfiguration, into effects: inout [ReaderEffect]
    ) {
        guard let due = officeHoursDue, due <= moment.instant else { return }
        let local = configuration.civilTime(moment.epochSeconds)
        officeHoursDue = moment.instant + .seconds(60 - (local?.second ?? 0))
        let isOpen = local.map { configuration.officeHours.isOpen(at: $0, configuration.credentials.holidays) }
        door.schedule(isOpen: isOpen ?? false, at: moment.instant, into: &effects)
    }

    /// Reports that an output could not be set; it is set again later.
    mutating func failed(_ output: DoorOutput, at now: Instant) { door.failed(output, at: now) }

    /// De-energises the lock and ends the door.
    mutating func shutDown(at now: Instant, into effects: inout [ReaderEffect]) {
        door.shutdown(at: now, into: &effects)
    }

    // MARK: Inputs

    /// The age from which an edge of an input that releases the lock is dropped, as after the process was stopped: the
    /// person who caused it no longer waits. The present level counts, which follows the edges.
    static let edgeLife = Duration.seconds(2)

    /// Handles the level of an input line since `edge`. The door receives a level after the debounce time; the first
    /// level counts at once.
    mutating func line(
        _ input: DoorInput, isActive: Bool, since edge: Instant, at moment: Moment,
        _ configuration: AccessConfiguration, into effects: inout [ReaderEffect], _ ledger: inout RecordLedger
    ) {
        if input == .exit || input == .fire, moment.instant - edge > DoorControl.edgeLife {
            return inputs[input.index].forgetChange()
        }
        // The kernel's clock may differ from the reader's.
        let level = inputs[input.index].receive(isActive, since: min(edge, moment.instant))
        if let level { execute(input, isActive: level, at: moment, configuration, into: &effects, &ledger) }
    }

    /// Reports that the line's level is unknown. A loss never opens the door: an exit request ends, with the pulse that
    /// follows it, and is accepted again only after the line was seen at rest. The other inputs keep their level, fire
    /// in particular.
    mutating func lineLost(
        _ input: DoorInput, at moment: Moment, _ configuration: AccessConfiguration,
        into effects: inout [ReaderEffect], _ ledger: inout RecordLedger
    ) {
        inputs[input.index].lose(rests: input == .exit)
        if input == .exit { execute(.exit, isActive: false, at: moment, configuration, into: &effects, &ledger) }
    }

    private mutating func execute(
        _ input: DoorInput, isActive: Bool, at moment: Moment, _ configuration: AccessConfiguration,
        into effects: inout [ReaderEffect], _ ledger: inout RecordLedger
    ) {
        let now = moment.instant
        switch input {
        case .contact: door.contact(isOpen: isActive, at: now, into: &effects)
        case .exit: door.exitRequest(isActive: isActive, at: now, into: &effects)
        case .fire: door.fire(isActive: isActive, at: now, into: &effects)
        case .tamper: door.tamper(isActive: isActive, at: now, into: &effects)
        }
        flushEvents(at: moment, configuration, into: &effects, &ledger)
    }

    // MARK: Effects

    /// Appends notices of the door's events; `flushEvents` records them after the input that caused them.
    mutating func reportEvents(_ configuration: AccessConfiguration, into effects: inout [ReaderEffect]) {
        guard !door.events.isEmpty else { return }
        for event in door.events { effects.append(.notice(.door(event))) }
        if configuration.isAudited { untimedEvents += door.events }
        door.events.removeAll(keepingCapacity: true)
    }

    /// Appends notices of the door's events, and records them.
    mutating func flushEvents(
        at moment: Moment, _ configuration: AccessConfiguration, into effects: inout [ReaderEffect],
        _ ledger: inout RecordLedger
    ) {
        reportEvents(configuration, into: &effects)
        guard !untimedEvents.isEmpty || door.hold != recordedHold else { return }
        let time = AuditTime(moment, zone: configuration.zone)
        for event in untimedEvents {
            guard let kind = event.auditKind else { continue }
            ledger.record(
                AuditEvent(kind, at: time, channel: event.isByCommand ? .reader : .local), into: &effects)
        }
        untimedEvents.removeAll(keepingCapacity: true)
        if configuration.isAudited, door.isRunning { recordHold(at: time, into: &effects, &ledger) }
    }

    /// Records when office mode or hours begin and end to keep the door unlocked. A change between the two is no end;
    /// neither is fire, which only takes precedence. A pulse that outlasts them does not count. The end of the process
    /// has its own record.
    private mutating func recordHold(
        at time: AuditTime, into effects: inout [ReaderEffect], _ ledger: inout RecordLedger
    ) {
        let former = recordedHold
        recordedHold = door.hold
        guard (former == nil) != (door.hold == nil), let hold = former ?? door.hold else { return }
        let event = AuditEvent(
            former == nil ? .passage : .passageEnded, at: time, channel: hold == .office ? .reader : .local)
        ledger.record(event, into: &effects)
    }
}

extension DoorEvent {
    /// True if it follows from a credential or an operator, whose own record contains the identity.
    fileprivate var isByCommand: Bool {
        switch self {
        case .lockdown, .lockout, .tamperReset: true
        default: false
        }
    }
}

extension DoorInput {
    /// The index in `allCases`.
    fileprivate var index: Int {
        switch self {
        case .contact: 0
        case .exit: 1
        case .fire: 2
        case .tamper: 3
        }
    }
}

/// The status of a door, for operators.
public struct DoorStatus: Equatable, Sendable {
    /// The state.
    public var state: DoorState
    /// True if the contact reports the door open.
    public var standsOpen: Bool
    /// The contact's present alarm.
    public var alarm: ContactAlarm?
    /// True if the housing is open.
    public var isTampered: Bool
    /// True if access is refused until a tamper is reset.
    public var isBlocked: Bool
    /// The number of openings since the start.
    public var openings: UInt32
    /// True while the exit input is active.
    public var isExitRequested = false
    /// True while the fire input is active.
    public var isFire = false
    /// True if the lock is released.
    public var isUnlocked = false
    /// True while a panel holds the door unlocked.
    public var isUnlockedByPanel = false
    /// True while an access panel's order to unlock is refused.
    public var refusesPanel = false
    /// True in a lockdown, in which an exit and fire may unlock.
    public var isLockdown = false
    /// The state that the lights show continuously; nil while the door is inactive.
    public var sign: DoorSign?
    /// The end of the opening by a grant or an operator; nil without one, and while office mode or hours outlast it.
    public var grantUntil: Instant?
}
