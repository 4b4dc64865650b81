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

    private func begin(_ openings: inout Openings, _ wanted: Opening.Wanted? = nil, at now: Instant) -> OpeningToken {
        openings.begin(requester(0, wanted), Self.event, at: now)
    }

    /// Everybody who is told, in order, and what.
    private func answers(_ openings: inout Openings) -> [(phone: UInt32?, answer: Opening.Answer)] {
        var told: [(UInt32?, Opening.Answer)] = []
        while let (opening, requester, answer) = openings.answerNext() {
            told.append((requester.link?.id.number, answer))
            told += opening.followers.map { ($0.link?.id.number, answer.repeated) }
        }
        return told
    }

    @Test func aRequestIsTheSameIfTheSameCredentialAsksForTheSame() {
        var openings = Openings(reArmTime: .seconds(2))
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
        openings.remember(open, granted, at: at(0))
        for request in requests {
            #expect(openings.former(of: request, at: at(0)) == (request == requests[0] ? .answered(granted) : nil))
        }
    }

    @Test func anAnswerIsKeptForTheTimeAndWhatIsNotDecidedForLonger() {
        var openings = Openings(reArmTime: .seconds(2))
        let token = begin(&openings, at: at(0))
        #expect(openings.former(of: open.request, at: at(1)) == .waits(token))
        // A slow disk: nobody is let in twice for one request.
        #expect(openings.former(of: open.request, at: at(60_000)) == .waits(token))
        openings.decide(token, granted)
        #expect(openings.former(of: open.request, at: at(60_000)) == .waits(token), "nobody was told yet")
        #expect(answers(&openings).map(\.phone) == [0])
        #expect(openings.former(of: open.request, at: at(60_001)) == nil)
        openings.remember(open, granted, at: at(60_001))
        #expect(openings.former(of: open.request, at: at(62_000)) == .answered(granted))
        // The time runs from the one that was carried out: holding on does not renew it.
        #expect(openings.former(of: open.request, at: at(62_001)) == nil)
    }

    @Test func whatCameToNothingIsForgotten() {
        var openings = Openings(reArmTime: .seconds(2))
        let token = begin(&openings, at: at(0))
        openings.decide(token, .command(.unavailable))
        #expect(answers(&openings).map(\.answer) == [.command(.unavailable)])
        #expect(openings.former(of: open.request, at: at(1)) == nil && openings.all.isEmpty)
        openings.remember(open, .command(.unavailable), at: at(1))
        #expect(openings.all.isEmpty)
    }

    @Test func followersGetTheAnswerToTheirRequestInTheirOrder() {
        var openings = Openings(reArmTime: .seconds(2))
        let other = Self.command(.open, "CRED000002")
        let first = begin(&openings, at: at(0))
        let second = openings.begin(requester(1, other), Self.event, at: at(0))
        openings.follow(first, requester(2))
        openings.follow(second, requester(3, other))
        openings.follow(first, requester(4))
        #expect(answers(&openings).isEmpty)
        openings.decide(first, granted)
        #expect(answers(&openings).map(\.phone) == [0, 2, 4])
        #expect(answers(&openings).isEmpty, "once")
        openings.decide(second, .command(.unavailable))
        let told = answers(&openings)
        #expect(told.map(\.phone) == [1, 3] && told.allSatisfy { $0.answer == .command(.unavailable) })
    }

    /// A verdict that comes twice, or for nobody, changes nothing.
    @Test func anOpeningIsDecidedOnce() {
        var openings = Openings(reArmTime: .seconds(2))
        let token = begin(&openings, at: at(0))
        #expect(openings.recording(token)?.since == at(0) && openings.recording(.phone(99)) == nil)
        openings.decide(token, .command(.unavailable))
        #expect(openings.recording(token) == nil)
        openings.decide(token, granted)
        #expect(answers(&openings).map(\.answer) == [.command(.unavailable)])
        openings.decide(token, granted)
        #expect(answers(&openings).isEmpty)
    }

    @Test func tokensTellWhoAsks() {
        var openings = Openings(reArmTime: .seconds(2))
        #expect(begin(&openings, at: at(0)) == .phone(1))
        #expect(begin(&openings, Self.command(.bootLoader, "CRED000001"), at: at(0)) == .update(2))
        #expect(openings.former(of: Self.command(.bootLoader, "CRED000001").request, at: at(0)) == nil)
        openings.begin(.operator(.control(7)), Opening.Requester(wanted: .door(.pulse)), Self.event, at: at(0))
        openings.decide(.operator(.control(7)), .door(.logFull))
        #expect(answers(&openings).map(\.answer) == [.door(.logFull)])
        #expect(openings.all.count == 2, "an operator's is another one each time")
    }

    @Test func memoryIsBounded() {
        var openings = Openings(reArmTime: .seconds(2))
        let waiting = begin(&openings, at: at(0))
        let wanted = (0...Openings.capacity).map { Self.command(.open, "C\($0)") }
        for wanted in wanted { openings.remember(wanted, granted, at: at(0)) }
        #expect(openings.former(of: wanted[Openings.capacity].request, at: at(0)) == .answered(granted))
        #expect(openings.former(of: wanted[0].request, at: at(0)) == nil, "the oldest is forgotten")
        #expect(openings.former(of: open.request, at: at(0)) == .waits(waiting), "who waits is not")
        openings.remember(open, granted, at: at(5000))
        #expect(openings.all.count == 2, "what is over goes")
    }

    @Test func withoutATimeEveryRequestIsNew() {
        var openings = Openings(reArmTime: .zero)
        openings.remember(open, granted, at: at(0))
        #expect(openings.former(of: open.request, at: at(0)) == nil)
        let token = begin(&openings, at: at(0))
        #expect(openings.former(of: open.request, at: at(0)) == nil)
        openings.decide(token, granted)
        #expect(answers(&openings).count == 1 && openings.all.isEmpty)
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
