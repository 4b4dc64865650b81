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

    /// The codes with "Sent:" in docs/protocol/status-codes.md.
    private static let sent: [Int16] = [
        -3, -4, -5, -6, -7, -8, -11, -12, -13, -21, -22, -30, -32, -34, -150, -153, -156, -157, -200, -230, -231, -233,
        -234, -235, -237, -243, -244, -245, -246, -247, -248, -250, -280, -281,
    ]

    @Test(arguments: sent) func everyStatusIsExplainedWithWhatToDo(code: Int16) {
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
        (-11, .update, "version is not later"), (-157, .update, "brings no time"), (-13, .open, "revoked"),
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
        #expect(Self.denied(.noAccessBlacklisted).contains("revoked"))
        #expect(Self.denied(.defaultTime).contains("no entry for this door"))
        #expect(Self.denied(.defaultTime, schedule: true).contains("schedule"))
    }

    private static let period = TokenPeriod(
        from: CivilTime(year: 2026, month: 1, day: 1),
        to: CivilTime(year: 2026, month: 6, day: 30, hour: 23, minute: 59))

    private static func invalid(_ cause: VisitFailure.Cause, _ now: CivilTime?) -> String {
        VisitFailure(cause, at: .token, request: .open, period: period, localTime: now).explanation.what
    }

    /// A refusal says which date has passed by the phone's clock.
    @Test func theDateOfATokenIsNamed() {
        let refused = VisitFailure.Cause.session(PhoneFailure(.peerStatus, terminal: .validity))
        let late = CivilTime(year: 2026, month: 7, day: 1, hour: 8)
        #expect(Self.invalid(refused, late) == "refused, status -13: the token has ended, on 2026-06-30T23:59")
        let last = CivilTime(year: 2026, month: 6, day: 30, hour: 23, minute: 59, second: 1)
        #expect(Self.invalid(refused, last).hasSuffix("on 2026-06-30T23:59"), "second 00 is the last")
        let early = CivilTime(year: 2025, month: 12, day: 31)
        #expect(
            Self.invalid(refused, early) == "refused, status -13: the token counts only from 2026-01-01T00:00 on")
        for now in [nil, CivilTime(year: 2026, month: 3, day: 1)] {
            #expect(
                Self.invalid(refused, now) == "refused, status -13: the credential was revoked, or the reader's clock "
                    + "is wrong: the token counts from 2026-01-01T00:00 to 2026-06-30T23:59")
        }
        // A token that brings a time is held to that time.
        let setting = VisitFailure(
            refused, at: .token, request: .command(.setTime, .none), period: Self.period, localTime: late)
        #expect(setting.explanation.what.contains("at the time that it brings"))
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
