// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Peripheral
import Proximity
import TestSupport
import Timekeeping

@testable import Reader
@testable import ReaderTestSupport

/// A reader joined as `readerd` joins it: links, door, policy and clock, the way of its events to a disk, and that
/// disk. A flaw is planted where the values meet.
final class World {
    /// A request to the disk.
    enum Job {
        case contents
        case append(RecordLedger.Submission)
        case request(CommandID?, StorageWork)
    }

    /// The state that survives a power cut.
    struct Disk {
        var policy = PolicyDocument(generation: 1)
        var lastEvent = Card.beginning
        /// True if the next start finds that the policy is lost: damaged, missing, or an older copy put back.
        var isDamaged = false
        /// True if the log takes no further event.
        var isFull = false
        var queue: [Job] = []

        /// The clock's marks; those after which phones may not move it, if there are none.
        var marks: ClockMarks {
            policy.settings[ClockMarks.setting].flatMap { ClockMarks($0) } ?? .exhausted(latest: 0)
        }
    }

    let scope: Scope
    let flaw: Flaw?
    let wallet: Wallet
    let table: AccessTable
    let configuration: AccessConfiguration
    var reader: AccessReader
    var clock: ReaderClock?
    var judge = Judge()
    var disk = Disk()
    var now = Instant.origin
    /// Seconds by which the system's clock is off; nil while it is unset.
    var systemOffset: Int64? = 0
    var isSynchronised = false
    /// True while the lock has current.
    var isFree = false
    var links: [LinkID?] = [nil, nil, nil]
    var levels: [DoorInput: Bool] = [:]
    var presence: Presence?
    /// All badges, with what they have learned.
    var badges: [Badge: any BadgeModel]
    /// The Aliro reader with its store, as it was kept last.
    var aliro: AliroDoor?
    var tally = Tally()
    var port = FakePort()
    var random = CountingRandom()
    var generation: UInt32 = 0
    var keptMarks: ClockMarks?
    var shownBefore: (at: Instant, seconds: Int64)?
    var clockEvents: [ReaderClock.Event] = []
    var effects: [ReaderEffect] = []

    /// Counts of events, so that no promise holds for want of trying.
    struct Tally {
        var grants = 0
        var refusals = 0
        var restarts = 0
    }

    /// A reader that runs and knows its policy, and whose disk has nothing to do.
    init(_ scope: Scope, _ wallet: Wallet, flaw: Flaw? = nil) throws {
        (self.scope, self.wallet, self.flaw) = (scope, wallet, flaw)
        var configuration = AccessConfiguration(modes: [
            .init(mode: .classic, address: .randomStatic(from: 3), gate: nil),
            .init(mode: .pkoc, address: .randomStatic(from: 4), gate: .init()),
        ])
        configuration.isAudited = true
        configuration.maximumLinks = scope.hasConnections ? scope.links : scope.links + 1
        for input in DoorInput.allCases { configuration.debounce[input] = .zero }
        configuration.cards.kinds = Badge.kinds
        self.configuration = configuration
        (badges, aliro) = (wallet.badges, try AliroBadge.door())
        table = try .demo(configuration)
        reader = World.reader(configuration, scope, wallet, table)
        try disk.policy.apply(
            .setting(ClockMarks.setting, ClockMarks(latest: Card.beginning).octets))
        try start()
        while !disk.queue.isEmpty { try store() }
    }

    static func reader(
        _ configuration: AccessConfiguration, _ scope: Scope, _ wallet: Wallet, _ table: AccessTable
    ) -> AccessReader {
        let silent = SignalPattern(on: .zero, off: .zero, count: 0)
        var signals = DoorSignals(grantedBeeps: silent, deniedFlashes: silent, deniedBeeps: silent)
        (signals.warningBeeps, signals.alarmBeeps, signals.alarmFlashes) = (silent, silent, silent)
        var door = DoorConfiguration(pulse: Judge.pulse, signals: signals)
        door.lockout.attempts = scope.lockoutAttempts
        return AccessReader(configuration: configuration, identity: wallet.identity, table: table, door: door)
    }

    // MARK: Time

    var elapsed: Int64 { (now - .origin).wholeMilliseconds / 1000 }
    /// The time of the system's clock.
    var systemSeconds: Int64 { systemOffset.map { Card.beginning + $0 + elapsed } ?? elapsed }
    static let buildTime = Card.beginning - 1000 * 86_400

    /// The time of the reader's clock.
    var shown: Int64? {
        if let clock { return clock.epochSeconds(at: now) }
        return systemSeconds >= World.buildTime ? systemSeconds : nil
    }

    var moment: Moment {
        var seconds = shown
        if flaw == .clockInvented { seconds = seconds ?? Card.beginning }
        if flaw == .clockRunsLate {
            return Moment(instant: now, epochSeconds: seconds.map { $0 - 10_800 })
        }
        return Moment(
            instant: now, epochSeconds: seconds, latestSeconds: clock?.latestSeconds(at: now),
            earliestSeconds: clock?.earliestSeconds(at: now))
    }

    var time: AuditTime { AuditTime(Moment(instant: now, epochSeconds: shown), zone: .utc) }

    var nextDeadline: Instant? { Instant.earlier(reader.nextDeadline, reader.ledger.nextDeadline) }

    /// Lets time pass until `end`, calling each part at its deadline.
    func run(to end: Instant) throws {
        var calls = 0
        while let deadline = nextDeadline, deadline <= end {
            calls += 1
            guard calls < 1000 else { throw Violation(.comesToRest, "1000 deadlines, and the last is not over") }
            try pass(to: max(now, deadline))
            try advance()
        }
        try pass(to: max(now, end))
        try settle()
    }

    /// Nothing happens until `later`, so that a request without an answer has none until then.
    func pass(to later: Instant) throws {
        for (id, since) in judge.owed where later - since > Judge.patience && isServed(id) {
            throw Violation(.answeredOnce, "a phone has no answer")
        }
        now = later
    }

    func isServed(_ id: LinkID) -> Bool { reader.links.link(id).map { !$0.state.isClosing } ?? false }

    func advance() throws {
        reader.ledger.advance(to: now, time)
        try decideOpenings()
        reader.advance(to: moment, port: &port)
        try settle()
    }

    // MARK: Inputs

    /// True if the input has an effect now.
    func takes(_ input: Input) -> Bool {
        switch input {
        case .connect(let slot): judge.isRunning && links[slot] == nil
        case .leave(let slot): links[slot] != nil
        case .show(let card, let slot): judge.isRunning && canShow(card, slot)
        case .wait: nextDeadline != nil
        case .pass: true
        case .stored, .failed: !disk.queue.isEmpty
        case .allStored: disk.queue.count > 1 || !scope.inputs.contains(.stored) && !disk.queue.isEmpty
        case .powerCut: true
        case .shutDown: judge.isRunning
        case .policyDamaged: !disk.isDamaged
        case .clockSynchronised: !isSynchronised
        case .clockStepped: systemOffset == 0
        case .line(let input, let isActive): levels[input, default: false] != isActive
        case .lockdown(let isActive): judge.isRunning && judge.isLockdown != isActive
        case .touch, .present, .tap: judge.isRunning
        case .link: judge.isRunning && links[0] == nil
        case .respond(.right): presence?.command != nil
        case .respond, .cardLeaves: presence != nil
        case .list: judge.isRunning
        case .revoke, .unrevoke: judge.isRunning && judge.isPolicyKnown
        case .issuerRevokes: judge.isRunning && judge.isIssuerTrusted && !judge.isIssuerRevoked
        case .issuer(let isTrusted): judge.isRunning && judge.isIssuerTrusted != isTrusted
        case .logFull(let isFull): disk.isFull != isFull
        case .route(let route): judge.route != route
        }
    }

    func canShow(_ card: Card, _ slot: Int) -> Bool {
        guard let id = links[slot] else { return !scope.hasConnections }
        guard let link = reader.links.link(id) else { return false }
        return !link.state.isClosing && !link.session.isExecuting && link.mode != .pkoc
    }

    /// Has the input happen; throws when a promise does not hold.
    func apply(_ input: Input) throws {
        switch input {
        case .connect(let slot): try connect(slot)
        case .leave(let slot): try end(slot)
        case .show(let card, let slot): try show(card, slot)
        case .wait: try run(to: nextDeadline ?? now)
        case .pass:
            try run(to: now + .seconds(6))
            try serveAgain()
        case .stored: try store()
        case .allStored:
            for _ in disk.queue where !disk.queue.isEmpty { try store() }
        case .failed: try fail()
        case .powerCut(let hasClock):
            (systemOffset, isSynchronised) = (hasClock ? 0 : nil, false)
            try start()
        case .shutDown:
            reader.shutDown(port: &port, at: now)
            judge.isRunning = false
        case .policyDamaged: disk.isDamaged = true
        case .clockSynchronised:
            (systemOffset, isSynchronised) = (0, true)
            try observeClock()
        case .clockStepped:
            (systemOffset, isSynchronised) = (-25_200, false)
            try observeClock()
        case .line(let input, let isActive):
            levels[input] = isActive
            set(input, isActive)
        case .lockdown(let isActive):
            reader.lockdown(isActive, at: moment)
            judge.lockdown(isActive)
        case .tap(let card): try tap(card)
        case .link(let badge): try link(badge)
        case .touch(let badge): try enter(badge)
        case .present(let badge):
            try enter(badge)
            while presence?.command != nil {
                try respond(.right)
                try performCardActions()
            }
        case .respond(let response): try respond(response)
        case .cardLeaves: cardLeaves()
        case .list(let isListed): list(isListed)
        case .revoke: try order(isRevocation: true)
        case .unrevoke: try order(isRevocation: false)
        case .issuerRevokes: try issuerRevokes()
        case .issuer(let isTrusted): try trustIssuer(isTrusted)
        case .logFull(let isFull):
            disk.isFull = isFull
            if !isFull { reader.ledger.setFull(false) }
        case .route(let route): self.route(route)
        }
        try settle()
    }

    func set(_ input: DoorInput, _ isActive: Bool) {
        guard judge.isRunning else { return }
        if flaw == .contactMovesLock, input == .contact { isFree = isActive }
        guard flaw != .fireIgnored || input != .fire else { return judge.line(input, isActive, at: now) }
        reader.doorLine(input, isActive: isActive, since: now, at: moment)
        judge.line(input, isActive, at: now)
    }

    /// A process begins: what was in memory is lost, and the relay has dropped.
    func start() throws {
        tally.restarts += 1
        isFree = false
        links = [nil, nil, nil]
        (clock, keptMarks, shownBefore) = (nil, nil, nil)
        (port, disk.queue) = (FakePort(), [.contents])
        reader = World.reader(configuration, scope, wallet, table)
        judge.begin(latest: max(disk.marks.latest, disk.lastEvent))
        cardLeaves()
        reader.aliro = aliro
        reader.desfire = DESFireBadge.credential
        reader.configureContactless(.init())
        list(true)
        route(judge.route)
        reader.awaitRestoration()
        if flaw == .policyPresumed { _ = reader.restore([], at: moment) }
        reader.ledger.record(AuditEvent(.start, at: time))
        reader.startDoor(at: now)
        reader.receive(.ready(ReaderBench.controller), port: &port, random: &random, at: moment)
        for (input, level) in levels { set(input, level) }
        try settle()
    }

    // MARK: The clock

    func observeClock() throws {
        guard clock != nil else { return }
        clock?.observe(systemSeconds: systemSeconds, isSynchronised: isSynchronised, at: now, into: &clockEvents)
        clockEvents.removeAll()
        try lookAtClock(isAuthoritative: isSynchronised)
    }

    func setClock(_ seconds: Int64, _ authority: ReaderClock.Authority, _ id: CommandID?) throws {
        let outcome = clock?.set(
            to: seconds, by: authority, systemSeconds: systemSeconds, at: now, into: &clockEvents)
        clockEvents.removeAll()
        try lookAtClock(isAuthoritative: authority != .phone && outcome == .done)
        keepMarks()
        if let id { reader.answerStorage(id, .clock(outcome ?? .tooEarly), port: &port, at: moment) }
    }

    func lookAtClock(isAuthoritative: Bool) throws {
        let before = shownBefore.map { $0.seconds + (now - $0.at).wholeMilliseconds / 1000 }
        try judge.look(shown: shown, before: before, isAuthoritative: isAuthoritative)
        shownBefore = shown.map { (now, $0) }
    }

    /// Has the marks kept as soon as they are others than by the time that passes.
    func keepMarks() {
        guard let marks = clock?.marks(at: now), var kept = keptMarks else { return }
        let isAsBefore = (0..<3600).contains(marks.latest - kept.latest)
        kept.latest = marks.latest
        guard !isAsBefore || kept != marks else { return }
        keptMarks = marks
        disk.queue.append(.request(nil, .setting(ClockMarks.setting, marks.octets)))
    }

    // MARK: The end

    /// Lets all time pass that anything may take, with a disk that does nothing any more: everybody has his answer
    /// then, no link is up, and the door is secured unless something lasts.
    func runOut() throws {
        let end = now + .seconds(70)
        while let deadline = nextDeadline, deadline <= end {
            try run(to: deadline)
            if scope.hasConnections { try endClosing() }
        }
        try run(to: end)
        if scope.hasConnections { try endClosing() }
        guard judge.grants.isEmpty else { throw Violation(.answeredOnce, "a grant is never decided") }
        guard !judge.isRunning || presence?.isReleased ?? true else {
            throw Violation(.comesToRest, "a card is served without an end")
        }
        guard judge.owed.isEmpty else { throw Violation(.answeredOnce, "a phone is never answered") }
        guard reader.servedLinks == 0, !reader.hasLinks else { throw Violation(.slotReturned, "a link stays") }
        guard !judge.isRunning || reader.links.advertises == true else {
            throw Violation(.slotReturned, "nobody can come although there is room")
        }
    }

    func endClosing() throws {
        for case let id? in links where reader.links.link(id)?.state.isClosing ?? false { try end(id.slot) }
        try settle()
    }
}
