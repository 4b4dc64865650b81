// SPDX-License-Identifier: Apache-2.0

import Fleet
import TestSupport
import Testing
import Timekeeping

/// Orders pass the link unread; their answers go to one topic, with the sender's correlation data.
@Suite struct OrderForwardingTests {
    private static let topic = "acc/v1/7761307931597753/down/cmd"
    private let start = Instant.origin

    private func connected() throws -> FleetSession {
        var session = FleetSession(spread: .zero, tellsHomeAssistant: false, random: SplitMix64(seed: 1))
        let log = try #require(LogID([UInt8](repeating: 7, count: 16)))
        session.receive(
            .reader(LinkReader(firmware: "1", device: "7761307931597753", name: "", log: log, newest: 0)), at: start)
        session.establish(at: start)
        _ = session.takeEffects()
        return session
    }

    @Test func anOrderGoesToTheReaderAsItCame() throws {
        var session = try connected()
        session.receive([1, 2], topic: Self.topic, isRetained: true, correlation: [9], at: start)
        #expect(session.takeEffects() == [.request(.order([1, 2], isRetained: true, number: 1))])
        session.receive([3], topic: Self.topic, at: start)
        #expect(session.takeEffects() == [.request(.order([3], isRetained: false, number: 2))])
        session.receive(.answer("{second}", number: 2), at: start)
        session.receive(.answer("{first}", number: 1), at: start)
        let answers = "acc/v1/7761307931597753/up/res"
        #expect(
            session.takeEffects() == [
                .answer("{second}", topic: answers, correlation: []),
                .answer("{first}", topic: answers, correlation: [9]),
            ])
        // An answer to no order, or a second one, goes nowhere.
        session.receive(.answer("{first}", number: 1), at: start)
        #expect(session.takeEffects().isEmpty)
    }

    @Test func eightOrdersAreOnTheirWayAtMost() throws {
        var session = try connected()
        for number in 1...UInt64(9) {
            session.receive([7], topic: Self.topic, at: start)
            #expect(
                session.takeEffects()
                    == (number <= 8 ? [.request(.order([7], isRetained: false, number: number))] : []))
        }
        session.receive(.answer("{}", number: 5), at: start)
        _ = session.takeEffects()
        session.receive([7], topic: Self.topic, at: start)
        #expect(session.takeEffects() == [.request(.order([7], isRetained: false, number: 9))])
        // A reader that does not answer is not waited for.
        session.receive([7], topic: Self.topic, at: start + .seconds(60))
        #expect(session.takeEffects().first == .request(.order([7], isRetained: false, number: 10)))
    }

    @Test func whatIsTooLongOrOfAnotherReaderIsDropped() throws {
        var session = try connected()
        session.receive([UInt8](repeating: 0, count: 2049), topic: Self.topic, at: start)
        session.receive([7], topic: "acc/v1/7761307931597754/down/cmd", at: start)
        #expect(session.takeEffects().isEmpty)
    }

    @Test func aReaderThatIsGoneAnswersNothing() throws {
        var session = try connected()
        session.receive([7], topic: Self.topic, at: start)
        session.loseReader(at: start)
        _ = session.takeEffects()
        session.receive(.answer("{}", number: 1), at: start)
        #expect(session.takeEffects().isEmpty)
    }
}
