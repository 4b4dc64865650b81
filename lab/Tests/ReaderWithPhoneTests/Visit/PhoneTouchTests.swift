// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Crypto
import Peripheral
import Reader
import Testing
import TestSupport
import Timekeeping

@testable import Phone
@testable import ReaderTestSupport

/// Touches of a phone at a reader's card (docs/protocol/nfc-profile.md).
@Suite struct PhoneTouchTests {
    private static func demo(_ task: PhoneTask = .token) throws -> PhoneVisitPlan {
        PhoneVisitPlan(task, credentials: [try .demo()])
    }

    private static func bench(isAudited: Bool = false) throws -> ReaderBench {
        var bench = try ReaderBench { $0.isAudited = isAudited }
        var card = ContactlessConfiguration()
        card.deviceID = "wa0y1YwS"
        bench.reader.configureContactless(card)
        return bench
    }

    /// A touch to its end; every response takes 10 ms.
    private static func touch(
        _ bench: inout ReaderBench, _ plan: PhoneVisitPlan, answering: ([UInt8]) -> [UInt8]? = { _ in nil }
    ) throws -> [VisitNotice] {
        var touch = PhoneTouch(
            plan, clock: PhoneClock(1_795_262_400, at: .origin), random: CountingRandom(next: 7), at: bench.now)
        touch.activated(at: bench.now)
        while let command = touch.takeCommand() {
            bench.now = bench.now + .milliseconds(10)
            touch.receive(answering(command) ?? bench.tap(command), at: bench.now)
        }
        return touch.takeNotices()
    }

    private static func failure(_ notices: [VisitNotice]) throws -> VisitFailure {
        guard case .ended(let failure?, _) = notices.last else { throw NoFailure() }
        return failure
    }

    private struct NoFailure: Error {}

    private static func kinds(_ notices: [VisitNotice]) -> [VisitStep.Kind] {
        notices.compactMap { if case .step(let step, _, _) = $0 { step.kind } else { nil } }
    }

    @Test func theDoorOpensAndEachStepHasItsTime() throws {
        var bench = try Self.bench()
        let notices = try Self.touch(&bench, try Self.demo())
        #expect(notices.first == .began(number: 1))
        #expect(Self.kinds(notices) == [.touched, .selected, .handshake, .answer])
        #expect(notices[2] == .step(.selected("wa0y1YwS"), sinceStart: .milliseconds(10), took: .milliseconds(10)))
        #expect(notices.last == .ended(nil, sinceStart: bench.now - .origin))
        #expect(bench.reader.doorActions.first == .setLock(energised: true))
    }

    /// Several requests in one session, with an answer of more than one APDU.
    @Test func requestsFollowOneAnother() throws {
        var bench = try Self.bench()
        let configuration = PhoneRequest.command(.getConfiguration, .none)
        let notices = try Self.touch(&bench, try Self.demo(.requests([.status, configuration, .status])))
        #expect(Self.kinds(notices).filter { $0 == .answer }.count == 3)
        #expect(bench.reader.doorActions == [])
        guard case .step(.answer(configuration, .map), _, _)? = notices.dropLast(3).last else {
            Issue.record("no map: \(notices)")
            return
        }
    }

    /// 9301: the grant waits for its record, and POLL fetches the answer (2).
    @Test func anAnswerThatIsNotReadyIsPolled() throws {
        var bench = try Self.bench(isAudited: true)
        var touch = PhoneTouch(
            try Self.demo(), clock: PhoneClock(1_795_262_400, at: .origin), random: CountingRandom(next: 7), at: .origin
        )
        touch.activated(at: .origin)
        let poll = octets("8012000000")
        var commands: [[UInt8]] = []
        while let command = touch.takeCommand() {
            commands.append(command)
            if bench.tap(command).isEmpty {
                if command == poll, let request = bench.reader.openRequests.first {
                    bench.decide(request.token, .ok)
                } else {
                    bench.pass(until: 1000)
                }
            }
            touch.receive(bench.reader.contactlessResponse, at: bench.now)
        }
        #expect(commands.last == poll)
        #expect(Self.kinds(touch.takeNotices()) == [.touched, .selected, .handshake, .answer])
    }

    @Test func anAnswerThatNeverComesIsTold() throws {
        var bench = try Self.bench()
        let notices = try Self.touch(&bench, try Self.demo()) { $0[1] == 0xA4 ? nil : octets("9301") }
        #expect(try Self.failure(notices).cause == .silence)
        #expect(try Self.failure(notices).stage == .handshake)
    }

    @Test func anotherReaderIsNotShownTheToken() throws {
        var plan = try Self.demo()
        plan.credentials[0].deviceID = "AAAAAAAA"
        var bench = try Self.bench()
        var notices = try Self.touch(&bench, plan)
        #expect(try Self.failure(notices).cause == .otherReader("wa0y1YwS"))
        // Who names it asks it: its key decides.
        plan.reader = .deviceID("wa0y1YwS")
        plan.credentials[0].terminal = try P256PrivateKey.generate().publicKey
        notices = try Self.touch(&bench, plan)
        #expect(try Self.failure(notices).cause == .session(PhoneFailure(.signature)))
        #expect(bench.reader.doorActions == [])
    }

    /// 2.3: each status word has its meaning for the phone.
    @Test(arguments: [("6A82", "no such application"), ("6985", "session is over"), ("6D00", "refuses (6D00)")])
    func aStatusWordIsExplained(word: String, text: String) throws {
        var bench = try Self.bench()
        let failure = try Self.failure(try Self.touch(&bench, try Self.demo()) { _ in octets(word) })
        #expect(failure.cause == .refusedByCard(UInt16(word, radix: 16) ?? 0))
        #expect(failure.explanation.what.contains(text))
    }

    @Test func anUnsetClockIsExplained() throws {
        var bench = try Self.bench()
        bench.epochSeconds = nil
        let failure = try Self.failure(try Self.touch(&bench, try Self.demo()))
        #expect(failure.cause == .refusedByCard(0x6A80) && failure.explanation.description.contains("time --set now"))
    }

    @Test(arguments: ["", "90", "6F1D9000", "9000", "6F05A5038201009000", "6F04A50282009000"])
    func aSelectionOfAnythingIsTold(response: String) throws {
        var bench = try Self.bench()
        let failure = try Self.failure(try Self.touch(&bench, try Self.demo()) { _ in octets(response) })
        switch failure.cause {
        case .unusable, .otherReader: break
        default: Issue.record("\(failure)")
        }
    }

    /// An answer without end, or cut, is no answer.
    @Test(arguments: [String(repeating: "00", count: 240) + "6100", "000100009000", "9000"])
    func aMessageOfAnythingEndsTheTouch(response: String) throws {
        var bench = try Self.bench()
        let notices = try Self.touch(&bench, try Self.demo()) { $0[1] == 0xA4 ? nil : octets(response) }
        #expect(Self.kinds(notices) == [.touched, .selected])
        switch try Self.failure(notices).cause {
        case .session, .unusable: break
        case let other: Issue.record("\(other)")
        }
    }
}
