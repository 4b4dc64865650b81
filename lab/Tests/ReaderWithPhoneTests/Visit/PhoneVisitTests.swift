// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import AirRig
import Crypto
import Peripheral
import Phone
import Protobuf
import Reader
import Testing
import Timekeeping
import VirtualRadio

@testable import ReaderTestSupport

/// Visits of a phone to readers, on virtual air and time.
@Suite struct PhoneVisitTests {
    static func demo(_ task: PhoneTask = .token) throws -> PhoneVisitPlan {
        PhoneVisitPlan(task, credentials: [try .demo()])
    }

    @Test func theDoorOpensAndEachStepIsToldOnceWithItsTime() throws {
        let rig = VisitRig(try Self.demo())
        let reader = try rig.add()
        #expect(rig.run())
        #expect(rig.steps.map(\.kind) == [.found, .connected, .mtu, .services, .handshake, .token, .answer])
        #expect(rig.outcomes == [nil])
        #expect(rig.answers == [.done])
        #expect(reader.openings == 1)
        #expect(rig.found?.name == "wa0y1YwS" && rig.found?.isFactory == true && rig.found?.rssi == -45)
        #expect(rig.phone.controller.violations == [] && reader.controller.violations == [])
        // The times since the start never decrease, and the whole is above the sum of what the steps took: signals
        // are compared between the first two.
        var last = Duration.zero
        var sum = Duration.zero
        for case .step(_, let sinceStart, let took) in rig.notices.map(\.notice) {
            #expect(sinceStart >= last && took >= .zero)
            last = sinceStart
            sum += took
        }
        #expect(sum + .milliseconds(300) <= last + .milliseconds(1) && sum + .milliseconds(500) > last)
        #expect(!reader.hasLinks)
    }

    @Test(arguments: [ReaderMode.onTouch, .access]) func theModeDecidesForTheService(mode: ReaderMode) throws {
        var plan = try Self.demo()
        plan.mode = mode
        let rig = VisitRig(plan, profile: .legacy)
        let reader = try rig.add()
        #expect(rig.run())
        #expect(rig.found?.mode == mode)
        #expect(reader.openings == 1)
    }

    @Test func theStrongestReaderIsVisited() throws {
        let rig = VisitRig(try Self.demo())
        let far = try rig.add(dBm: -58)
        let near = try rig.add(dBm: -40)
        #expect(rig.run())
        #expect((far.openings, near.openings) == (0, 1))
        #expect(rig.found?.rssi == -40)
    }

    @Test func aReaderIsNamedByItsAddress() throws {
        var plan = try Self.demo()
        plan.reader = .address(BluetoothAddress.randomStatic(from: 0x200).value)
        let rig = VisitRig(plan)
        let far = try rig.add(dBm: -58)
        let near = try rig.add(dBm: -40)
        #expect(rig.run())
        #expect((far.openings, near.openings) == (1, 0))
        #expect(rig.found?.mode == .access)
    }

    /// Three readings 15 dB under the threshold, or the end of the window (access profile, 2).
    @Test(arguments: [(Int8(-85), "far too weakly"), (-68, "its window ended")])
    func aFarPhoneIsToldWhy(dBm: Int8, words: String) throws {
        let rig = VisitRig(try Self.demo())
        let reader = try rig.add(dBm: dBm)
        #expect(rig.run())
        let failure = try #require(rig.outcomes.first ?? nil)
        #expect(failure.cause == .ended(.remoteUserTerminated))
        let text = failure.explanation.description
        #expect(text.contains(words) && text.contains("(0x13)") && text.contains("go nearer"), "\(text)")
        #expect(text.contains("\(dBm) dBm"), "\(text)")
        #expect(reader.openings == 0)
    }

    @Test func aReaderWithAnotherKeyIsNotShownTheToken() throws {
        var plan = try Self.demo()
        let other = try P256PrivateKey.generate()
        plan.credentials = [
            try PhoneCredential(
                deviceID: "wa0y1YwS", readerName: "front", terminal: other.publicKey,
                token: try TokenIssuer.demo().commandToken(
                    credentialID: "ALICE00001", command: .open,
                    validity: TokenValidity(
                        from: CivilTime(year: 2026, month: 1, day: 1), through: CivilTime(year: 2027, month: 1, day: 1))
                ))
        ]
        let rig = VisitRig(plan)
        let reader = try rig.add()
        #expect(rig.run())
        let failure = try #require(rig.outcomes.first ?? nil)
        #expect(failure.cause == .session(PhoneFailure(.signature)) && failure.stage == .handshake)
        #expect(failure.explanation.what.hasPrefix("wrong reader"))
        #expect(!rig.steps.map(\.kind).contains(.token))
        #expect(reader.openings == 0)
    }

    @Test func aCredentialThatIsCalledBackIsRefusedWithItsStatus() throws {
        let entry = BlacklistEntry(
            credentialId: CredentialId(id: try .init(ascii: PhoneCredential.demoCredentialID)),
            expiresAt: LocalTimestamp(CivilTime(year: 2090, month: 1, day: 1)))
        var data: [UInt8] = []
        BlacklistEntries(entries: [entry]).encodeDelimited(into: &data)
        let rig = VisitRig(try Self.demo(.requests([.command(.blacklistPush, .octets(data)), .open])))
        let reader = try rig.add()
        #expect(rig.run())
        let failure = try #require(rig.outcomes.first ?? nil)
        #expect(failure.cause == .session(PhoneFailure(.peerStatus, terminal: .validity)))
        #expect(failure.explanation.what.hasPrefix("refused, status -13: "))
        #expect(rig.answers == [.done] && reader.openings == 0)
    }

    /// Several requests on one link, each with a handshake of its own. A clock that is not set is set too.
    @Test(arguments: [VisitRig.epoch, nil]) func theClockIsSetAndRead(epoch: Int64?) throws {
        let rig = VisitRig(
            try Self.demo(.requests([.command(.setTime, .time(.at(UInt32(VisitRig.epoch + 7200)))), .status])))
        let reader = try rig.add(epoch: epoch) { $0.isAudited = true }
        #expect(rig.run())
        #expect(rig.outcomes == [nil])
        #expect(rig.steps.map(\.kind).suffix(6) == [.handshake, .token, .answer, .handshake, .token, .answer])
        guard case .status(let status) = rig.answers.last else {
            Issue.record("no status")
            return
        }
        #expect(status.settings.timeWasSet && CivilTime(status.localTime).hour == 14)
        #expect(reader.openings == 0)
    }

    /// A reader whose clock is not set answers no token but those that set it (access profile, 8).
    @Test func silenceIsExplained() throws {
        let rig = VisitRig(try Self.demo())
        try rig.add(epoch: nil)
        #expect(rig.run())
        let failure = try #require(rig.outcomes.first ?? nil)
        #expect(failure.stage == .token)
        #expect(failure.cause == .ended(.remoteUserTerminated))
        #expect(failure.explanation.description.contains("its clock may not be set; set it: readerlab phone time"))
    }

    @Test func nobodyThereIsToldAtTheEndOfTheTime() throws {
        let rig = VisitRig(try Self.demo())
        #expect(rig.run())
        #expect(rig.outcomes.first??.cause == .notFound([]))
        #expect(rig.air.now >= .origin + .seconds(10) && rig.air.now < .origin + .seconds(11))
    }

    @Test func readersOfOthersAreListed() throws {
        var plan = try Self.demo()
        plan.mode = .classic
        plan.timeout = .seconds(1)
        let rig = VisitRig(plan)
        try rig.add()
        #expect(rig.run())
        let failure = try #require(rig.outcomes.first ?? nil)
        #expect(failure.explanation.what.contains("wa0y1YwS (on-touch, -45 dBm)"))
        #expect(failure.explanation.remedy.contains("--mode"))
    }

    @Test func visitsAreRepeatedWithPauses() throws {
        var plan = try Self.demo()
        plan.visits = 3
        let rig = VisitRig(plan)
        let reader = try rig.add()
        #expect(rig.run(.seconds(60)))
        #expect(rig.outcomes == [nil, nil, nil])
        // The second visit comes after the reader's re-arm time of 2 s.
        #expect(reader.openings == 3)
        var statistics = VisitStatistics()
        for (_, notice) in rig.notices { statistics.record(notice) }
        #expect(statistics.rows.map(\.count) == Array(repeating: 3, count: 8))
        #expect(statistics.rows.last?.step == nil && statistics.doneCount == 3 && statistics.failedCount == 0)
    }

    /// Whenever the user interrupts, the link is down before the end is told.
    @Test(arguments: [0, 1, 2, 3, 4, 5, 6]) func anInterruptionDisconnectsInOrder(steps: Int) throws {
        let rig = VisitRig(try Self.demo(.requests(Array(repeating: .status, count: 50))))
        let reader = try rig.add()
        var count = 0
        rig.run { notice in
            if case .step = notice { count += 1 }
            return count > steps
        }
        #expect(count == steps + 1)
        rig.interrupt()
        #expect(rig.run(.seconds(4)))
        #expect(rig.outcomes.first??.cause == .interrupted && rig.outcomes.count == 1)
        rig.run(.milliseconds(200)) { _ in false }
        #expect(!reader.hasLinks)
        #expect(rig.phone.controller.violations == [])
    }

    @Test func aControllerThatDoesNotAnswerIsTold() throws {
        let rig = VisitRig(try Self.demo())
        rig.phone.losesPackets = true
        #expect(rig.run(.seconds(5)))
        let failure = try #require(rig.outcomes.first ?? nil)
        #expect(failure.cause == .controller(.commandTimeout(opcode: 0x0C03)))
        #expect(failure.explanation.what == "the controller does not answer command 0x0C03")
    }

    /// The controller dies while a link is open: one failure, and that of the controller.
    @Test func aControllerThatDiesIsToldOnce() throws {
        var plan = try Self.demo()
        plan.visits = 5
        let rig = VisitRig(plan)
        try rig.add()
        rig.run { if case .step(.connected, _, _) = $0 { true } else { false } }
        // Hardware Error (Core 5.4, Vol 4, Part E, 7.7.16).
        let hardwareError: [UInt8] = [0x04, 0x10, 0x01, 0x42]
        rig.phone.host.receive(hardwareError.span, at: rig.air.now)
        #expect(rig.run(.seconds(5)))
        #expect(rig.outcomes.map { $0?.cause } == [.controller(.hardwareError(code: 0x42))])
    }

    @Test func aReaderThatVanishesIsTold() throws {
        let rig = VisitRig(try Self.demo(.requests(Array(repeating: .status, count: 50))))
        let reader = try rig.add()
        rig.run { if case .step(.answer, _, _) = $0 { true } else { false } }
        rig.air.setLoss(from: reader.controller, to: rig.phone.controller, share: 1)
        rig.air.setLoss(from: rig.phone.controller, to: reader.controller, share: 1)
        #expect(rig.run())
        let failure = try #require(rig.outcomes.first ?? nil)
        #expect(failure.cause == .ended(.connectionTimeout) && failure.explanation.remedy == "go nearer")
    }
}
