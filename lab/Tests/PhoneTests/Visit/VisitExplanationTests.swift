// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Peripheral
import Testing
import Timekeeping

@testable import Phone

/// Explanations of failures: docs/protocol/status-codes.md, docs/protocol/access-profile.md, 2 and 7.
@Suite struct VisitExplanationTests {
    private static func refused(_ code: Int16, _ request: PhoneRequest = .open) -> String {
        VisitFailure(
            .session(PhoneFailure(.peerStatus, terminal: StatusCode(rawValue: code))), at: .token, request: request
        ).explanation.description
    }

    /// Every code that docs/protocol/status-codes.md says is told to a phone.
    private static let told: [Int16] = [
        -3, -4, -5, -6, -8, -11, -12, -13, -21, -22, -30, -32, -34, -150, -153, -156, -157, -200, -230, -231, -233,
        -234,
        -235, -237, -243, -244, -250, -280, -281,
    ]

    @Test(arguments: told) func everyStatusIsExplainedWithWhatToDo(code: Int16) {
        let text = Self.refused(code)
        #expect(text.hasPrefix("refused, status \(code): "))
        #expect(!text.contains("a code that readers do not send") && text.contains("; "))
        #expect(!text.contains("\n") && text.utf8.count < 200, "\(text)")
    }

    @Test func anUnknownStatusIsToldAsOne() {
        #expect(Self.refused(-999).contains("readers do not send"))
    }

    @Test(arguments: [
        (Int16(-3), CommandName.setTime, "phones may not set this time"), (-4, .setTime, "synchronised already"),
        (-13, .setClock, "of a day"), (-13, .setTime, "at the time that it brings"), (-5, .bootLoader, "no updater"),
        (-11, .update, "version is not later"), (-157, .update, "brings no time"), (-13, .open, "called back"),
        (-12, .status, "not for STATUS"),
    ])
    func aStatusMayMeanMoreForACommand(code: Int16, command: CommandName, words: String) {
        #expect(Self.refused(code, .command(command, .none)).contains(words))
    }

    private static func ended(
        _ reason: HCIStatus, after milliseconds: Int, at stage: VisitStage = .handshake
    ) -> VisitExplanation {
        VisitFailure(.ended(reason), at: stage, linkAge: .milliseconds(milliseconds)).explanation
    }

    @Test func theReasonsOfADisconnection() {
        #expect(Self.ended(.remoteUserTerminated, after: 96).what.contains("96 ms after it was made (0x13): it hears"))
        #expect(Self.ended(.remoteUserTerminated, after: 440).what.contains("window ended"))
        #expect(Self.ended(.remoteUserTerminated, after: 3010).what.contains("not asked in time"))
        #expect(Self.ended(.remoteUserTerminated, after: 3010, at: .token).what.contains("clock may not be set"))
        #expect(Self.ended(.remoteLowResources, after: 5).what.contains("slots are taken"))
        #expect(Self.ended(.remotePowerOff, after: 5).remedy == "start it again")
        #expect(Self.ended(.connectionTimeout, after: 5).remedy == "go nearer")
        #expect(Self.ended(.connectionFailedToBeEstablished, after: 5).what.contains("0x3E"))
        #expect(Self.ended(HCIStatus(rawValue: 0x3D), after: 5).what.contains("reason 0x3D"))
    }

    private static func denied(_ type: AccessType, schedule: Bool = false) -> String {
        let result = OssAccessResult(
            accessGranted: false, accessType: type, accessInfo: 0,
            scheduleEndTime: LocalTimestamp(year: 0, month: 0, date: 0, hours: 0, minutes: 0, seconds: 0),
            scheduleMissmatch: schedule)
        return VisitFailure(.denied(result), at: .token).explanation.what
    }

    /// A denial is a result with status 0; "denied, type 1" opens nothing (7.1).
    @Test func theDenialsOfACredential() {
        #expect(Self.denied(.noAccess).contains("lets nobody in"))
        #expect(Self.denied(.noAccessValidity).contains("validity"))
        #expect(Self.denied(.noAccessBlacklisted).contains("called back"))
        #expect(Self.denied(.defaultTime).contains("no entry for this door"))
        #expect(Self.denied(.defaultTime, schedule: true).contains("schedule"))
    }

    @Test func theKeyIsNamedThatDidNotFit() {
        let failure = VisitFailure(.session(PhoneFailure(.signature)), at: .handshake)
        #expect(failure.explanation.what.contains("the key in the bundle"))
        var demo = failure
        demo.isDemo = true
        #expect(demo.explanation.what.contains("demo key") && demo.explanation.remedy.contains("--bundle"))
    }

    @Test func readersWithKeysOfTheirOwnAskForABundle() {
        let seen = ReaderSighting(
            address: .randomStatic(from: 1), mode: .access, name: "AAAAAAAA", isFactory: false, rssi: -50)
        let failure = VisitFailure(.notFound([seen]), at: .looking, isDemo: true)
        #expect(failure.explanation.what.hasSuffix("AAAAAAAA (access, -50 dBm)"))
        #expect(failure.explanation.remedy.contains("--bundle"))
        let nobody = VisitFailure(.notFound([]), at: .looking)
        #expect(nobody.explanation.what == "no reader is heard")
    }
}
