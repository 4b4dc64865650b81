// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Testing
import Timekeeping

@testable import Reader

/// The cost of a flood of records by whoever is trusted with something, as a number of records.
@Suite struct RecordBudgetTests {
    private static func time(_ milliseconds: Int) -> AuditTime {
        AuditTime(
            epochSeconds: 1_795_262_400 + Int64(milliseconds / 1000), utcOffsetMinutes: 0, quality: .system,
            uptimeMilliseconds: Int64(milliseconds))
    }

    private static func matter(
        _ kind: AuditKind, fabric: Int = 1, node: Int = 0xAA, command: String = "lock", at milliseconds: Int
    ) -> AuditEvent {
        AuditEvent(
            kind, at: time(milliseconds), channel: .matter, command: command,
            actor: "fabric \(fabric) node 00000000000000\(String(node % 256, radix: 16, uppercase: true))")
    }

    private static func control(_ kind: AuditKind, uid: Int = 1000, at milliseconds: Int) -> AuditEvent {
        AuditEvent(kind, at: time(milliseconds), channel: .control, command: "pulse", actor: "uid \(uid)")
    }

    private static func phone(_ kind: AuditKind, _ command: String, at milliseconds: Int) -> AuditEvent {
        AuditEvent(kind, at: time(milliseconds), channel: .bluetooth, credential: "CRED000001", command: command)
    }

    /// The records of events that come every `step` milliseconds for `seconds`, with a disk that works at once.
    private func flood(
        _ seconds: Int, every step: Int = 1, capacity: Int = 10_000, _ event: (Int) -> AuditEvent
    ) -> [AuditEvent] {
        var ledger = RecordLedger(AuditPolicy(capacity: capacity))
        var written: [AuditEvent] = []
        func write(at milliseconds: Int) {
            let now = Instant.origin + .milliseconds(milliseconds)
            while let submission = ledger.nextSubmission(at: now) {
                written.append(submission.event)
                ledger.stored(submission.id, isFull: false, at: now, Self.time(milliseconds))
            }
        }
        for milliseconds in stride(from: 0, to: seconds * 1000, by: step) {
            ledger.advance(to: .origin + .milliseconds(milliseconds), Self.time(milliseconds))
            ledger.record(event(milliseconds))
            write(at: milliseconds)
        }
        ledger.end(at: Self.time(seconds * 1000))
        write(at: seconds * 1000)
        return written
    }

    /// 1,000 orders a second for 8 s: 64 records, and one that says how many more.
    @Test func aMatterNodeWritesAShareAndIsCounted() throws {
        let written = flood(8) { Self.matter(.command, node: $0, at: $0) }
        #expect(written.count == 65 && written.dropLast().allSatisfy { $0.kind == .command })
        let count = try #require(written.last)
        #expect(count.kind == .recordsSuppressed && count.info == 8000 - 64 && count.channel == .matter)
        // The fabric, whose administrator names the nodes.
        #expect(count.actor == "fabric 1" && count.detail == "command lock")
    }

    /// A day of it costs 496 records: a log of 10,000 is safe for weeks.
    @Test func aDayOfOrdersCostsAFewHundredRecords() {
        let written = flood(86_400, every: 100) { Self.matter(.command, at: $0) }
        let kinds = Dictionary(grouping: written, by: \.kind)
        #expect(kinds[.command]?.count == 64 + 143 && kinds[.recordsSuppressed]?.count == 144)
        #expect(kinds.values.reduce(0) { $0 + $1.count } == written.count)
        // Each order has a record or is counted in one.
        let counted = kinds[.recordsSuppressed, default: []].reduce(0) { $0 + Int($1.info) }
        #expect(counted + 64 + 143 == 864_000)
    }

    /// A process that is taken names any fabric, and a user can map others: the channel has a budget as a whole.
    @Test func namesThatCanBeChosenAreNoBudgetOfTheirOwn() {
        let fabrics = flood(8) { Self.matter(.command, fabric: 1 + $0 % 254, at: $0) }
        #expect(fabrics.count { $0.kind == .command } == 128)
        #expect(fabrics.count { $0.kind == .recordsSuppressed } == 1 && fabrics.last?.actor == "")
        let users = flood(8) { Self.control(.command, uid: 100_000 + $0, at: $0) }
        #expect(users.count { $0.kind == .command } == 128 && users.count == 129)
    }

    /// One administrator's flood leaves the others their records.
    @Test func aFabricsFloodLeavesTheOthersTheirRecords() {
        var budget = RecordBudget(capacity: 10_000)
        for _ in 0..<1000 { _ = budget.admits(Self.matter(.command, fabric: 1, at: 0)) }
        #expect(budget.admits(Self.matter(.command, fabric: 1, at: 1)) == false)
        #expect(budget.admits(Self.matter(.command, fabric: 2, at: 1)) == true)
        #expect(budget.admits(Self.control(.command, at: 1)) == true)
        #expect(budget.admits(Self.phone(.command, "BL_PUSH", at: 1)) == true)
    }

    /// Every opening has its record, or is refused and recorded as refused.
    @Test func anOpeningWithoutRoomIsRefused() {
        var ledger = RecordLedger(AuditPolicy(isStrict: false))
        var (opened, refused) = (0, 0)
        for number in 0..<2000 {
            ledger.request(.phone(UInt64(number)), Self.control(.unlocked, at: number), at: .origin)
            let statuses = ledger.verdicts().map(\.status)
            if statuses == [.ok] { opened += 1 }
            if statuses == [.unavailable] { refused += 1 }
        }
        #expect(opened == 500 && refused == 1500)
        #expect(ledger.hasRoom(for: Self.control(.unlocked, at: 2000)) == false)
        // Another user's is served meanwhile, and this one's after the time for one more.
        #expect(ledger.hasRoom(for: Self.control(.unlocked, uid: 0, at: 2000)) == true)
        #expect(ledger.hasRoom(for: Self.control(.unlocked, at: 2000 + 172_800)) == true)
        var kinds: [AuditKind: Int] = [:]
        while let submission = ledger.nextSubmission(at: .origin) {
            kinds[submission.event.kind, default: 0] += 1
            ledger.stored(submission.id, isFull: false, at: .origin, Self.time(2000))
        }
        #expect(kinds == [.unlocked: 500, .denied: 64])
    }

    /// Questions do not hide changes, and changes do not hide an opening.
    @Test func questionsDoNotHideChanges() {
        var budget = RecordBudget(capacity: 10_000)
        for command in ["PING", "STATUS", "EV_QUERY", "gtim", "gcfg"] {
            for _ in 0..<100 { _ = budget.admits(Self.phone(.command, command, at: 0)) }
        }
        #expect(budget.admits(Self.phone(.command, "PING", at: 1)) == false)
        for _ in 0..<64 { #expect(budget.admits(Self.phone(.command, "BL_PUSH", at: 1)) == true) }
        #expect(budget.admits(Self.phone(.blacklistChanged, "BL_PUSH", at: 2)) == false)
        #expect(budget.admits(Self.phone(.granted, "tokn", at: 3)) == true)
    }

    /// A phone has one budget, whether it touches or not.
    @Test func aCredentialIsOnePartyOverEveryRadio() {
        var budget = RecordBudget(capacity: 10_000)
        var touch = Self.phone(.command, "PING", at: 0)
        touch.channel = .nfc
        for _ in 0..<64 { _ = budget.admits(touch) }
        #expect(budget.admits(Self.phone(.command, "PING", at: 1)) == false)
    }

    /// A contact, a button or a tamper switch that flutters, 50 edges a second for an hour. Exits are never refused.
    @Test func inputsThatFlutterAreCounted() {
        for kind in [AuditKind.doorOpened, .requestToExit, .tamper, .doorForced, .fire, .panelUnlocked] {
            let written = flood(3600, every: 20) { AuditEvent(kind, at: Self.time($0), channel: .local) }
            let records = written.count { $0.kind == kind }
            #expect(records == 500 + 3600 / 172 && written.count == records + 6)
            let counted = written.filter { $0.kind == .recordsSuppressed }.reduce(0) { $0 + Int($1.info) }
            #expect(records + counted == 180_000)
            #expect(written.last?.detail == kind.name)
        }
    }

    /// A phone in the window for Wi-Fi provisioning has proven nothing, and writes what a party may.
    @Test func aPhoneInTheProvisioningWindowIsCounted() {
        let written = flood(60, every: 2) {
            AuditEvent(
                .command, at: Self.time($0), channel: .bluetooth, command: "wifi", detail: "tries network \($0)")
        }
        #expect(written.count == 65 && written.last?.info == 30_000 - 64)
    }

    /// The reader's own events: a configuration that is reloaded again and again, a line that comes and goes.
    @Test func theReadersOwnEventsAreCountedByKind() {
        let written = flood(60, every: 10) {
            AuditEvent($0 % 20 == 0 ? .configurationChanged : .lineFailed, at: Self.time($0))
        }
        #expect(written.count { $0.kind == .configurationChanged } == 64)
        #expect(written.count { $0.kind == .lineFailed } == 64 && written.count == 130)
    }

    /// A user with more names than there are buckets has the room of the channel once.
    @Test func manyNamesDoNotRenewTheBudgetOfTheirChannel() {
        var budget = RecordBudget(capacity: 10_000)
        let opened = (0..<4000).count { number in
            budget.admits(
                AuditEvent(.unlocked, at: Self.time(number), channel: .control, actor: "uid \(number % 1000)"))
        }
        #expect(opened == 1000)
    }

    /// An administrator who floods the log with orders hides neither a window nor a new fabric.
    @Test func ordersHideNoFabric() {
        var budget = RecordBudget(capacity: 10_000)
        for number in 0..<1000 { _ = budget.admits(Self.matter(.command, at: number)) }
        #expect(budget.admits(Self.matter(.command, at: 1000)) == false)
        for kind in [AuditKind.matterWindow, .matterWindowEnded, .matterFabricAdded, .matterFabricRemoved] {
            #expect(budget.admits(Self.matter(kind, at: 1000)) == true)
        }
        for _ in 0..<100 { _ = budget.admits(Self.matter(.matterWindow, at: 1000)) }
        #expect(budget.hasRoom(for: Self.matter(.matterWindow, at: 1000)) == false)
        #expect(budget.admits(Self.matter(.matterFabricAdded, at: 1000)) == true)
    }

    /// Records that others bound have no budget: a withdrawal tells that the grant before it did not open.
    @Test func aWithdrawalIsNeverLeftOut() {
        var budget = RecordBudget(capacity: 100)
        for kind in [AuditKind.withdrawn, .start, .stop, .eventsLost, .recordsSuppressed, .unprovenSuppressed] {
            for _ in 0..<1000 { #expect(budget.admits(Self.control(kind, at: 0)) == true) }
        }
    }

    /// One party alone never fills a log of the least capacity.
    @Test func aSmallLogHasSmallShares() {
        var budget = RecordBudget(capacity: 100)
        var count = 0
        for number in 0..<1000 {
            for event in [
                Self.matter(.unlocked, command: "unlock", at: number), Self.matter(.command, at: number),
                Self.matter(.denied, at: number),
            ] where budget.admits(event) { count += 1 }
        }
        #expect(count < 100)
    }

    /// A count names what it counts, as far as the detail has room.
    @Test func aCountNamesItsKinds() throws {
        var budget = RecordBudget(capacity: 10_000)
        for _ in 0..<70 { _ = budget.admits(Self.control(.command, at: 0)) }
        for command in ["lockdown", "set-time", "survey", "osdp", "wifi"] {
            var event = AuditEvent(
                .command, at: Self.time(1), channel: .control, command: command, actor: "uid 1000")
            event.info = 0
            _ = budget.admits(event)
        }
        let counts = budget.counted(until: nil, Self.time(2))
        #expect(counts.map(\.info) == [11] && counts.map(\.actor) == ["uid 1000"])
        #expect(counts.first?.detail == "command pulse 6, command lockdown 1, command set-time 1, command")
    }
}
