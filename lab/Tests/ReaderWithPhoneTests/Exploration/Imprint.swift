// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Credentials
import Peripheral
import Timekeeping

@testable import Reader
@testable import ReaderTestSupport

/// All of a world that its future depends on, so that worlds with equal imprints are one state: times relative to now,
/// times of the clock by the hour, numbers of requests by their order, links by their slot.
///
/// Values that can be copied are walked as they are, fields that somebody adds included. Left out, with the reason why
/// that changes nothing here:
/// - the configuration and whatever follows from it, which no explored input changes, and what is counted for people;
/// - the buckets of records, which hold more than any explored sequence has (`RecordBudget.unproven`);
/// - back-off, greatest age and yielding of links where there is always another slot;
/// - what an event on its way says of times and links, which nobody reads again;
/// - how long ago something was over, or the disk stalled: both stay so.
struct Imprint {
    private(set) var octets: [UInt8] = []
    private let now: Instant
    private let links: [LinkID?]
    private let polled: PolledCard?
    private var numbers: [[UInt64: Int64]] = [[:], [:], [:]]

    /// The numbers that name requests, each kind from 1.
    private enum Numbering: Int {
        case grants
        case submissions
        case commands
    }

    /// The imprint of a world between two inputs.
    init(_ world: World) {
        (now, links, polled) = (world.now, world.links, world.reader.polled)
        octets.reserveCapacity(512)
        add(world.scope.hasConnections, world.reader)
        if let clock = world.clock { add(clock) }
        add(world.judge)
        add(world.presence)
        add(world.badges, world.reader)
        add(world.disk, world.isAwaited)
        add(world.systemOffset.map { $0 + 1 } ?? 0)
        add([world.isSynchronised, world.isFree])
        for input in DoorInput.allCases { add([world.levels[input, default: false]]) }
    }

    // MARK: The parts

    private mutating func add(_ hasConnections: Bool, _ reader: borrowing AccessReader) {
        for link in reader.links.links {
            guard let link else {
                add(0)
                continue
            }
            walk(link.id, "")
            add([
                link.state.isClosing, link.state.isServed, link.session.isExecuting, link.isAnswering,
                link.held.isEmpty,
            ])
            add(over: link.state.nextDeadline ?? now)
            add([link.exchange == .served, link.exchange == .denied, link.exchange == .failed])
            add([link.hasWaited && link.isAnswering])
            add([link.exchanged?.hasBegun == true, link.exchanged?.transaction != nil, link.proven != nil])
            if hasConnections {
                add(over: link.yieldsAt)
                add(over: link.ends)
                walk(link.credential, "")
            }
        }
        if hasConnections { walk(reader.links.backOff, "") }
        add([reader.links.advertises ?? false, reader.isShuttingDown, reader.policy.isUnknown])
        walk(reader.ledger)
        // Edges count at once.
        for input in reader.door.inputs { add([input.level ?? false]) }
        walk(reader.door.recordedHold as Any, "")
        for list in [reader.policy.blacklist, reader.policy.kept ?? reader.policy.blacklist] {
            for row in list.rows { octets += Array(row.credential.utf8) }
            add(-1)
        }
        walk(reader.commands, "commands")
        add(reader.door.door)
    }

    private mutating func add(_ door: borrowing Door) {
        add([door.isRunning, door.isTampered, door.isExitInputActive, door.isFireInputActive, door.isBlocked])
        walk(door.release, "")
        walk(door.contact, "")
        walk(door.lockout, "")
    }

    private mutating func add(_ clock: ReaderClock) {
        walk(clock.quality, "")
        add(hour: clock.epochSeconds(at: now) ?? 0)
        add(hour: clock.floor)
        add(clock.marks(at: now))
    }

    private mutating func add(_ marks: ClockMarks) {
        add(hour: marks.latest)
        for span in [marks.offset, marks.back, marks.ahead] { add(hour: span + 1800) }
    }

    private mutating func add(_ judge: Judge) {
        add([judge.isRunning, judge.isPolicyKnown, judge.isRevoked, judge.isOffice, judge.isExitActive, judge.isFire])
        add([judge.isLockdown, judge.hadCause, judge.isListed, judge.hasList])
        add([judge.isRevocationKept, judge.isIssuerRevoked, judge.isIssuerTrusted])
        for order in judge.orders.map(\.number).sorted() { add(number(order, .commands)) }
        add([judge.route == .panel, judge.route == .nowhere])
        add(Int64(judge.presenceGrants))
        add(Int64(judge.handOvers))
        add(Int64(judge.pardonsUnderway))
        add(hour: judge.latest)
        add(hour: judge.wentBack + 1800)
        for until in [judge.pulseUntil, judge.exitUntil] { add(over: until ?? now) }
        for (token, grant) in judge.grants.sorted(by: { $0.key.number < $1.key.number }) {
            add(number(token.number, .grants))
            add([grant.isRecorded])
            add(grant.event)
            if case .badge(let badge) = grant.holder {
                add(Int64(Badge.all.firstIndex(of: badge) ?? -1))
            } else {
                add(-1)
            }
        }
        for (id, since) in judge.owed.sorted(by: { $0.key.slot < $1.key.slot }) {
            add(id)
            add(since.nanoseconds - now.nanoseconds)
        }
    }

    /// The keys of the fast phase: the cards', and the reader's, whose followed lists may be outdated.
    private mutating func add(_ badges: [Badge: any BadgeModel], _ reader: borrowing AccessReader) {
        for badge in Badge.all where badge.kind == .aliro { add([badges[badge]?.isKnown ?? false]) }
        guard let door = reader.aliroDoor else { return add(-1) }
        add(Int64(door.store.credentials.count))
        add(Int64(door.store.persistentPoints.count))
        add([door.store.anchors.isEmpty, door.store.revokedCount == 0])
        add([door.followedChanges == reader.cardChanges &+ reader.policy.changes])
    }

    /// The card in the field, and its transaction: with its responses, the state of both.
    private mutating func add(_ presence: World.Presence?) {
        guard let presence else { return add(-1) }
        add(Int64(Badge.all.firstIndex(of: presence.badge) ?? -1))
        add([presence.isReleased, presence.command != nil, polled?.proven != nil, polled?.proven == .awaited])
        add([polled?.session.isExecuting == true])
        add(over: polled?.state.nextDeadline ?? polled?.lastResponseDue ?? now)
        if !presence.isReleased { octets += Array(presence.responses.map(\.rawValue).joined(separator: " ").utf8) }
        // Its other octets are random.
        add(Int64(presence.lastResponse.count))
        octets += presence.lastResponse.suffix(2)
        add([presence.model.isKnown])
    }

    private mutating func add(_ disk: World.Disk, _ isAwaited: (World.Job) -> Bool) {
        for row in disk.policy.blacklist { octets += Array(row.credential.utf8) }
        add(-1)
        add(disk.marks)
        add(hour: disk.lastEvent)
        add([disk.isDamaged, disk.isFull])
        var former: [UInt8] = []
        for job in disk.queue {
            defer { if case .append = job {} else { former = [] } }
            switch job {
            case .contents: add(1)
            case .append(let submission):
                // What it does to the time of the last event is all that it does, unless somebody waits for it.
                var event = blank()
                event.add(hour: submission.event.time.epochSeconds)
                if isAwaited(job) { event.add(number(submission.id.number, .submissions)) }
                append(event, behind: &former)
                continue
            case .request(let id, let work):
                add(3)
                add(id.map { number($0.number, .commands) } ?? -1)
                add(work)
            }
        }
        add(9)
    }

    private mutating func add(_ work: StorageWork) {
        switch work {
        case .setting(_, let octets): if let marks = octets.flatMap({ ClockMarks($0) }) { add(marks) }
        case .blacklist(.put(let rows)), .blacklist(.replace(let rows)): add(4 + Int64(rows.count))
        case .blacklist(.clear): add(1)
        case .clock: add(2)
        default: add(3)
        }
    }

    // MARK: Values

    private mutating func add(_ number: Int64) {
        // Small numbers are most of them.
        guard !(-100...100).contains(number) else { return octets.append(UInt8(bitPattern: Int8(number))) }
        octets.append(0x7F)
        for shift in stride(from: 0, to: 64, by: 8) { octets.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    private mutating func add(_ flags: [Bool]) { add(flags.reduce(0) { $0 << 1 | ($1 ? 1 : 0) }) }

    private mutating func add(hour seconds: Int64) { add((seconds - Card.beginning + 1800).flooredHours) }

    /// An end: one that is over is over.
    private mutating func add(over end: Instant) { add(max(end.nanoseconds &- now.nanoseconds, 0)) }

    private mutating func add(_ id: LinkID) {
        guard id.slot < links.count else { return add(Int64(id.slot)) }
        // An earlier phone's link is gone, whichever it was.
        add(links[id.slot] == id ? Int64(id.slot) + 1 : -1)
    }

    private mutating func add(_ event: AuditEvent) {
        add(Int64(event.kind.rawValue))
        add(Int64(event.info))
    }

    private mutating func number(_ id: UInt64, _ numbering: Numbering) -> Int64 {
        if let known = numbers[numbering.rawValue][id] { return known }
        let next = Int64(numbers[numbering.rawValue].count + 1)
        numbers[numbering.rawValue][id] = next
        return next
    }

    /// Walks whatever a value is made of; `label` is what its owner calls it.
    private mutating func walk(_ value: Any, _ label: String) {
        switch value {
        case let instant as Instant: add(instant, label)
        case let number as Int: add(Int64(number))
        case let flag as Bool: add([flag])
        case let text as String: octets += Array(text.utf8) + [0]
        case let number as UInt64: add(number, label)
        case let number as any FixedWidthInteger: add(Int64(truncatingIfNeeded: number))
        case let duration as Duration: add(duration.wholeNanoseconds)
        case let id as LinkID: add(id)
        case let phone as PhoneID: if let id = phone.link { add(id) } else { add(-2) }
        case let link as AccessLink:
            walk(link.id, "")
            // A card that has left is not answered.
            if link is PolledCard { add([link === polled]) }
        case let event as AuditEvent: add(event)
        case let command as AuthorizedCommand:
            octets += Array((command.name.rawValue + command.credentialID).utf8) + [command.wasValidityChecked ? 1 : 2]
        case let decision as CredentialDecision:
            octets += Array("\(decision.outcome)".utf8)
        case let address as BluetoothAddress: octets += Array("\(address)".utf8)
        case let credential as OSSCredentialID: octets += Array(credential.text.utf8)
        // What was decided about it stands beside it.
        case is AuthorizedCredential: break
        case let waiting as [CommandID: PendingCommands.Waiting]:
            walk(waiting.map { ($0.key.number, $0.value) }, .commands)
        default: walkChildren(of: value, label)
        }
    }

    private mutating func walk(_ waiting: [(UInt64, some Any)], _ numbering: Numbering) {
        for (id, value) in waiting.sorted(by: { $0.0 < $1.0 }) {
            add(number(id, numbering))
            walk(value, "")
        }
        add(0)
    }

    private mutating func walkChildren(of value: Any, _ label: String) {
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .enum where mirror.children.isEmpty: octets += Array("\(value)".utf8)
        case .enum: octets += Array((mirror.children.first?.label ?? "").utf8)
        case .collection, .set, .dictionary, .optional: add(Int64(mirror.children.count))
        default: break
        }
        let isOptional = mirror.displayStyle == .optional
        for child in mirror.children where !Imprint.constant.contains(child.label ?? "") {
            walk(child.value, isOptional ? label : child.label ?? "")
        }
    }

    /// The events on their way, openings that wait for them, and requests that may come again. Of events that nobody
    /// waits for only the oldest one's age counts, and of the others whether they are with the disk, as often as that
    /// changes from one to the next. An answer that is over is none.
    private mutating func walk(_ ledger: RecordLedger) {
        var former: [UInt8] = []
        for (index, entry) in ledger.entries.enumerated() {
            var part = blank()
            if entry.opening != nil { part.add(number(entry.id.number, .submissions)) }
            part.add([entry.submittedAt != nil, entry.state == .over])
            if index == 0, let instant = entry.submittedAt { part.add(instant, "submitted") }
            part.add(over: entry.deadline ?? now)
            if let opening = entry.opening {
                part.add(entry.event)
                part.add(opening)
            }
            append(part, behind: &former)
        }
        add(-2)
        for (opening, answer) in ledger.decided {
            add(opening)
            walk(answer, "")
        }
        for answer in ledger.answered where answer.until > now {
            add(over: answer.until)
            walk(answer.request, "")
            walk(answer.answer, "")
        }
        walk(ledger.condition, "")
        walk(ledger.gatheringUntil as Any, "gatheringUntil")
        add([ledger.isFull])
        // Their number is only reported.
        add([ledger.lost > 0])
    }

    private mutating func add(_ opening: Opening) {
        add(number(opening.token.number, .grants))
        add(over: opening.until)
        walk(opening.requester, "")
        walk(opening.followers, "")
    }

    /// The same, with nothing in it yet.
    private func blank() -> Imprint {
        var part = self
        part.octets = []
        return part
    }

    /// Appends a part unless it is the same as the one before.
    private mutating func append(_ part: Imprint, behind former: inout [UInt8]) {
        if part.octets != former { octets += part.octets + [0x7E] }
        former = part.octets
    }

    /// State that never changes here, or is never read.
    private static let constant: Set<String> = [
        "policy", "times", "rule", "time", "nextNumber", "actor",
    ]

    private mutating func add(_ instant: Instant, _ label: String) {
        let distance = instant.nanoseconds &- now.nanoseconds
        switch label {
        // Ends, which are over or not. A disk that has been busy for a second has stalled.
        case "until", "shuntedUntil", "alarmAgain", "retryAt", "gatheringUntil", "deadline", "exitUntil":
            add(max(distance, 0))
        case "submitted": add(max(distance, -1_000_000_000))
        default: add(distance)
        }
    }

    private mutating func add(_ number: UInt64, _ label: String) {
        switch label {
        case "grant": add(self.number(number, .grants))
        default: add(Int64(truncatingIfNeeded: number))
        }
    }
}

extension OpeningToken {
    fileprivate var number: UInt64 {
        switch self {
        case .phone(let number), .update(let number), .operator(.control(let number)), .operator(.remote(let number)):
            number
        case .operator(.matter(let number)): UInt64(number)
        }
    }
}

extension Int64 {
    fileprivate var flooredHours: Int64 { self >= 0 ? self / 3600 : -((-self + 3599) / 3600) }
}
