// SPDX-License-Identifier: Apache-2.0

import Devices
import MatterNode
import MatterTLV
import Testing

/// Mistakes of apps that a node's notices reveal.
@Suite struct MatterReviewTests {
    private static func rules(_ notices: [MatterNotice], _ set: AttestationSet = .good) -> [String] {
        var review = MatterReview(set)
        return notices.flatMap { review.receive($0) }.map(\.rule)
    }

    private static let connected: [MatterNotice] = [.passcodeAccepted, .failSafeArmed(seconds: 60, byCommand: true)]

    @Test func aCommissioningWithoutMistakes() {
        #expect(Self.rules(Self.connected + [.fabricAdded(1, node: 2), .commissioned(1)]).isEmpty)
        // A second administrator's fail-safe that it ends itself.
        #expect(Self.rules(Self.connected + [.failSafeExpired(.disarmed)]).isEmpty)
        #expect(Self.rules([.failSafeExpired(.timeout)]).isEmpty)
    }

    @Test func aQuestionToTheUserThatTakesTooLong() {
        var review = MatterReview(.good)
        for notice in Self.connected { #expect(review.receive(notice).isEmpty) }
        let mistakes = review.receive(.failSafeExpired(.timeout))
        #expect(mistakes.map(\.rule) == ["waited-too-long"])
        #expect(mistakes.first?.sentence.contains("60 s") == true)
    }

    @Test func aFabricThatIsNeverUsed() {
        #expect(
            Self.rules(Self.connected + [.fabricAdded(1, node: 2), .failSafeExpired(.timeout)]) == ["never-completed"])
    }

    @Test func aFailureToJoinThatIsIgnored() {
        let notices =
            Self.connected + [
                .fabricAdded(1, node: 2), .networkJoined([0x61], status: 7), .failSafeExpired(.timeout),
            ]
        #expect(Self.rules(notices) == ["left-after-failure"])
        let again =
            Self.connected + [
                .fabricAdded(1, node: 2), .networkJoined([0x61], status: 7), .networkJoined([0x61], status: 0),
                .commissioned(1),
            ]
        #expect(Self.rules(again).isEmpty)
    }

    @Test(arguments: AttestationSet.allCases)
    func anInvalidAttestationThatIsIgnored(_ set: AttestationSet) {
        let rules = Self.rules(Self.connected + [.fabricAdded(1, node: 2), .commissioned(1)], set)
        #expect(rules == (set.result == .success ? [] : ["ignored-attestation"]))
    }

    /// The session of another controller that gives way is no mistake of that one.
    @Test func moreSessionsThanTheDeviceKeeps() {
        let author = MatterAuthor(fabric: 1, node: 2)
        #expect(Self.rules([.sessionDisplaced(fabric: 1, node: 2, by: author)]) == ["too-many-sessions"])
        #expect(Self.rules([.sessionDisplaced(fabric: 1, node: 3, by: author)]).isEmpty)
    }

    @Test func commandsWithoutTheirConditions() {
        func command(_ name: String, _ outcome: String) -> MatterNotice {
            .command(cluster: 0, command: 0, name: name, fabric: 1, outcome: outcome)
        }
        let notices = [
            command("LockDoor", "status 0xc6"), command("LockDoor", "status 0xc6"),
            command("CSRRequest", "status 0xca"), command("UnlockDoor", "ok"),
        ]
        #expect(Self.rules(notices) == ["not-timed", "no-fail-safe"])
    }

    @Test func twentyWrongPasscodes() {
        #expect(Self.rules([.windowClosed(.tooManyFailures)]) == ["too-many-passcodes"])
    }

    /// A command is a request with its result, all else an event of the device.
    @Test func noticesAreTold() {
        #expect(
            MatterWords.entry(.command(cluster: 0x30, command: 0, name: "ArmFailSafe", fabric: nil, outcome: "ok"))
                == .request(step: "ArmFailSafe", text: "PASE", result: "ok"))
        #expect(
            MatterWords.entry(.networkJoined(Array("Home".utf8), status: 7))
                == .event("network not joined: Home, status 7"))
        #expect(MatterWords.entry(.networkStored([0x11, 0x22])) == .event("network stored: 1122"))
        #expect(MatterWords.entry(.fabricAdded(1, node: 0x4001)) == .event("fabric 1 added, node 0x4001"))
    }
}
