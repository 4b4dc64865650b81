// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Peripheral
import Testing
import Timekeeping

@testable import Reader
@testable import ReaderTestSupport

/// Openings that wait, those who ask for the same, and what is remembered of them.
@Suite struct OpeningsTests {
    private let open = OpeningsTests.command(.open, "CRED000001")
    private let granted = Opening.Answer.command(.ok)
    private static let event = AuditSample.event()

    private static func command(_ name: CommandName, _ credential: String) -> Opening.Wanted {
        .command(
            AuthorizedCommand(
                credentialID: credential, name: name, data: [],
                validity: TokenValidity(from: CivilTime(epochSeconds: 0), through: CivilTime(epochSeconds: 0)),
                wasValidityChecked: true))
    }

    private func at(_ milliseconds: Int64) -> Instant { .origin + .milliseconds(milliseconds) }

    private func requester(_ slot: Int, _ wanted: Opening.Wanted? = nil) -> Opening.Requester {
        let times = LinkTimes(idle: .seconds(3), longest: .seconds(60))
        let link = AccessLink(id: .tap(UInt32(slot)), times: times, at: at(0))
        return Opening.Requester(link: link, wanted: wanted ?? open)
    }

    private func begin(
        _ ledger: inout RecordLedger, _ wanted: Opening.Wanted? = nil, slot: Int = 0, at now: Instant
    ) -> OpeningToken? {
        ledger.request(requester(slot, wanted), Self.event, at: now)
        return ledger.waiting.last?.token
    }

    /// Decides as the reader does, once the opening has its verdict.
    private func decide(_ ledger: inout RecordLedger, _ token: OpeningToken?, _ answer: Opening.Answer) {
        guard let token, let (opening, _) = ledger.endWait(token) else { return }
        ledger.decided.append((opening, answer))
    }

    /// Everybody who is told, in order, and what.
    private func answers(
        _ ledger: inout RecordLedger, at now: Instant = .origin
    ) -> [(phone: UInt32?, answer: Opening.Answer)] {
        var told: [(UInt32?, Opening.Answer)] = []
        while let (opening, answer) = ledger.nextAnswer(at: now) {
            told.append((opening.requester.link?.id.number, answer))
            told += opening.followers.map { ($0.link?.id.number, answer.repeated) }
        }
        return told
    }

    @Test func aRequestIsTheSameIfTheSameCredentialAsksForTheSame() {
        var ledger = RecordLedger(AuditPolicy(), reArmTime: .seconds(2))
        let requests = [
            OpeningRequest(wanted: .command(.open), credentialID: "CRED000001"),
            OpeningRequest(wanted: .command(.officeOn), credentialID: "CRED000001"),
            OpeningRequest(wanted: .command(.open), credentialID: "CRED000002"),
            OpeningRequest(wanted: .credential(.standardOffline, .defaultTime), credentialID: "CRED000001"),
            OpeningRequest(wanted: .credential(.standardOffline, .extendedTime), credentialID: "CRED000001"),
            OpeningRequest(wanted: .credential(.secureIdentifier, .defaultTime), credentialID: "CRED000001"),
            OpeningRequest(wanted: .credential(.standardOffline, nil), credentialID: "CRED000001"),
        ]
        #expect(open.request == requests[0])
        ledger.keep(granted, to: open, at: at(0))
        for request in requests {
            #expect(ledger.former(of: request, at: at(0)) == (request == requests[0] ? .answered(granted) : nil))
        }
    }

    @Test func anAnswerIsKeptForTheTimeAndWhatIsNotDecidedForLonger() {
        var ledger = RecordLedger(AuditPolicy(), reArmTime: .seconds(2))
        let token = begin(&ledger, at: at(0))
        #expect(ledger.former(of: open.request, at: at(1)) == token.map { .waits($0) })
        // A slow disk: nobody is let in twice for one request.
        #expect(ledger.former(of: open.request, at: at(60_000)) == token.map { .waits($0) })
        decide(&ledger, token, granted)
        #expect(ledger.former(of: open.request, at: at(60_000)) == token.map { .waits($0) }, "nobody was told yet")
        #expect(answers(&ledger, at: at(60_000)).map(\.phone) == [0])
        #expect(ledger.former(of: open.request, at: at(60_001)) == nil)
        ledger.keep(granted, to: open, at: at(60_001))
        #expect(ledger.former(of: open.request, at: at(62_000)) == .answered(granted))
        // The time runs from the one that was carried out: holding on does not renew it.
        #expect(ledger.former(of: open.request, at: at(62_001)) == nil)
    }

    @Test func whatCameToNothingIsForgotten() {
        var ledger = RecordLedger(AuditPolicy(), reArmTime: .seconds(2))
        let token = begin(&ledger, at: at(0))
        decide(&ledger, token, .command(.unavailable))
        #expect(answers(&ledger).map(\.answer) == [.command(.unavailable)])
        #expect(ledger.former(of: open.request, at: at(1)) == nil && !ledger.hasOpenings && ledger.answered.isEmpty)
        ledger.keep(.command(.unavailable), to: open, at: at(1))
        #expect(!ledger.hasOpenings && ledger.answered.isEmpty)
        ledger.keep(granted, to: open, at: at(1))
        ledger.keep(.command(.unavailable), to: open, at: at(2))
        #expect(ledger.former(of: open.request, at: at(3)) == nil, "the door has refused since")
    }

    @Test func followersGetTheAnswerToTheirRequestInTheirOrder() throws {
        var ledger = RecordLedger(AuditPolicy(), reArmTime: .seconds(2))
        let other = Self.command(.open, "CRED000002")
        let first = try #require(begin(&ledger, at: at(0)))
        let second = try #require(begin(&ledger, other, slot: 1, at: at(0)))
        ledger.follow(first, requester(2))
        ledger.follow(second, requester(3, other))
        ledger.follow(first, requester(4))
        #expect(answers(&ledger).isEmpty)
        decide(&ledger, first, granted)
        #expect(answers(&ledger).map(\.phone) == [0, 2, 4])
        #expect(answers(&ledger).isEmpty, "once")
        decide(&ledger, second, .command(.unavailable))
        let told = answers(&ledger)
        #expect(told.map(\.phone) == [1, 3] && told.allSatisfy { $0.answer == .command(.unavailable) })
    }

    /// A verdict that comes twice, or for nobody, changes nothing.
    @Test func anOpeningIsDecidedOnce() {
        var ledger = RecordLedger(AuditPolicy(), reArmTime: .seconds(2))
        let token = begin(&ledger, at: at(0))
        #expect(ledger.entries.map(\.opening?.since) == [at(0)] && ledger.endWait(.phone(99)) == nil)
        decide(&ledger, token, .command(.unavailable))
        #expect(ledger.waiting.isEmpty)
        decide(&ledger, token, granted)
        #expect(answers(&ledger).map(\.answer) == [.command(.unavailable)])
        decide(&ledger, token, granted)
        #expect(answers(&ledger).isEmpty)
    }

    @Test func tokensTellWhoAsks() {
        var ledger = RecordLedger(AuditPolicy(), reArmTime: .seconds(2))
        #expect(begin(&ledger, at: at(0)) == .phone(1))
        #expect(begin(&ledger, Self.command(.bootLoader, "CRED000001"), at: at(0)) == .update(2))
        #expect(ledger.former(of: Self.command(.bootLoader, "CRED000001").request, at: at(0)) == nil)
        ledger.request(.operator(.control(7)), Self.event, at: at(0))
        decide(&ledger, .operator(.control(7)), .door(.logFull))
        #expect(answers(&ledger).map(\.answer) == [.door(.logFull)])
        #expect(ledger.waiting.count == 2 && ledger.answered.isEmpty, "an operator's is another one each time")
    }

    @Test func memoryIsBounded() {
        var ledger = RecordLedger(AuditPolicy(), reArmTime: .seconds(2))
        let waiting = begin(&ledger, at: at(0))
        let wanted = (0...RecordLedger.answerLimit).map { Self.command(.open, "C\($0)") }
        for wanted in wanted { ledger.keep(granted, to: wanted, at: at(0)) }
        #expect(ledger.former(of: wanted[RecordLedger.answerLimit].request, at: at(0)) == .answered(granted))
        #expect(ledger.former(of: wanted[0].request, at: at(0)) == nil, "the oldest is forgotten")
        #expect(ledger.former(of: open.request, at: at(0)) == waiting.map { .waits($0) }, "who waits is not")
        ledger.keep(granted, to: open, at: at(5000))
        #expect(ledger.waiting.count == 1 && ledger.answered.count == 1, "what is over goes")
    }

    @Test func withoutATimeEveryRequestIsNew() {
        var ledger = RecordLedger(AuditPolicy())
        ledger.keep(granted, to: open, at: at(0))
        #expect(ledger.former(of: open.request, at: at(0)) == nil)
        let token = begin(&ledger, at: at(0))
        #expect(ledger.former(of: open.request, at: at(0)) == nil)
        decide(&ledger, token, granted)
        #expect(answers(&ledger).count == 1 && !ledger.hasOpenings && ledger.answered.isEmpty)
    }

    /// The additions to the blacklist are told with the first answer alone.
    @Test func whatWasAddedIsToldOnce() throws {
        let entry = Blacklist.Entry(credentialID: try #require(OSSCredentialID("EVIL")), expiresAt: nil)
        var decision = CredentialDecision(.standardOffline, of: nil, .granted(.defaultTime))
        decision.blacklistAdditions = [entry]
        let answer = Opening.Answer.credential(decision)
        guard case .credential(let repeated) = answer.repeated else { return #expect(Bool(false)) }
        #expect(repeated.blacklistAdditions.isEmpty && repeated.outcome == decision.outcome)
    }
}
