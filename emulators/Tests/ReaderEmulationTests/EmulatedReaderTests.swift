// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Emulation
import Peripheral
import Phone
import Reader
import Testing
import Timekeeping
import VirtualRadio

@testable import ReaderEmulation

/// A good phone at a reader, and at each of its states and faults (access profile, 2 to 8).
@Suite struct EmulatedReaderTests {
    @Test(arguments: [ControllerProfile.modern, .legacy])
    func aPhoneOpensTheDoor(_ profile: ControllerProfile) throws {
        let rig = try ReaderRig(profile: profile).visit()
        #expect(rig.isServed && rig.openings == 1 && rig.rules == [] && rig.violations == [])
        let session = rig.steps.filter {
            ["connected", "gate", "handshake", "proof", "request", "decided", "answer", "disconnected"].contains($0)
        }
        #expect(
            session == ["connected", "gate", "handshake", "proof", "request", "decided", "answer", "disconnected"]
                || session == [
                    "connected", "handshake", "gate", "proof", "request", "decided", "answer", "disconnected",
                ])
        #expect(rig.reader.timeline.entries.contains { $0.event == .mtu(247) || $0.name == "mtu" })
        #expect(
            rig.reader.timeline.entries.contains {
                $0.event == .subscribed(to: "TX", notifications: true, indications: false)
            })
    }

    // MARK: - The gate

    @Test func theReadersReadingsDecide() throws {
        let far = try ReaderRig(dBm: -70).visit()
        #expect(!far.isServed && far.openings == 0 && far.reasons == [0x13])
        #expect(try ReaderRig(["rssi near"], dBm: -70).visit().isServed)
    }

    @Test(arguments: [
        ("too-far", "refused", "below the threshold in the window (median -68 dBm)"),
        ("rssi well-under", "refused", "far below the threshold (-80 dBm)"),
        ("rssi none", "refused", "too few readings in the window"),
    ])
    func aPhoneThatIsNotNearIsRefused(_ order: String, _ name: String, _ why: String) throws {
        let rig = try ReaderRig([order]).visit()
        #expect(!rig.isServed && rig.openings == 0 && rig.reasons == [0x13] && rig.rules == [])
        #expect(rig.texts.contains { $0.contains(why) } && rig.steps.contains(name))
    }

    @Test func theControllersReadingsCountAgain() throws {
        #expect(try ReaderRig(["too-far", "rssi real"]).visit().isServed)
    }

    // MARK: - States

    @Test func aReaderWithoutASlotIsNotFound() throws {
        let rig = try ReaderRig(["pool full"]).visit()
        #expect(rig.notices.isEmpty && !rig.isServed)
        try rig.type("pool free")
        rig.run(.seconds(4))
        #expect(rig.isServed && rig.violations == [])
    }

    @Test func theModesChangeWhileItRuns() throws {
        let identifiers = AdvertisingPackets.Identifiers()
        let rig = try ReaderRig(["modes classic"], service: identifiers.classicService).visit()
        // A mode without a gate.
        #expect(rig.isServed && rig.texts.contains("mode classic") && !rig.steps.contains("rssi"))
        let iBeacon = try ReaderRig(["modes access-ibeacon"]).visit()
        #expect(iBeacon.isServed && iBeacon.texts.contains("mode access-ibeacon") && iBeacon.violations == [])
        let onTouch = try ReaderRig(["modes on-touch"]).visit()
        #expect(!onTouch.isServed && onTouch.notices.isEmpty)
    }

    @Test func withoutAClockNothingIsAnswered() throws {
        let rig = try ReaderRig(["clock unset"]).visit(.seconds(12))
        #expect(!rig.isServed && rig.openings == 0 && rig.texts.contains { $0.contains("-157") } && rig.rules == [])
        #expect(try ReaderRig(["clock unset", "clock real"]).visit().isServed)
    }

    @Test(arguments: [
        ("clock 2028-01-01T12:00", StatusCode.validity), ("blacklist CRED000001", .validity),
        ("lockdown on", .unavailable), ("disk full", .storageFull), ("disk failing", .unavailable),
        ("disk slow", .unavailable),
    ])
    func aStateIsAnsweredByItsStatus(_ order: String, _ status: StatusCode) throws {
        let rig = try ReaderRig([order]).visit()
        #expect(rig.failures == [PhoneFailure(.peerStatus, terminal: status)])
        #expect(rig.openings == 0 && rig.rules == [])
    }

    @Test(arguments: [
        ["blacklist CRED000001", "pardon CRED000001"], ["lockdown on", "lockdown off"], ["disk full", "disk sound"],
        ["disk failing", "disk sound"], ["disk slow", "disk sound"], ["clock 2028-01-01T12:00", "clock real"],
        ["blacklist CRED000002"], ["modes access,classic"], ["mtu 23"], ["fault drop answer 2", "clear"],
    ])
    func aStateThatIsOverIsNone(_ orders: [String]) throws {
        let rig = try ReaderRig(orders).visit()
        #expect(rig.isServed && rig.openings == 1 && rig.rules == [] && rig.violations == [])
    }

    @Test func aRefusedCredentialStaysRefusedInOtherModes() throws {
        let rig = try ReaderRig(["blacklist CRED000001", "modes access"]).visit()
        #expect(rig.failures == [PhoneFailure(.peerStatus, terminal: .validity)])
    }

    @Test func theDoorHasAContact() throws {
        let rig = try ReaderRig(["door closed", "door open"])
        #expect(rig.texts.contains("door: alarm: door forced"))
        try rig.type("fire on")
        #expect(rig.texts.contains("door: unlocked for fire"))
    }

    // MARK: - Faults

    @Test(arguments: ReaderStep.answers.sorted())
    func eachStatusIsAnsweredAndTheDoorStaysShut(_ code: Int16) throws {
        let rig = try ReaderRig(["status \(code)"]).visit()
        #expect(rig.failures == [PhoneFailure(.peerStatus, terminal: StatusCode(rawValue: code))])
        #expect(rig.openings == 0 && rig.rules == [] && rig.violations == [])
    }

    @Test func aStatusIsToldOnceOrEveryTime() throws {
        func failures(_ order: String) throws -> Int {
            let rig = try ReaderRig([order], attempts: 3).visit(.seconds(8))
            return rig.failures.count
        }
        #expect(try failures("status -21") == 1)
        #expect(try failures("status -21 every") == 3)
    }

    @Test func aWrongSignatureIsFoundByThePhone() throws {
        let rig = try ReaderRig(["fault wrong-proof proof"]).visit()
        #expect(rig.failures == [PhoneFailure(.signature)] && rig.openings == 0 && rig.rules == [])
    }

    @Test func aWrongMACIsFoundByThePhone() throws {
        let rig = try ReaderRig(["fault wrong-proof answer"]).visit()
        // The door has opened: only the proof of it is wrong.
        #expect(rig.failures.count == 1 && !rig.isServed && rig.openings == 1 && rig.rules == [])
    }

    @Test(arguments: ["proof", "answer"])
    func faultsWorkWithTheSmallestFrames(_ step: String) throws {
        let rig = try ReaderRig(["mtu 23", "fault wrong-proof \(step)"], profile: .legacy).visit()
        #expect(rig.failures.count == 1 && rig.violations == [])
    }

    @Test func aSlowAnswerArrives() throws {
        let rig = try ReaderRig(["delay 2000"]).visit(.seconds(6))
        let told = try #require(rig.reader.timeline.entries.first { $0.step == "answer" && $0.name == "sent" })
        let ended = try #require(rig.reader.timeline.entries.first { $0.name == "disconnected" })
        #expect(rig.isServed && ended.at - told.at >= .seconds(2) && rig.rules == [] && rig.violations == [])
    }

    @Test(arguments: ["proof", "answer"])
    func whatIsDroppedDoesNotArriveAndHarmsNothing(_ step: String) throws {
        let rig = try ReaderRig(["fault drop \(step)"], attempts: 2).visit(.seconds(20))
        // The reader ends the link after its 3 s; the next attempt works.
        #expect(rig.reasons.first == 0x13 && rig.isServed && rig.rules == [] && rig.violations == [])
    }

    @Test(arguments: [
        ("fault refuse connect", UInt8(0x14), 0), ("fault disconnect-after connect", 0x13, 0),
        ("fault disconnect-after near", 0x13, 1), ("fault disconnect-before proof", 0x13, 0),
        ("fault disconnect-before answer", 0x13, 1),
    ])
    func theLinkEndsAtEachStep(_ order: String, _ reason: UInt8, _ openings: Int) throws {
        let rig = try ReaderRig([order], attempts: 2).visit(.seconds(8))
        #expect(rig.reasons.first == reason && rig.rules == [])
        #expect(rig.violations == [])
        // Within the re-arm time the same request is the same one: the door has moved once.
        #expect(rig.isServed && rig.openings <= max(openings, 1))
    }

    @Test func aLinkIsEndedByHandWithItsReason() throws {
        let rig = try ReaderRig(["fault drop answer"])
        rig.visit(.milliseconds(1200))
        #expect(try rig.type("disconnect 1 power-off") == ["1 link ends"])
        #expect(rig.reasons == [0x15] && rig.violations == [])
        #expect(try rig.type("disconnect 9") == ["there is no link 9"])
    }

    // MARK: - Findings of a phone that goes on too fast

    @Test func aPhoneThatConnectsAgainAtOnceIsFound() throws {
        let rig = try ReaderRig(["too-far"], attempts: 3) { $0.retryAfterFailure = .milliseconds(50) }
        rig.visit(.seconds(6))
        #expect(rig.rules.contains("retried-at-once"))
        let patient = try ReaderRig(["too-far"], attempts: 3).visit(.seconds(6))
        #expect(patient.reasons.count == 3 && patient.rules == [])
    }

    /// A phone that is carried away in the middle of its visit looks silent to the reader, and is not to blame.
    @Test func aPhoneOutOfRangeIsNotFound() throws {
        let rig = try ReaderRig(["rssi near"]) { $0.connection.supervisionTimeout = .seconds(20) }
        rig.visit(.zero)
        for _ in 0..<2000 where !rig.steps.contains("mtu") { rig.run(.milliseconds(1)) }
        rig.carryAway()
        rig.run(.seconds(30))
        #expect(rig.steps.contains("refused") && rig.steps.contains("disconnected"), "\(rig.steps)")
        #expect(!rig.steps.contains("handshake") && rig.rules == [])
    }
}
