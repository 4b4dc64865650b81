// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Crypto
import Peripheral
import Phone
import TestSupport
import Testing
import Timekeeping

@testable import Reader
@testable import ReaderTestSupport

/// Possession of slots, its length, and phones that get one although others want it more.
@Suite struct SlotTests {
    private static let idle = LinkEndReason.refused

    /// 2024-06-05 12:00, when the ended credential has ended and `CALLEDBACK` is on the blacklist.
    private func bench(_ slots: Int = 3, _ change: (inout AccessConfiguration) -> Void = { _ in }) throws -> ReaderBench
    {
        var bench = try ReaderBench {
            $0.maximumLinks = slots
            $0.reArm = .zero
            change(&$0)
        }
        bench.epochSeconds = wednesday(12, 0).epochSeconds
        bench.reader.policy.blacklist = Blacklist("CALLEDBACK")
        return bench
    }

    /// An OSS credential that ended a month ago.
    private static func ended() throws -> [UInt8] {
        var files = CredentialFiles()
        files.set(end: "202405050000", doors: ["0001 08"])
        return try TokenIssuer.demo().standardOfflineToken(files.message())
    }

    private static func command(_ name: CommandName, of credential: String) throws -> [UInt8] {
        let validity = TokenValidity(
            from: CivilTime(year: 2020, month: 1, day: 1), through: CivilTime(year: 2030, month: 1, day: 1))
        return try TokenIssuer.demo().commandToken(credentialID: credential, command: name, validity: validity)
    }

    private static let refused: [(String, @Sendable () throws -> [UInt8])] = [
        ("ended credential", { try SlotTests.ended() }),
        ("tokn that is called back", { try SlotTests.command(.open, of: "CALLEDBACK") }),
        ("command that does not exist", { try SlotTests.command(CommandName(rawValue: "NOSUCH"), of: "CRED000001") }),
        ("forged tokn", { try ReaderBench.token(.open, key: P256PrivateKey.generate()) }),
        ("ended tokn", { try ReaderBench.token(.open, through: 2021) }),
    ]

    @Test func aRefusalRenewsNoLink() throws {
        for (what, token) in Self.refused {
            var bench = try bench()
            let link = bench.connect(0, generation: 0)
            for milliseconds in stride(from: 500, to: 3000, by: 500) {
                bench.pass(until: milliseconds)
                _ = try bench.exchange(link, token: token())
            }
            bench.pass(until: 2999)
            #expect(!bench.port.requests.contains(.disconnect(link, Self.idle)), "\(what)")
            bench.pass(until: 3000)
            #expect(bench.port.requests.contains(.disconnect(link, Self.idle)), "\(what)")
        }
    }

    @Test func aRefusalIsHeldAgainstTheAddress() throws {
        for (what, token) in Self.refused {
            var bench = try bench(2)
            for attempt in 0..<AddressBackOff.freeRefusals {
                let link = bench.connect(0, generation: UInt32(attempt), phone: 7)
                _ = try bench.exchange(link, token: token())
                bench.event(.disconnected(link, reason: .remoteUserTerminated))
            }
            _ = bench.connect(0, generation: 10, phone: 8)
            let crowding = bench.connect(1, generation: 11, phone: 7)
            #expect(bench.takeNotices().last == .refused(.link(crowding), .backingOff), "\(what)")
        }
    }

    /// It is the reader that cannot, so nobody is to wait for it twice.
    @Test func aReaderThatIsBusyHoldsNothingAgainstAnybody() throws {
        var bench = try bench(2)
        bench.reader.awaitRestoration()
        for attempt in 0..<5 {
            let link = bench.connect(0, generation: UInt32(attempt), phone: 7)
            _ = try bench.exchange(link, token: ReaderBench.token(.open))
            bench.event(.disconnected(link, reason: .remoteUserTerminated))
        }
        _ = bench.connect(0, generation: 10, phone: 8)
        let next = bench.connect(1, generation: 11, phone: 7)
        #expect(bench.port.takeRequests().last == .advertise(false) && bench.reader.links.link(next) != nil)
    }

    @Test func aLinkEndsAtItsGreatestAgeWhateverGoesOverIt() throws {
        var bench = try bench { $0.longestConnection = .seconds(20) }
        let link = bench.connect(0, generation: 0)
        for second in 1..<20 {
            bench.pass(until: second * 1000)
            guard case .completed = try bench.exchange(link, token: ReaderBench.token(.ping)) else {
                Issue.record("not served after \(second) s")
                return
            }
        }
        bench.pass(until: 19_999)
        #expect(!bench.takeNotices().contains(.refused(.link(link), .lifetimeExceeded)))
        bench.pass(until: 20_000)
        #expect(bench.takeNotices().contains(.refused(.link(link), .lifetimeExceeded)))
    }

    /// 1.5 s without an exchange, half a second after one; and nobody goes while there is room.
    @Test func aFullPoolGivesUpTheLinkThatWasIdleForLongest() throws {
        var bench = try bench()
        let silent = bench.connect(0, generation: 0)
        bench.pass(until: 1200)
        let served = bench.connect(1, generation: 1)
        _ = try bench.exchange(served, token: ReaderBench.token(.ping))
        bench.pass(until: 1800)
        #expect(bench.reader.servedLinks == 2, "there is room")
        _ = bench.connect(2, generation: 2)
        bench.pass(until: 1800)
        // The silent one was due at 1500, the served one at 1700.
        #expect(bench.takeNotices().contains(.refused(.link(silent), .evicted)))
        #expect(bench.port.requests.suffix(2) == [.disconnect(silent, Self.idle), .advertise(true)])
        #expect(bench.reader.servedLinks == 2)
        _ = bench.connect(3, generation: 3)
        bench.pass(until: 1801)
        #expect(bench.takeNotices().contains(.refused(.link(served), .evicted)))
    }

    /// A phone that waits for the record of a grant is not idle.
    @Test func whoWaitsForAnAnswerDoesNotGiveWay() throws {
        var bench = try bench(1) { $0.isAudited = true }
        let link = bench.connect(0, generation: 0)
        bench.pass(until: 1400)
        _ = try bench.exchange(link, token: ReaderBench.token(.open))
        bench.pass(until: 2000)
        #expect(bench.reader.servedLinks == 1)
        bench.decide(.phone(1), .ok)
        bench.pass(until: 2499)
        #expect(bench.reader.servedLinks == 1)
        bench.pass(until: 2500)
        #expect(bench.takeNotices().contains(.refused(.link(link), .evicted)))
    }

    /// The exploration's finding: a refusal before set the link's time to make room, which then passed while the disk
    /// was slow, so that the link ended together with its late answer.
    @Test(arguments: [StatusCode.unavailable, .storageFull, .ok], [490, 1000])
    func aLateAnswerKeepsItsLinkForAPause(status: StatusCode, answeredAt: Int) throws {
        var bench = try bench(1) { $0.isAudited = true }
        let link = bench.connect(0, generation: 0)
        _ = try bench.exchange(link, token: ReaderBench.token(.open, key: P256PrivateKey.generate()))
        _ = try bench.exchange(link, token: ReaderBench.token(.open))
        // The time to make room: past, or close ahead.
        bench.pass(until: answeredAt)
        bench.decide(.phone(1), status)
        #expect(bench.port.notified.map(\.0) == [link])
        bench.pass(until: answeredAt + 499)
        #expect(bench.reader.servedLinks == 1)
        bench.pass(until: answeredAt + 500)
        #expect(bench.takeNotices().contains(.refused(.link(link), .evicted)))
    }

    @Test func oneCredentialNeverHoldsEverySlot() throws {
        var bench = try bench()
        var held: [LinkID] = []
        for slot in 0..<3 {
            let link = bench.connect(slot, generation: UInt32(slot), phone: UInt64(slot))
            _ = try bench.exchange(link, token: Self.command(.ping, of: "CRED000001"))
            held.append(link)
            bench.pass(until: 10 * (slot + 1))
        }
        #expect(bench.takeNotices().contains(.refused(.link(held[0]), .replaced)))
        #expect(bench.reader.servedLinks == 2)
        let other = bench.connect(3, generation: 3, phone: 9)
        _ = try bench.exchange(other, token: Self.command(.ping, of: "CRED000002"))
        #expect(bench.reader.servedLinks == 3)
    }

    /// Two phones of one credential at once: the first is answered although the second makes them too many.
    @Test func whoWaitsForAnAnswerIsNotReplaced() throws {
        var bench = try bench(2) { ($0.isAudited, $0.reArm) = (true, .seconds(2)) }
        let links = [bench.connect(0, generation: 0), bench.connect(1, generation: 1, phone: 200)]
        for link in links { _ = try bench.exchange(link, token: ReaderBench.token(.open)) }
        #expect(bench.reader.servedLinks == 2)
        bench.decide(.phone(1), .ok)
        #expect(bench.port.notified.map(\.0) == links)
    }

    // MARK: The attack

    /// Phones that show credentials which open nothing, every 2 s, and come again as soon as they are sent away; and
    /// one that is served if it gets a link.
    private struct Crowd: ~Copyable {
        var bench: ReaderBench
        var tokens: [[UInt8]]
        let rotates: Bool
        private var links: [LinkID?]
        private var asksAt: [Int]
        private var connectsAt: [Int]
        private var generation: UInt32 = 0
        private var taken: Set<Int> = []
        private var isAdvertised = true
        var now = 0

        /// From a free slot to a link, and from a link to a token, as on the interop rig.
        static let connecting = 60, asking = 200

        init(_ bench: consuming ReaderBench, tokens: [[UInt8]], rotates: Bool) {
            self.bench = bench
            self.tokens = tokens
            self.rotates = rotates
            links = tokens.map { _ in nil }
            asksAt = tokens.map { _ in 0 }
            connectsAt = tokens.indices.map { $0 * Crowd.connecting }
        }

        mutating func connect(phone: UInt64) -> LinkID? {
            guard isAdvertised, let slot = (0..<8).first(where: { !taken.contains($0) }) else { return nil }
            generation += 1
            taken.insert(slot)
            let link = bench.connect(slot, generation: generation, phone: phone)
            settle()
            return bench.reader.links.link(link)?.state.isClosing == false ? link : nil
        }

        mutating func leave(_ link: LinkID) {
            guard taken.remove(link.slot) != nil else { return }
            bench.event(.disconnected(link, reason: .remoteUserTerminated))
            settle()
        }

        private mutating func settle() {
            for request in bench.port.takeRequests() {
                switch request {
                case .advertise(let on): isAdvertised = on
                case .disconnect(let link, _):
                    taken.remove(link.slot)
                    bench.event(.disconnected(link, reason: .localHostTerminated))
                    for index in links.indices where links[index] == link {
                        links[index] = nil
                        connectsAt[index] = now + Crowd.connecting
                    }
                case .readRSSI, .readTransmitPower, .closeChannel: break
                }
            }
            if !bench.port.requests.isEmpty { settle() }
        }

        /// 10 ms of it.
        mutating func step() throws {
            now += 10
            bench.pass(until: now)
            settle()
            for index in tokens.indices {
                if let link = links[index] {
                    guard now >= asksAt[index] else { continue }
                    asksAt[index] = now + 2000
                    _ = try bench.exchange(link, token: tokens[index])
                    settle()
                } else if now >= connectsAt[index] {
                    connectsAt[index] = now + Crowd.connecting
                    let phone = rotates ? UInt64(1000 + generation) : UInt64(500 + index)
                    links[index] = connect(phone: phone)
                    asksAt[index] = now + Crowd.asking
                }
            }
        }
    }

    /// On the old rules the attackers' links never ended, and the rightful phone was served 0 of 13 times. Addresses
    /// cost an attacker nothing, so it is no better off with a new one for each link.
    @Test(arguments: [false, true]) func theRightfulPhoneIsServedAmongThreeDeadCredentials(rotates: Bool) throws {
        let tokens = try [Self.ended(), Self.command(.open, of: "CALLEDBACK"), Self.ended()]
        var crowd = try Crowd(bench(), tokens: tokens, rotates: rotates)
        let rightful = try Self.command(.open, of: "CRED000002")
        var waited: [Int] = []
        for coming in 1...13 {
            while crowd.now < coming * 7770 { try crowd.step() }
            let start = crowd.now
            var link: LinkID?
            while link == nil, crowd.now < start + 5000 {
                for _ in 0..<(Crowd.connecting / 10) { try crowd.step() }
                link = crowd.connect(phone: 42)
            }
            guard let link else { continue }
            for _ in 0..<(Crowd.asking / 10) { try crowd.step() }
            if try crowd.bench.exchange(link, token: rightful) == .completed([]) { waited.append(crowd.now - start) }
            crowd.leave(link)
        }
        #expect(waited.count == 13)
        #expect((waited.max() ?? 0) <= 1500, "\(waited)")
    }
}
