// SPDX-License-Identifier: Apache-2.0

import Crypto
import MatterTLV
import TestSupport
import Testing
import Timekeeping

@testable import MatterSession
@testable import MatterTestSupport

/// Hostile and unlucky commissioners: wrong codes, half-open attempts, bad points, bad messages.
struct PASEAttackTests {
    private func rig() throws -> ChannelRig {
        let rig = ChannelRig()
        rig.channel.acceptPASE(try PASEInitiator.parameters())
        return rig
    }

    /// A commissioner with a number of its own.
    private func initiator(_ number: UInt64, passcode: UInt32 = 20_202_021) throws -> PASEInitiator {
        try PASEInitiator(TestInitiator(node: number), passcode: passcode)
    }

    @Test func noWindowNoAnswer() throws {
        let rig = ChannelRig()
        let initiator = try PASEInitiator()
        #expect(rig.receive(initiator.request()) == [] && rig.drain() == ["dropped unexpected"])
        #expect(rig.channel.deadline == nil && rig.channel.initiators.isEmpty && rig.channel.exchanges.isEmpty)
        // Also to an initiator that is known from before.
        let (open, _) = try SessionRig.pase()
        let again = try PASEInitiator(TestInitiator(counter: 2000, exchange: 0x4712))
        #expect(open.receive(again.request()) == [] && open.advance(by: 1000).isEmpty)
    }

    /// A wrong code: refused at Pake3, counted. The next attempt can begin at once.
    @Test func wrongCode() throws {
        let rig = try rig()
        let wrong = try initiator(1, passcode: 11_223_344)
        let report = try wrong.establish(with: rig).last
        #expect(!wrong.isConfirmed && report.report == .invalidParameter)
        #expect(rig.drain() == ["began", "failed", "attemptEnded"] && rig.channel.sessionIDs == [])
        let right = try initiator(2)
        _ = try right.establish(with: rig, from: .host(2))
        #expect(rig.established != nil)
    }

    /// An attempt that ends after Pake2, by silence, report, replacement or a lost link: cB verifies a guess as well.
    @Test(arguments: ["silence", "report", "replacement", "nonsense"])
    func endAfterPake2Counts(end: String) throws {
        let rig = try rig()
        let initiator = try initiator(1)
        let response = try rig.answer(initiator.request())
        rig.receive(try initiator.pake1(after: response))
        _ = rig.drain()
        switch end {
        case "silence": rig.advance(by: 20_000)
        case "report": rig.receive(initiator.messages.message(0x40, StatusReport.invalidParameter.octets))
        case "nonsense": rig.receive(initiator.messages.message(0x22, [1, 2, 3]))
        default:
            let other = try PASEInitiator(TestInitiator(node: 1, counter: 3000, exchange: 1))
            rig.receive(other.request())
        }
        #expect(rig.drain().filter { $0 != "began" } == ["failed", "attemptEnded"])
        #expect(rig.channel.countedFailures == 1)
    }

    /// Before Pake2, the peer has learned nothing: the end does not count.
    @Test func endBeforePake2DoesNotCount() throws {
        let rig = try rig()
        for number in 0..<30 as Range<UInt64> {
            let initiator = try initiator(number)
            #expect(rig.receive(initiator.request(), from: .host(UInt8(number))).count == 1)
            rig.advance(by: 20_000)
        }
        #expect(rig.channel.countedFailures == 0)
        #expect(rig.drain().filter { $0 == "began" }.count == 30)
    }

    /// 5.6.2: after 20 failures that count, PASE is not answered until the window opens again.
    @Test func twentyFailures() throws {
        let rig = try rig()
        for number in 1...20 as ClosedRange<UInt64> {
            let initiator = try initiator(number, passcode: 11_223_344)
            _ = try initiator.establish(with: rig)
        }
        let effects = rig.drain()
        #expect(effects.count { $0 == "failed" } == 20)
        #expect(effects.suffix(3) == ["failed", "attemptEnded", "exhausted"])
        let late = try initiator(99)
        #expect(rig.receive(late.request()) == [])
        rig.channel.acceptPASE(try PASEInitiator.parameters())
        let next = try initiator(100)
        _ = try next.establish(with: rig)
        #expect(rig.established != nil)
    }

    /// A share off the curve, at infinity or of another form is refused before Pake2.
    @Test(arguments: [
        "04" + String(repeating: "11", count: 64), "04" + String(repeating: "00", count: 64),
        "02" + String(repeating: "11", count: 64), "04" + String(repeating: "FF", count: 64),
    ])
    func pointsOffTheCurve(share: String) throws {
        let rig = try rig()
        let initiator = try initiator(1)
        let response = try initiator.messages.read(rig.answer(initiator.request()))
        let datagram = initiator.pake1(share: octets(share), acknowledging: response)
        let report = try initiator.messages.read(rig.answer(datagram))
        #expect(report.report == .invalidParameter && rig.drain() == ["began", "attemptEnded"])
    }

    /// w0·M as share makes Z infinite: only a peer with the code can send it, and nothing is derived from it.
    @Test func infiniteSecret() throws {
        let rig = try rig()
        let initiator = try initiator(1)
        let response = try initiator.messages.read(rig.answer(initiator.request()))
        let salt = PASEInitiator.salt
        let scalars = try SPAKE2PlusScalars(passcode: 20_202_021, salt: salt.span, iterations: 1000)
        let w0 = scalars.w0
        let share = try P256Group.multiply(SPAKE2PlusConstants.m, by: w0.span)
        let datagram = initiator.pake1(share: octets(share.octets), acknowledging: response)
        #expect(try initiator.messages.read(rig.answer(datagram)).report == .invalidParameter)
    }

    /// One attempt at a time: another commissioner is told to wait, without acknowledgement, and can begin later.
    @Test func busy() throws {
        let rig = try rig()
        let first = try initiator(1)
        let second = try initiator(2)
        rig.receive(first.request())
        let busy = try second.messages.read(rig.answer(second.request(), from: .host(2)))
        #expect(!busy.isReliable && busy.acknowledged == second.messages.counter)
        #expect(hex(busy.payload) == "0800" + "00000000" + "0400" + "8813")
        rig.advance(by: 5_000)
        let third = try initiator(3)
        let answers = rig.receive(third.request(), from: .host(2))
        #expect(try third.messages.read(#require(answers.last)).proto.opcode == 0x21)
        #expect(rig.drain() == ["began", "attemptEnded", "began"] && rig.channel.countedFailures == 0)
        // After Pake2 there is more to lose, and the time is Pake3's.
        rig.receive(try third.pake1(after: #require(answers.last)), from: .host(2))
        let fourth = try initiator(4)
        let refused = try fourth.messages.read(rig.answer(fourth.request(), from: .host(3)))
        #expect(hex(refused.payload).hasSuffix("204e"))
    }

    /// The host whose attempt lapsed waits for 5 s, so that another one comes in turn.
    @Test func turns() throws {
        let rig = try rig()
        let hostile = try initiator(1)
        rig.receive(hostile.request())
        while rig.channel.attempt != nil { rig.advance(by: 100) }
        let again = try initiator(2)
        let refused = rig.receive(again.request(), from: .host(1, port: 9999))
        #expect(try again.messages.read(#require(refused.first)).report?.code == StatusReport.Code.busy)
        let honest = try initiator(3)
        _ = try honest.establish(with: rig, from: .host(2))
        #expect(rig.established != nil)
    }

    /// A peer that begins again and again holds nobody back for longer than one that begins once.
    @Test func replacements() throws {
        let rig = try rig()
        for number in 0..<50 as Range<UInt64> {
            let hostile = try initiator(number)
            rig.receive(hostile.request(), from: .ble(link: 1))
            rig.advance(by: 100)
        }
        let honest = try initiator(99)
        _ = try honest.establish(with: rig, from: .host(2))
        #expect(rig.established != nil)
    }

    /// A replacement that is the twentieth failure is not answered.
    @Test func replacementThatEndsTheWindow() throws {
        let rig = try rig()
        for number in 0..<20 as Range<UInt64> {
            let initiator = try initiator(number)
            let response = try rig.answer(initiator.request(), from: .ble(link: 1))
            rig.receive(try initiator.pake1(after: response), from: .ble(link: 1))
        }
        let last = try initiator(20)
        #expect(rig.receive(last.request(), from: .ble(link: 1)) == [] && rig.drain().last == "exhausted")
    }

    /// One machine with several addresses, each asking ten times a second: its waits grow until others come in between.
    @Test(arguments: [1, 3, 9] as [UInt8])
    func addresses(count: UInt8) throws {
        let rig = try rig()
        var number: UInt64 = 1000
        func ask(_ host: UInt8) throws -> Bool {
            number += 1
            let initiator = TestInitiator(node: number)
            initiator.isReliable = false
            let request = try PASEInitiator(initiator).request()
            return try rig.receive(request, from: .host(host)).contains { try initiator.read($0).proto.opcode == 0x21 }
        }
        var waited = 0
        repeat {
            for host in 1...count { _ = try ask(host) }
            rig.advance(by: 100)
            waited += 100
        } while try !ask(100) && waited < 300_000
        #expect(waited <= 65_000)
    }

    /// 60 s for an attempt, however often messages come: here Pake1 late, then silence.
    @Test func times() throws {
        let rig = try rig()
        let initiator = try initiator(1)
        let response = try rig.answer(initiator.request(), from: .ble(link: 0))
        rig.advance(by: 19_999)
        rig.receive(try initiator.pake1(after: response), from: .ble(link: 0))
        #expect(rig.channel.attempt?.deadline == .origin + .milliseconds(39_999))
        rig.advance(by: 19_999)
        #expect(rig.channel.attempt != nil)
        rig.advance(by: 1)
        #expect(rig.channel.attempt == nil && rig.channel.countedFailures == 1 && rig.channel.exchanges.isEmpty)
    }

    /// One PASE session at a time: a second commissioner waits until it ends.
    @Test func oneSession() throws {
        let rig = try rig()
        let first = try initiator(1)
        _ = try first.establish(with: rig)
        let id = try #require(rig.established)
        let second = try initiator(2)
        let busy = try second.messages.read(rig.answer(second.request(), from: .host(2)))
        #expect(busy.report?.code == StatusReport.Code.busy)
        rig.channel.closeSession(id, notifyingPeer: false, at: rig.now, effects: &rig.effects)
        let third = try initiator(3)
        _ = try third.establish(with: rig, from: .host(3))
        #expect(rig.established != id)
    }

    /// The end of the window ends the attempt in silence.
    @Test func windowCloses() throws {
        let rig = try rig()
        let initiator = try initiator(1)
        let response = try rig.answer(initiator.request())
        rig.channel.acceptPASE(nil)
        #expect(rig.channel.deadline == nil)
        let refusal = rig.receive(try initiator.pake1(after: response)).first
        #expect(try refusal.map { try initiator.messages.read($0).report } == .invalidParameter)
        #expect(rig.channel.attempt == nil && rig.established == nil)
    }

    /// Messages that are not as they have to be.
    @Test func malformedMessages() throws {
        let rig = try rig()
        func refuses(_ payload: String, _ opcode: UInt8 = 0x20) throws -> Bool {
            let other = TestInitiator(node: UInt64(rig.effects.count) + 100)
            let report = try other.read(rig.answer(other.message(opcode, octets(payload)))).report
            rig.advance(by: 10_000)
            return report == .invalidParameter
        }
        let random = String(repeating: "11", count: 32)
        #expect(try refuses("") && refuses("15") && refuses("1518"))
        // A passcode identifier other than 0, session identifier 0, a random number of 31 octets, no boolean.
        #expect(try refuses("153001 20 \(random) 2402 01 2403 01 2804 18"))
        #expect(try refuses("153001 20 \(random) 2402 00 2403 00 2804 18"))
        #expect(try refuses("153001 1F \(random.dropLast(2)) 2402 01 2403 00 2804 18"))
        #expect(try refuses("153001 20 \(random) 2402 01 2403 00 18"))
        // An idle interval of 3,600,001 ms.
        #expect(try refuses("153001 20 \(random) 2402 01 2403 00 2804 3505 2601 81EE3600 18 18"))
        #expect(rig.channel.attempt == nil && rig.channel.countedFailures == 0)
        let initiator = try initiator(1)
        rig.receive(initiator.request())
        #expect(rig.channel.attempt != nil)
        // Pake3 in place of Pake1 ends the attempt, without a count: there was no Pake2.
        rig.receive(initiator.messages.message(0x24, octets("153001 20 \(random) 18")))
        #expect(rig.channel.attempt == nil && rig.channel.countedFailures == 0)
    }

    /// A replay of a whole recorded establishment: other random numbers, no session.
    @Test func replay() throws {
        let recorded = try rig()
        let initiator = try initiator(1)
        let request = initiator.request()
        let response = try recorded.answer(request)
        let pake1 = try initiator.pake1(after: response)
        let pake3 = try initiator.pake3(after: recorded.answer(pake1)).octets
        recorded.receive(pake3)
        #expect(recorded.established != nil)
        let rig = ChannelRig(ScriptedRandom(seed: 2))
        rig.channel.acceptPASE(try PASEInitiator.parameters())
        for message in [request, pake1, pake3] { rig.receive(message, from: .host(9)) }
        #expect(rig.established == nil && rig.channel.countedFailures == 1)
    }
}
