import AccessProtocol
import Peripheral
import Testing
import Timekeeping

@testable import Reader
@testable import ReaderTestSupport

@Suite struct RepeatedRequestsTests {
    private let open = OpeningRequest(wanted: .command(.open), credentialID: "CRED000001")
    private let granted = RepeatedRequests.Answer.command(.ok)

    private func at(_ milliseconds: Int64) -> Instant { .origin + .milliseconds(milliseconds) }

    @Test func aRequestIsTheSameIfTheSameCredentialAsksForTheSame() {
        var repeats = RepeatedRequests(time: .seconds(2))
        let others = [
            OpeningRequest(wanted: .command(.officeOn), credentialID: "CRED000001"),
            OpeningRequest(wanted: .command(.open), credentialID: "CRED000002"),
            OpeningRequest(wanted: .credential(.standardOffline, .defaultTime), credentialID: "CRED000001"),
            OpeningRequest(wanted: .credential(.standardOffline, .extendedTime), credentialID: "CRED000001"),
            OpeningRequest(wanted: .credential(.secureIdentifier, .defaultTime), credentialID: "CRED000001"),
            OpeningRequest(wanted: .credential(.standardOffline, nil), credentialID: "CRED000001"),
        ]
        for request in [open] + others {
            #expect(repeats.begin(request, at: at(0)) == nil)
            repeats.settle(request, granted, isKept: true)
        }
        for request in [open] + others { #expect(repeats.begin(request, at: at(1999)) == granted) }
    }

    @Test func anAnswerIsKeptForTheTimeAndWhatIsNotDecidedForLonger() {
        var repeats = RepeatedRequests(time: .seconds(2))
        #expect(repeats.begin(open, at: at(0)) == nil)
        #expect(repeats.begin(open, at: at(1)) == .waiting)
        // A slow disk: nobody is let in twice for one request.
        #expect(repeats.begin(open, at: at(60_000)) == .waiting)
        repeats.settle(open, granted, isKept: true)
        #expect(repeats.begin(open, at: at(60_001)) == nil)
        repeats.settle(open, granted, isKept: true)
        #expect(repeats.begin(open, at: at(62_000)) == granted)
        #expect(repeats.begin(open, at: at(62_001)) == nil)
    }

    @Test func whatCameToNothingIsForgotten() {
        var repeats = RepeatedRequests(time: .seconds(2))
        #expect(repeats.begin(open, at: at(0)) == nil)
        repeats.settle(open, .command(.unavailable), isKept: false)
        #expect(repeats.begin(open, at: at(1)) == nil)
    }

    @Test func followersGetTheAnswerToTheirRequestInTheirOrder() {
        var repeats = RepeatedRequests(time: .seconds(2))
        let other = OpeningRequest(wanted: .command(.open), credentialID: "CRED000002")
        let command = AuthorizedCommand(
            credentialID: "CRED000001", name: .open, data: [],
            validity: TokenValidity(from: CivilTime(epochSeconds: 0), through: CivilTime(epochSeconds: 0)),
            wasValidityChecked: true)
        func follower(_ slot: Int) -> RepeatedRequests.Follower {
            RepeatedRequests.Follower(link: LinkID(slot: slot, generation: 1), shown: .command(command))
        }
        _ = repeats.begin(open, at: at(0))
        _ = repeats.begin(other, at: at(0))
        repeats.follow(open, follower(1))
        repeats.follow(other, follower(2))
        repeats.follow(open, follower(3))
        #expect(repeats.nextDecided()?.follower.link == nil)
        repeats.settle(open, granted, isKept: true)
        #expect(repeats.nextDecided().map { $0.follower.link.slot } == 1)
        #expect(repeats.nextDecided().map { $0.follower.link.slot } == 3)
        #expect(repeats.nextDecided()?.follower.link == nil)
        repeats.settle(other, .command(.unavailable), isKept: false)
        let last = repeats.nextDecided()
        #expect(last?.follower.link.slot == 2 && last?.answer == .command(.unavailable))
        #expect(repeats.nextDecided()?.follower.link == nil)
    }

    @Test func withoutATimeEveryRequestIsNew() {
        var repeats = RepeatedRequests(time: .zero)
        for _ in 0..<2 {
            #expect(repeats.begin(open, at: at(0)) == nil)
            repeats.settle(open, granted, isKept: true)
        }
    }
}
