// SPDX-License-Identifier: Apache-2.0

import TestSupport
import AccessProtocol
import Crypto
import Peripheral
import Phone
import Protobuf
import Testing
import Timekeeping

@testable import Reader
@testable import ReaderTestSupport

/// Commands whose answer needs the event store (access protocol, 9).
@Suite struct StoredCommandTests {
    static func token(_ command: CommandName, _ data: [UInt8] = [], credential: String = "CRED000001") throws -> [UInt8]
    {
        let validity = TokenValidity(
            from: CivilTime(year: 2020, month: 1, day: 1), through: CivilTime(year: 2030, month: 1, day: 1))
        return try TokenIssuer.demo().commandToken(
            credentialID: credential, command: command, data: data, validity: validity)
    }

    static func octets(_ message: some ProtobufMessage) -> [UInt8] {
        var octets: [UInt8] = []
        message.encodeDelimited(into: &octets)
        return octets
    }

    static func entry(_ id: String, until year: UInt32 = 2029) throws -> BlacklistEntry {
        BlacklistEntry(
            credentialId: CredentialId(id: try BoundedBytes(ascii: id)),
            expiresAt: LocalTimestamp(year: year, month: 1, date: 1, hours: 0, minutes: 0, seconds: 0))
    }

    private func bench() throws -> ReaderBench { try ReaderBench { $0.isAudited = true } }

    @Test func aCommandWaitsForItsAnswer() throws {
        var bench = try bench()
        let link = bench.connect(0, generation: 4)
        let query = EventLogQuery(maxCount: 64, start: .sequenceId(7))
        var run = try StoredRun(&bench, link, Self.token(.eventQuery, Self.octets(query)))
        var asked = AuditQuery(7...AuditQuery.lastSequence)
        asked.limit = 40
        #expect(run.requests == [StorageRequest(id: CommandID(1), work: .events(asked))])
        #expect(bench.port.notified.isEmpty)
        let record = AuditRecord(sequence: 7, event: AuditSample.event())
        let step = run.answer(&bench, .events([record]))
        #expect(step == .completed(Self.octets(EventLogResult(events: [record.phoneEvent]))))
        #expect(bench.reader.auditEvents.map(\.kind) == [.command])
        #expect(bench.reader.auditEvents.first?.command == "EV_QUERY" && bench.reader.auditEvents.first?.info == 0)
    }

    /// Access protocol, 8.2: −8 is no storage left, −21 busy.
    @Test(arguments: [StatusCode.storageFull, .unavailable]) func whatCannotBeKeptIsToldAndTakenBack(
        status: StatusCode
    ) throws {
        var bench = try bench()
        let link = bench.connect(0, generation: 4)
        let entries = BlacklistEntries(entries: [try Self.entry("EVIL000001")])
        var run = try StoredRun(&bench, link, Self.token(.blacklistPush, Self.octets(entries)))
        #expect(bench.reader.blacklist.count == 1)
        let told1 = run.answer(&bench, .failed(status))
        #expect(told1 == .refused(status))
        #expect(bench.reader.blacklist.count == 0)
        #expect(bench.reader.auditEvents.map(\.info) == [Int32(status.rawValue)])
    }

    @Test func theWaitHasAnEnd() throws {
        var bench = try bench()
        let link = bench.connect(0, generation: 4)
        let entries = BlacklistEntries(entries: [try Self.entry("EVIL000001")])
        var run = try StoredRun(&bench, link, Self.token(.blacklistPush, Self.octets(entries)))
        bench.pass(until: 1499)
        #expect(bench.port.notified.isEmpty)
        bench.pass(until: 1500)
        let told2 = run.receive(&bench)
        #expect(told2 == .refused(.unavailable))
        // The answer that comes later changes what was to be changed, and nothing on the link.
        let id = try #require(run.requests.first?.id)
        bench.reader.answerStorage(id, .done, port: &bench.port, at: bench.moment)
        #expect(bench.port.notified.isEmpty && bench.reader.blacklist.count == 1)
        #expect(bench.reader.auditEvents.map(\.kind) == [.command, .blacklistChanged])
        #expect(bench.reader.auditEvents.map(\.info) == [-21, 1])
    }

    @Test func aPhoneThatLeftChangesNothing() throws {
        var bench = try bench()
        let link = bench.connect(0, generation: 4)
        let entries = BlacklistEntries(entries: [try Self.entry("EVIL000001")])
        var run = try StoredRun(&bench, link, Self.token(.blacklistPush, Self.octets(entries)))
        bench.event(.disconnected(link, reason: .remoteUserTerminated))
        _ = bench.connect(0, generation: 5, phone: 200)
        let told3 = run.answer(&bench, .done)
        #expect(told3 == .send)
        #expect(bench.port.notified.isEmpty && bench.reader.blacklist.count == 1)
        #expect(bench.reader.auditEvents.map(\.kind) == [.blacklistChanged, .command])
    }

    /// One command at a time: what is written before the answer is dropped, and the command still answered.
    @Test func aLinkHasOneCommandAtATime() throws {
        var bench = try bench()
        let link = bench.connect(0, generation: 4)
        var run = try StoredRun(&bench, link, Self.token(.eventClear))
        bench.write(link, [0x00, 0x13, 0x2E, 0x30])
        #expect(bench.takeNotices().contains(.messageRefused(.link(link), .unavailable, told: false)))
        #expect(bench.reader.storageRequests.isEmpty)
        let told4 = run.answer(&bench, .done)
        #expect(told4 == .completed([]))
    }

    @Test func clearingIsAnEventOfItsOwn() throws {
        var bench = try bench()
        let link = bench.connect(0, generation: 4)
        var run = try StoredRun(&bench, link, Self.token(.eventClear))
        guard case .clearEvents(let event)? = run.requests.first?.work else {
            Issue.record("asked for something else")
            return
        }
        #expect(event.kind == .logCleared && event.credential == "CRED000001" && event.command == "EV_CLEAR")
        let told5 = run.answer(&bench, .done)
        #expect(told5 == .completed([]))
        var lines = try StoredRun(&bench, link, Self.token(.systemLogClear))
        #expect(lines.requests.map(\.work) == [.clearSystemLines])
        let told6 = lines.answer(&bench, .done)
        #expect(told6 == .completed([]))
    }

    /// Pushes what is refused at once.
    private func push(_ bench: inout ReaderBench, _ data: [UInt8]) throws -> PhoneStep {
        let link = bench.connect(0, generation: 4)
        let run = try StoredRun(&bench, link, Self.token(.blacklistPush, data))
        #expect(run.requests.isEmpty && bench.reader.blacklist.count == 0)
        bench.event(.disconnected(link, reason: .remoteUserTerminated))
        return run.last
    }

    @Test func theBlacklistIsPushedWholeOrNotAtAll() throws {
        var bench = try ReaderBench {
            $0.isAudited = true
            $0.blacklistCapacity = 2
        }
        let good = try Self.entry("A")
        let nameless = BlacklistEntry(credentialId: CredentialId(id: BoundedBytes()), expiresAt: good.expiresAt)
        var odd = try Self.entry("B")
        odd.expiresAt.month = 13
        let rows: [([UInt8], StatusCode)] = [
            ([0x01], .decode), ([], .decode),
            (Self.octets(BlacklistEntries(entries: [good, nameless])), .credentialID),
            (Self.octets(BlacklistEntries(entries: [good, odd])), .standardOfflineTimestamp),
            (Self.octets(BlacklistEntries(entries: try ["A", "B", "C"].map { try Self.entry($0) })), .storageFull),
            (
                Self.octets(BlacklistEntries(entries: try (0..<65).map { try Self.entry("E\($0)") })),
                .tooManyBlacklistEntries
            ),
        ]
        for (data, status) in rows {
            let told = try push(&bench, data)
            #expect(told == .refused(status), "\(status.rawValue)")
        }
    }

    @Test func aPushedCredentialIsRefusedUntilTheListIsCleared() throws {
        var bench = try bench()
        let link = bench.connect(0, generation: 4)
        let entries = BlacklistEntries(entries: [try Self.entry("CRED000002"), try Self.entry("OLD", until: 2021)])
        var push = try StoredRun(&bench, link, Self.token(.blacklistPush, Self.octets(entries)))
        let kept = BlacklistRow(
            credential: "CRED000002", until: CivilTime(year: 2029, month: 1, day: 1, second: 59))
        #expect(push.requests.map(\.work) == [.blacklist(.put([kept]))])
        let told7 = push.answer(&bench, .done)
        #expect(told7 == .completed([]))
        let open = try Self.token(.ping, credential: "CRED000002")
        #expect(try bench.exchange(link, token: open) == .refused(.validity))
        var clear = try StoredRun(&bench, link, Self.token(.blacklistClear))
        #expect(clear.requests.map(\.work) == [.blacklist(.clear)])
        let told8 = clear.answer(&bench, .done)
        #expect(told8 == .completed([]))
        #expect(bench.reader.blacklist.count == 0)
        // One that could not be cleared is as it was.
        _ = bench.reader.restore([kept], at: bench.moment)
        var again = try StoredRun(&bench, link, Self.token(.blacklistClear))
        let told9 = again.answer(&bench, .failed(.unavailable))
        #expect(told9 == .refused(.unavailable))
        #expect(bench.reader.blacklist.rows == [kept])
    }

    /// Two backends call back the same credential while the disk is slow, and the first is not kept.
    @Test func aRevocationThatIsToldToBeKeptOutlivesAnotherThatIsNot() throws {
        var bench = try bench()
        let (one, two) = (bench.connect(0, generation: 4), bench.connect(1, generation: 5, phone: 200))
        let push = try Self.token(.blacklistPush, Self.octets(BlacklistEntries(entries: [Self.entry("EVIL000001")])))
        var first = try StoredRun(&bench, one, push)
        var second = try StoredRun(&bench, two, push)
        #expect(second.requests.map(\.work) == first.requests.map(\.work), "each is to be kept by itself")
        let told = (first.answer(&bench, .failed(.storageFull)), second.answer(&bench, .done))
        #expect(told == (.refused(.storageFull), .completed([])))
        #expect(bench.reader.blacklist.rows.map(\.credential) == ["EVIL000001"])
    }

    /// A request that waits for the disk leaves the kept data as it was, whichever part of it fails.
    @Test func aRevocationThatWasKeptOutlivesAClearingAndAnotherThatAreNot() throws {
        var bench = try bench()
        let (one, two) = (bench.connect(0, generation: 4), bench.connect(1, generation: 5, phone: 200))
        let kept = BlacklistRow(credential: "EVIL000001", until: CivilTime(year: 2029, month: 1, day: 1, second: 59))
        _ = bench.reader.restore([kept], at: bench.moment)
        var clear = try StoredRun(&bench, one, Self.token(.blacklistClear))
        let entries = BlacklistEntries(entries: [try Self.entry("EVIL000001")])
        var push = try StoredRun(&bench, two, Self.token(.blacklistPush, Self.octets(entries)))
        let told = (clear.answer(&bench, .failed(.unavailable)), push.answer(&bench, .failed(.unavailable)))
        #expect(told == (.refused(.unavailable), .refused(.unavailable)))
        #expect(bench.reader.blacklist.rows == [kept])
    }

    /// Requests in the meantime take no room from those that are put back.
    @Test func aListThatCouldNotBeClearedLosesNobody() throws {
        var bench = try ReaderBench {
            $0.isAudited = true
            $0.blacklistCapacity = 1
        }
        let link = bench.connect(0, generation: 4)
        let kept = BlacklistRow(credential: "CRED000002", until: CivilTime(year: 2029, month: 1, day: 1, second: 59))
        _ = bench.reader.restore([kept], at: bench.moment)
        var clear = try StoredRun(&bench, link, Self.token(.blacklistClear))
        let other = Blacklist.Entry(credentialID: try #require(OSSCredentialID("EVIL")), expiresAt: nil)
        let former = bench.reader.blacklist
        bench.reader.policy.blacklist.insert(other, at: nil)
        bench.reader.keep([other], since: former)
        let told = clear.answer(&bench, .failed(.unavailable))
        #expect(told == .refused(.unavailable))
        #expect(bench.reader.blacklist.rows.map(\.credential) == ["CRED000002", "EVIL"])
        #expect(try bench.exchange(link, token: Self.token(.ping, credential: "CRED000002")) == .refused(.validity))
    }

    @Test func statusCountsAndIsAnsweredWhateverTheDiskDoes() throws {
        var bench = try bench()
        let link = bench.connect(0, generation: 4)
        var counters = LogCounters()
        (counters.eventLimit, counters.events, counters.lastEvent) = (10_000, 12, 20_005)
        (counters.lineLimit, counters.lines, counters.lastLine) = (200, 3, 4)
        for answer in [StorageAnswer.counters(counters), .failed(.unavailable)] {
            var run = try StoredRun(&bench, link, Self.token(.status))
            #expect(run.requests.map(\.work) == [.counters])
            guard case .completed(let octets) = run.answer(&bench, answer) else {
                Issue.record("no status")
                return
            }
            let settings = try SystemStatus(decodingDelimited: octets.span).settings
            #expect(settings.eventLogMaxEntriesCount == 10_000 && settings.eventLogEntriesCount == 12)
            #expect(settings.eventLogSequenceId == 20_005 && settings.eventLogIndex == 5)
            #expect(settings.systemLogMaxEntriesCount == 200 && settings.systemLogEntriesCount == 3)
            #expect(settings.systemLogSequenceId == 4 && settings.systemLogIndex == 4)
        }
    }

    @Test func nothingIsDecidedBeforeTheBlacklistIsKnown() throws {
        var bench = try bench()
        let link = bench.connect(0, generation: 4)
        bench.reader.awaitRestoration()
        #expect(try bench.exchange(link, token: ReaderBench.token(.open)) == .refused(.unavailable))
        let row = BlacklistRow(credential: "CRED000001", until: CivilTime(year: 2029, month: 1, day: 1))
        let left = bench.reader.restore([row], at: bench.moment)
        #expect(left == 0 && bench.reader.openRequests.isEmpty)
        #expect(try bench.exchange(link, token: ReaderBench.token(.open)) == .refused(.validity))
    }

    /// An entry without an end comes back without one.
    @Test func rowsAndEntriesAreTheSame() throws {
        let forEver = Blacklist.Entry(credentialID: try #require(OSSCredentialID("EVIL")), expiresAt: nil)
        #expect(Blacklist.Entry(BlacklistRow(forEver)) == forEver)
        let stored = BlacklistRow(credential: "EVIL", until: CivilTime(epochSeconds: 0))
        #expect(Blacklist.Entry(stored) == forEver)
        #expect(Blacklist.Entry(BlacklistRow(credential: "", until: stored.until)) == nil)
    }

    /// A result has 1792 octets at most, and holds as many whole entries as fit it.
    @Test func answersHoldWhatFits() throws {
        let records = (1...64).map { AuditRecord(sequence: UInt64($0) + 1_000_000, event: AuditSample.event()) }
        var octets: [UInt8] = []
        PhoneAnswer.append(records, to: &octets)
        #expect(octets.count <= 1792)
        let events = try EventLogResult(decodingDelimited: octets.span).events
        #expect(events == records.prefix(events.count).map(\.phoneEvent))
        #expect(events.count == 39)
        let text = String(repeating: "x", count: 200)
        let lines = (1...16).map { number in
            var line = SystemLine(
                time: AuditSample.time, severity: .warning, file: text, line: 1_000_000, message: text)
            line.sequence = UInt64(number)
            return line
        }
        octets = []
        PhoneAnswer.append(lines, to: &octets)
        #expect(octets.count <= 1792)
        #expect(try SystemLogResult(decodingDelimited: octets.span).entries == lines.prefix(9).map(\.phoneEntry))
        octets = []
        PhoneAnswer.append([SystemLine](), to: &octets)
        #expect(octets == [0])
    }
}

extension PhoneStep {
    /// The reader has answered by this status.
    static func refused(_ status: StatusCode) -> PhoneStep { .failed(PhoneFailure(.peerStatus, terminal: status)) }
}

/// A phone's exchange that stops in the middle, where the reader waits for an answer.
struct StoredRun: ~Copyable {
    private var phone = PhoneSession()
    private(set) var requests: [StorageRequest] = []
    /// The phone's last step.
    private(set) var last = PhoneStep.send

    init(_ bench: inout ReaderBench, _ link: LinkID, _ token: [UInt8]) throws {
        last = phone.start(token: token.span, terminal: try DemoKeys.terminal(), random: &bench.random)
        var frame: [UInt8] = []
        for _ in 0..<4 where last == .send {
            while phone.nextFrame(limit: bench.port.mtu - 3, into: &frame) { bench.write(link, frame) }
            guard !bench.port.notified.isEmpty else { break }
            _ = receive(&bench)
        }
        requests = bench.reader.storageRequests
        bench.reader.storageRequests = []
    }

    /// The phone's step after the reader's frames.
    mutating func receive(_ bench: inout ReaderBench) -> PhoneStep {
        for (_, _, answer) in exchange(&bench.port.notified, with: []) {
            last = phone.receive(answer.span, random: &bench.random)
        }
        return last
    }

    /// Answers the request; what the phone makes of it.
    mutating func answer(_ bench: inout ReaderBench, _ answer: StorageAnswer, id: CommandID? = nil) -> PhoneStep {
        guard let id = id ?? requests.first?.id else { return last }
        bench.reader.answerStorage(id, answer, port: &bench.port, at: bench.moment)
        return receive(&bench)
    }
}
