// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Peripheral
import Testing
import Timekeeping
import VirtualTime

@testable import Reader
@testable import ReaderTestSupport

/// A reader with its door and its log, on a virtual clock: what the process around it does, without the process.
///
/// People show commands that have been checked already: what comes before that is tested elsewhere, and would take
/// most of the time.
final class DoorLife {
    private(set) var reader: AccessReader
    private var port = FakePort()
    private var clock = ReaderClock(zone: .utc, buildTime: 0)
    private var clockEvents: [ReaderClock.Event] = []
    private var effects: [ReaderEffect] = []
    private let configuration: AccessConfiguration
    private let identity: ReaderIdentity
    private let table: AccessTable
    private(set) var now = Instant.origin
    /// The sum of the steps of the wall clock since the origin, in seconds.
    private(set) var clockStep: Int64 = 0
    private let epochAtOrigin: Int64

    private let key: AuditKey
    private var checkpoint: ChainPlace
    private var chain: ChainValue
    private(set) var records: [StoredRecord] = []
    private var lastSequence: UInt64 = 0
    private var cleared: UInt64 = 0
    /// The number of written events of each kind.
    private(set) var written: [AuditKind: Int] = [:]
    private let capacity: LogCapacity

    /// True while the lock has current; a power cut takes it away.
    private(set) var isFree = false
    private(set) var lockEdges = 0
    /// The events of grants that were acknowledged by the disk.
    private(set) var acknowledged: Set<String> = []
    /// The door's events, with the wall clock's time.
    private(set) var doorEvents: [(epoch: Int64, event: DoorEvent)] = []
    private(set) var repeats = 0
    private(set) var refusals: [StatusCode: Int] = [:]
    /// Times at which the lock was free without a reason.
    private(set) var violations: [Instant] = []
    private var generation: UInt32 = 0
    private var levels: [DoorInput: Bool] = [:]

    init(epochAtOrigin: Int64, capacity: LogCapacity, hours: OfficeHours, zone: TimeZoneRule) throws {
        self.epochAtOrigin = epochAtOrigin
        self.capacity = capacity
        var configuration = AccessConfiguration(modes: [])
        configuration.isAudited = true
        // Shares of the log that a busy day does not use up.
        configuration.audit = AuditPolicy(capacity: 100_000)
        configuration.officeHours = hours
        configuration.zone = zone
        self.configuration = configuration
        identity = try ReaderIdentity.demo()
        table = try .demo(configuration)
        key = try #require(AuditKey([UInt8](repeating: 7, count: 32)))
        chain = try #require(ChainValue([UInt8](repeating: 9, count: 32)))
        checkpoint = try key.place(.checkpoint, sequence: 0, chain: chain)
        reader = AccessReader(
            configuration: configuration, identity: identity, table: table, door: DoorConfiguration())
        try start()
    }

    var moment: Moment { Moment(instant: now, epochSeconds: epoch) }
    var epoch: Int64 { epochAtOrigin + clockStep + (now - .origin).wholeMilliseconds / 1000 }
    private var time: AuditTime { AuditTime(moment, zone: .utc) }

    // MARK: What happens to it

    /// The power is cut, and comes back at once: what was not on the disk is lost, and the relay has dropped.
    func cutPower() throws {
        isFree = false
        clock = ReaderClock(zone: .utc, buildTime: 0)
        reader = AccessReader(
            configuration: configuration, identity: identity, table: table, door: DoorConfiguration())
        try start()
    }

    private func start() throws {
        reader.ledger.record(AuditEvent(.start, at: time))
        reader.startDoor(at: now)
        for (input, level) in levels { reader.doorLine(input, isActive: level, since: now, at: moment) }
        try settle()
    }

    /// Somebody sets the system's clock.
    func stepClock(by seconds: Int64) throws {
        clockStep += seconds
        try settle()
    }

    /// An operator clears the log.
    func clearLog() throws {
        cleared = lastSequence
        reader.ledger.record(AuditEvent(.logCleared, at: time))
        try settle()
    }

    /// Somebody shows a phone.
    func show(_ credential: String) throws {
        generation += 1
        let link = AccessLink(
            id: .link(LinkID(slot: 0, generation: generation)), mode: .classic,
            times: LinkTimes(idle: .seconds(3), longest: .seconds(60)), at: now)
        let command = AuthorizedCommand(
            credentialID: credential, name: .open, data: [],
            validity: TokenValidity(
                from: CivilTime(year: 2020, month: 1, day: 1), through: CivilTime(year: 2030, month: 1, day: 1)),
            wasValidityChecked: true)
        let wanted = Opening.Wanted.command(command)
        if reader.answerRepeated(wanted, .pulse, link, at: now) == nil {
            let event = reader.eventToAwait(command, link, at: moment)
            let opening = try #require(event, "the door takes requests all day")
            reader.ledger.request(Opening.Requester(link: link, wanted: wanted), opening, at: now)
        } else {
            repeats += 1
        }
        try settle()
    }

    /// Somebody shows a phone whose token is not good.
    func showBad(_ credential: String) throws {
        var effects: [ReaderEffect] = []
        reader.door.deny(at: now, into: &effects)
        reader.effects += effects
        reader.ledger.record(AuditEvent(.denied, at: time, info: -12, channel: .bluetooth, credential: credential))
        try settle()
    }

    /// The line of an input changes, and bounces for a few milliseconds.
    func move(_ input: DoorInput, _ isActive: Bool) throws {
        levels[input] = isActive
        for (offset, level) in [(0, isActive), (2, !isActive), (5, isActive)] {
            try run(for: .milliseconds(offset == 0 ? 0 : offset == 2 ? 2 : 3))
            reader.doorLine(input, isActive: level, since: now, at: moment)
            try settle()
        }
    }

    func run(for duration: Duration) throws { try run(to: now + duration) }

    /// Lets time pass, calling the reader when it wants.
    func run(to end: Instant) throws {
        now = try elapse(from: now, to: end, deadline: { reader.nextDeadline }) { time throws in
            now = time
            reader.advance(to: moment, port: &port)
            try settle()
        }
    }

    // MARK: The process around it

    private func settle() throws {
        // One that is kept by somebody who knows better, so that every step is followed.
        clock.observe(systemSeconds: epoch, isSynchronised: true, at: now, into: &clockEvents)
        for case .stepped(let step) in clockEvents {
            reader.ledger.record(AuditEvent(.clockStepped, at: time, info: Int32(clamping: step)))
        }
        clockEvents.removeAll()
        var isBusy = true
        while isBusy {
            reader.takeEffects(into: &effects)
            isBusy = !effects.isEmpty
            for effect in effects { perform(effect) }
            decideOpenings()
            while let submission = reader.ledger.nextSubmission(at: now) {
                try write(submission)
                decideOpenings()
                isBusy = true
            }
        }
        while reader.ledger.nextNotice() != nil {}
        let isUnlocked = reader.door.isUnlocked
        if isFree != isUnlocked { violations.append(now) }
    }

    private func perform(_ effect: ReaderEffect) {
        switch effect {
        case .door(let action, _) where action.output == .lock:
            if isFree != action.level { lockEdges += 1 }
            isFree = action.level
        case .notice(.door(let event)): doorEvents.append((epoch, event))
        default: break
        }
    }

    private func decideOpenings() {
        while let verdict = reader.ledger.nextVerdict() {
            if verdict.status != .ok { refusals[verdict.status, default: 0] += 1 }
            reader.decideOpening(verdict.opening, verdict.status, port: &port, at: moment)
        }
    }

    private func write(_ submission: RecordLedger.Submission) throws {
        let live = Int(lastSequence - cleared)
        switch capacity.admission(of: submission.event.kind, count: records.count, live: live) {
        case .refuse: return reader.ledger.refused(submission.id)
        case .write: break
        case .writeDropping(let count):
            let last = records[count - 1]
            checkpoint = try key.place(
                .checkpoint, sequence: last.sequence, chain: try #require(last.chain))
            records.removeFirst(count)
        }
        lastSequence += 1
        written[submission.event.kind, default: 0] += 1
        let octets = AuditRecord(sequence: lastSequence, event: submission.event).octets
        chain = try key.value(after: chain, octets.span)
        records.append(
            StoredRecord(sequence: lastSequence, kind: submission.event.kind, octets: octets, chain: chain))
        if submission.event.kind == .granted { acknowledged.insert(submission.event.credential) }
        let isFull = capacity.isFull(live: Int(lastSequence - cleared))
        reader.ledger.stored(submission.id, isFull: isFull, at: now, time)
    }

    /// The report of a verification of the log.
    func verify() throws -> ChainReport {
        let head = try key.place(.head, sequence: lastSequence, chain: chain)
        var verifier = try ChainVerifier(key: key, checkpoint: checkpoint, head: head)
        for record in records { try verifier.verify(record) }
        return verifier.finish()
    }

    /// The events of a kind that the log has.
    func logged(_ kind: AuditKind) -> [AuditEvent] {
        records.filter { $0.kind == kind }.compactMap { $0.record?.event }
    }
}
