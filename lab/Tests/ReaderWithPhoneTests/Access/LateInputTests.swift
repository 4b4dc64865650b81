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

/// A process that was stopped for a while: what piled up is handled before its timers, and nothing old moves the lock.
@Suite struct LateInputTests {
    private static let selection = octets("00A4040009F0726561646572640100")

    /// Time passes without a call of the reader, as while its process is stopped.
    private func stop(_ bench: inout ReaderBench, _ duration: Duration) { bench.now = bench.now + duration }

    /// A phone that has sent its handshake, and the frames of its token.
    private func tokenFrames(_ bench: inout ReaderBench, on link: LinkID) throws -> [[UInt8]] {
        var phone = PhoneSession()
        let token = try ReaderBench.token(.open)
        _ = phone.start(token: token.span, terminal: try DemoKeys.terminal(), random: &bench.random)
        for frame in allPackets({ phone.nextFrame(limit: bench.port.mtu - 3, into: &$0) }) { bench.write(link, frame) }
        for (_, _, answer) in exchange(&bench.port.notified, with: []) {
            _ = phone.receive(answer.span, random: &bench.random)
        }
        return allPackets { phone.nextFrame(limit: bench.port.mtu - 3, into: &$0) }
    }

    @Test func aTokenOnALinkWhoseTimeIsOverOpensNothing() throws {
        for (seconds, opens) in [(2, true), (3, false), (10, false)] {
            var bench = try ReaderBench()
            let link = bench.connect(0, generation: 1)
            let frames = try tokenFrames(&bench, on: link)
            stop(&bench, .seconds(seconds))
            for frame in frames { bench.write(link, frame) }
            #expect(bench.reader.timesOpened == (opens ? 1 : 0), "\(seconds) s")
            #expect(bench.port.requests.contains(.disconnect(link, .refused)) == !opens)
        }
    }

    /// The readings of a phone that was near, and frames that wait for the gate.
    @Test func readingsOnALinkWhoseTimeIsOverOpenNoGate() throws {
        var bench = try ReaderBench()
        let link = bench.connect(0, generation: 1, set: 1)
        bench.write(link, [1, 2, 3])
        stop(&bench, .seconds(10))
        bench.measure(link, -40)
        let state = bench.reader.links.link(link)?.state
        #expect(state?.isClosing == true)
        let notices = bench.takeNotices()
        #expect(notices.contains(.refused(.link(link), .idle)))
        #expect(!notices.contains { if case .near = $0 { true } else { false } })
    }

    @Test func aTokenOfATouchWhoseTimeIsOverOpensNothing() throws {
        var bench = try ReaderBench()
        #expect(bench.tap(Self.selection).suffix(2) == [0x90, 0x00])
        var phone = PhoneSession()
        let token = try ReaderBench.token(.open)
        _ = phone.start(token: token.span, terminal: try DemoKeys.terminal(), random: &bench.random)
        func apdu(_ data: [UInt8]) -> [UInt8] { [0x80, 0x10, 0, 0, UInt8(data.count)] + data + [0] }
        let first = allPackets { phone.nextFrame(limit: 512, into: &$0) }.flatMap(\.self)
        let answer = Array(bench.tap(apdu(first)).dropLast(2))
        _ = phone.receive(answer.span, random: &bench.random)
        let second = allPackets { phone.nextFrame(limit: 240, into: &$0) }.flatMap(\.self)
        stop(&bench, .seconds(10))
        #expect(bench.tap(apdu(second)).suffix(2) != [0x90, 0x00])
        #expect(bench.reader.timesOpened == 0)
    }

    /// A button that was pressed and let go while the process was stopped. One that is still pressed opens.
    @Test func anExitFromBeforeOpensNothing() throws {
        for (isStillPressed, opens) in [(false, false), (true, true)] {
            var bench = try ReaderBench()
            line(&bench, .exit, false)
            let pressed = bench.now + .seconds(1)
            stop(&bench, .seconds(10))
            line(&bench, .exit, true, since: pressed)
            if !isStillPressed { line(&bench, .exit, false, since: pressed + .milliseconds(300)) }
            line(&bench, .exit, isStillPressed)
            bench.run(.seconds(1))
            let isUnlocked = bench.reader.door.isUnlocked
            #expect(isUnlocked == opens)
        }
    }

    /// The press came just before the process was stopped, and was not debounced yet.
    @Test func anExitThatWasHalfTakenOpensNothing() throws {
        var bench = try ReaderBench()
        line(&bench, .exit, false)
        line(&bench, .exit, true)
        let pressed = bench.now
        stop(&bench, .seconds(10))
        line(&bench, .exit, false, since: pressed + .milliseconds(300))
        line(&bench, .exit, false)
        bench.run(.seconds(1))
        let isUnlocked = bench.reader.door.isUnlocked
        #expect(!isUnlocked)
    }

    /// The level of the fire input counts, whatever its edges were.
    @Test func fireThatIsActiveReleases() throws {
        for isActive in [true, false] {
            var bench = try ReaderBench()
            line(&bench, .fire, false)
            let edge = bench.now + .seconds(1)
            stop(&bench, .seconds(10))
            line(&bench, .fire, true, since: edge)
            if !isActive { line(&bench, .fire, false, since: edge + .seconds(1)) }
            bench.reader.doorActions = []
            line(&bench, .fire, isActive)
            bench.run(.seconds(1))
            let isUnlocked = bench.reader.door.isUnlocked
            #expect(isUnlocked == isActive)
            #expect(bench.reader.doorActions.contains(.setLock(energised: true)) == isActive)
        }
    }

    /// The lock had current until the process ran again: a door that was opened meanwhile was not forced.
    @Test func aDoorThatWasOpenedMeanwhileWasNotForced() throws {
        var bench = try ReaderBench { $0.debounce[.contact] = .zero }
        line(&bench, .contact, false)
        _ = bench.reader.operate(.pulse, at: bench.moment)
        let opened = bench.now + .seconds(7)
        stop(&bench, .seconds(10))
        _ = bench.takeNotices()
        line(&bench, .contact, true, since: opened)
        line(&bench, .contact, false, since: opened + .seconds(1))
        bench.collect()
        let events = bench.takeNotices().compactMap { if case .door(let event) = $0 { event } else { nil } }
        #expect(events.contains(.opened) && events.contains(.closed) && !events.contains(.forced))
        let isUnlocked = bench.reader.door.isUnlocked
        #expect(!isUnlocked)
    }

    /// A stranger holds links for as long as he likes; a phone that was served is missed.
    @Test func onlyAPhoneThatWasServedIsMissed() throws {
        var bench = try ReaderBench()
        let link = bench.connect(0, generation: 1)
        var isServing = bench.reader.isServing
        #expect(!isServing)
        _ = try bench.exchange(link, token: ReaderBench.token(.open, key: P256PrivateKey.generate()))
        isServing = bench.reader.isServing
        #expect(!isServing)
        #expect(try bench.exchange(link, token: ReaderBench.token(.open)) == .completed([]))
        isServing = bench.reader.isServing
        #expect(isServing)
        bench.event(.disconnected(link, reason: .remoteUserTerminated))
        isServing = bench.reader.isServing
        #expect(!isServing)
    }

    private func line(_ bench: inout ReaderBench, _ input: DoorInput, _ isActive: Bool, since: Instant? = nil) {
        bench.reader.doorLine(input, isActive: isActive, since: since ?? bench.now, at: bench.moment)
    }
}
