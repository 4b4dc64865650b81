// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Crypto
import Peripheral
import Phone
import Testing
import Timekeeping

@testable import Reader
@testable import ReaderTestSupport

/// A reader whose access panel decides: grants are handed on, and the lock moves by the panel's order only.
@Suite struct AccessReaderPanelTests {
    private let refused = PhoneStep.failed(PhoneFailure(.peerStatus, terminal: .unavailable))

    private func handedOn(_ bench: borrowing ReaderBench) -> [String] {
        bench.reader.effects.compactMap { if case .handOn(let credential, _) = $0 { credential.id } else { nil } }
    }

    private func lockMoved(_ bench: borrowing ReaderBench) -> Bool {
        bench.reader.doorActions.contains { $0.output == .lock }
    }

    private func decide(_ bench: inout ReaderBench, _ status: StatusCode) {
        bench.decide(.phone(1), status)
    }

    @Test func aGrantIsHandedOn() throws {
        var bench = try ReaderBench()
        bench.reader.grantRoute = .panel
        let link = bench.connect(0, generation: 0)
        #expect(try bench.exchange(link, token: ReaderBench.token(.open)) == .completed([]))
        #expect(handedOn(bench) == ["CRED000001"])
        #expect(!lockMoved(bench) && bench.reader.timesOpened == 0)
        // A repetition within the re-arm time is the same one.
        #expect(try bench.exchange(link, token: ReaderBench.token(.open)) == .completed([]))
        #expect(handedOn(bench) == ["CRED000001"])
    }

    @Test func theRecordSaysSoAndComesFirst() throws {
        var bench = try ReaderBench { $0.isAudited = true }
        bench.reader.grantRoute = .panel
        let link = bench.connect(0, generation: 0)
        _ = try bench.exchange(link, token: ReaderBench.token(.open))
        #expect(bench.reader.openRequests.map(\.event.kind) == [.handedOn])
        #expect(handedOn(bench).isEmpty)
        decide(&bench, .ok)
        #expect(handedOn(bench) == ["CRED000001"] && !lockMoved(bench))
    }

    @Test(arguments: [StatusCode.unavailable, .storageFull]) func withoutItsRecordNothingIsHandedOn(
        status: StatusCode
    ) throws {
        var bench = try ReaderBench { $0.isAudited = true }
        bench.reader.grantRoute = .panel
        let link = bench.connect(0, generation: 0)
        _ = try bench.exchange(link, token: ReaderBench.token(.open))
        decide(&bench, status)
        #expect(handedOn(bench).isEmpty && !lockMoved(bench))
    }

    /// The recorded outcome is carried out, or none.
    @Test(arguments: [(GrantRoute.panel, GrantRoute.door), (.panel, .nowhere), (.door, .panel), (.door, .nowhere)])
    func thePanelComesOrGoesWhileTheRecordIsWritten(before: GrantRoute, after: GrantRoute) throws {
        var bench = try ReaderBench { $0.isAudited = true }
        bench.reader.grantRoute = before
        let link = bench.connect(0, generation: 0)
        _ = try bench.exchange(link, token: ReaderBench.token(.open))
        bench.reader.grantRoute = after
        decide(&bench, .ok)
        #expect(handedOn(bench).isEmpty && !lockMoved(bench))
        #expect(bench.reader.auditEvents.last?.kind == .withdrawn)
        #expect(bench.reader.grantRoute == after)
    }

    @Test func aSilentPanelOpensNothing() throws {
        var bench = try ReaderBench { $0.isAudited = true }
        bench.reader.grantRoute = .nowhere
        let link = bench.connect(0, generation: 0)
        #expect(try bench.exchange(link, token: ReaderBench.token(.open)) == refused)
        #expect(handedOn(bench).isEmpty && !lockMoved(bench))
        #expect(bench.reader.auditEvents.map(\.kind) == [.denied])
        #expect(bench.reader.doorActions.contains(.setIndicator(.denied, on: true)))
    }

    /// A panel can be asked for an opening, not to hold the door open.
    @Test(arguments: [CommandName.officeOn, .officeOff, .officeToggle]) func officeModeIsRefused(
        command: CommandName
    ) throws {
        var bench = try ReaderBench()
        bench.reader.grantRoute = .panel
        let link = bench.connect(0, generation: 0)
        #expect(try bench.exchange(link, token: ReaderBench.token(command)) == refused)
        #expect(handedOn(bench).isEmpty && !lockMoved(bench))
    }

    /// The panel is asked for nobody whom the reader refuses.
    @Test func aRefusedPhoneIsNotHandedOn() throws {
        var bench = try ReaderBench { $0.isAudited = true }
        bench.reader.grantRoute = .panel
        let link = bench.connect(0, generation: 0)
        let tokens = [
            (try ReaderBench.token(.open, key: P256PrivateKey.generate()), StatusCode.signature),
            (try ReaderBench.token(.open, through: 2025), .validity),
            (try ReaderBench.token(CommandName(rawValue: "NOSUCH")), .notSupported),
        ]
        for (token, status) in tokens {
            #expect(
                try bench.exchange(link, token: token) == .failed(PhoneFailure(.peerStatus, terminal: status)))
            #expect(handedOn(bench).isEmpty && bench.reader.openRequests.isEmpty && !lockMoved(bench))
        }
    }

    @Test func aLockdownRefusesBefore() throws {
        var bench = try ReaderBench()
        bench.reader.grantRoute = .panel
        bench.reader.door.lockdown(true, at: bench.now, into: &bench.reader.effects)
        let link = bench.connect(0, generation: 0)
        #expect(try bench.exchange(link, token: ReaderBench.token(.open)) == refused)
        #expect(handedOn(bench).isEmpty)
    }

    @Test func thePanelsOrderMovesTheLockAndIsRecorded() throws {
        var bench = try ReaderBench { $0.isAudited = true }
        let moment = bench.moment
        _ = bench.reader.execute(.panelOn, at: moment)
        #expect(bench.reader.doorActions.contains(.setLock(energised: true)))
        #expect(bench.reader.doorStatus.isUnlockedByPanel && bench.reader.timesOpened == 1)
        _ = bench.reader.execute(.panelOff, at: moment)
        #expect(!bench.reader.doorStatus.isUnlocked)
        #expect(bench.reader.auditEvents.map(\.kind) == [.panelUnlocked])
    }
}
