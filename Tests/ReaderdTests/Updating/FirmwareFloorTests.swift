// SPDX-License-Identifier: Apache-2.0

import EventStore
import Reader
import System
import TestSupport
import Testing
import Timekeeping

@testable import readerd

/// No older firmware, however well it is signed: the floor that is kept with the policy.
@Suite struct FirmwareFloorTests {
    private static func stored(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// Semantic Versioning 2.0.0, 11.4.
    @Test func versionsInTheirOrder() throws {
        let ordered = [
            "0.1.0-alpha", "0.1.0-alpha.1", "0.1.0-alpha.beta", "0.1.0-beta", "0.1.0-beta.2", "0.1.0-beta.11",
            "0.1.0-rc.1", "0.1.0", "0.1.1", "0.9.0", "0.10.0", "1.0.0",
        ].map { FirmwareRelease($0) }
        for (place, one) in ordered.enumerated() {
            for (later, other) in ordered.enumerated() {
                let (one, other) = (try #require(one), try #require(other))
                #expect((one < other) == (place < later), "\(one) \(other)")
            }
        }
        #expect(FirmwareRelease("0.1.0+one") == FirmwareRelease("0.1.0+other"))
    }

    @Test(arguments: [
        "", "1", "1.2", "1.2.3.4", "v1.2.3", "1.2.x", "01.2.3", "1.2.3-", "1.2.3-a..b", "1.2.3+", "1.2.-3", "1.2.3 ",
        "1.2.3;id", "1.2.3-$(id)", "99999999999.0.0", String(repeating: "1", count: 65),
    ])
    func noVersion(_ text: String) { #expect(FirmwareRelease(text) == nil) }

    @Test func floorExcludesWhatIsOlder() {
        for (release, floor, isExcluded) in [
            ("0.1.0", nil, false), ("0.1.0", "0.1.0", false), ("0.2.0", "0.1.0", false), ("0.1.0", "0.1.1", true),
            ("0.1.0-rc.1", "0.1.0", true), ("0.1.0", "a later form", true),
        ] as [(String, String?, Bool)] {
            let stored = floor.map(Self.stored)
            #expect(FirmwareFloor.excludes(FirmwareRelease(release), stored: stored) == isExcluded)
            // Nothing lowers it.
            if isExcluded { #expect(!FirmwareFloor.isRaised(by: FirmwareRelease(release), stored: stored)) }
        }
        #expect(FirmwareFloor.excludes(nil, stored: Self.stored("0.1.0")))
        #expect(FirmwareFloor.isRaised(by: FirmwareRelease("0.2.0"), stored: Self.stored("0.1.0")))
        #expect(!FirmwareFloor.isRaised(by: FirmwareRelease("0.1.0"), stored: Self.stored("0.1.0")))
    }

    // MARK: - A reader

    private func rig(_ floor: String?) throws -> ProcessRig {
        try ProcessRig(
            configuration: alwaysOpen,
            trouble: ProcessRig.Trouble(prepare: { state in
                try FaultLog.make(in: state, blacklist: FaultLog.revoked, lastEvent: 1_700_000_000)
                guard let floor else { return }
                let store = try EventStore(
                    EventStore.Configuration(
                        directory: state.path, key: try EventLogKey.load(from: state),
                        capacity: LogCapacity(records: 1000, whenFull: .overwrite)))
                #expect(store.submit(.unawaited, .change(.setting(FirmwareFloor.setting, Self.stored(floor)))))
                try #require(store.close(within: TestTimeout.seconds))
            }))
    }

    /// An older system in the other slot, or one that somebody has installed in spite of the floor.
    @Test func olderFirmwareLetsNobodyIn() throws {
        let rig = try rig("99.0.0")
        try rig.serve { client, rig in
            let shown = try rig.wait(client, for: .firmwareOld)
            #expect(
                shown?.text
                    == "phones open nothing: this firmware is \(FirmwareVersion.text), and 99.0.0 has served here "
                    + "before; install that or a newer one")
            rig.waitUntilRestored()
            rig.onLoop { #expect(rig.process.device.reader.blacklist.rows == []) }
            #expect(try eventually { try rig.doorState(client) == "held-open" }, "the office hours go on")
            rig.exitFreesTheLock()
            rig.operatorOpens(client)
        }
        let events = try rig.events()
        #expect(events.contains { $0.contains(#""kind":"policy-refused","code":70,"info":3"#) })
        let state = rig.directory.path + "/state"
        #expect(Program.outcome(of: ["check-update", FirmwareVersion.text, "--state", state]).code == 1)
        #expect(Program.outcome(of: ["check-update", "99.0.0", "--state", state]).code == 0)
    }

    @Test func firmwareThatHasServedIsTheFloor() throws {
        let rig = try rig("0.0.9")
        try rig.run { _, rig in
            rig.waitUntilRestored()
            rig.onLoop {
                #expect(!rig.process.faults.has(.firmwareOld))
                #expect(rig.process.device.reader.blacklist.rows == FaultLog.revoked)
                // Its time, an hour after the start; here at once.
                rig.process.keepFirmwareFloor(FirmwareRelease("0.2.0")!)
            }
        }
        let state = rig.directory.path + "/state"
        for (version, code) in [("0.1.9", 1), ("0.2.0", 0), ("0.3.0-rc.1", 0), ("next", 1)] as [(String, Int32)] {
            let outcome = Program.outcome(of: ["check-update", version, "--state", state])
            #expect(outcome.code == code, "\(version)")
        }
        let refused = Program.outcome(of: ["check-update", "0.1.9", "--state", state])
        #expect(
            refused.complaints == [
                "readerd: 0.1.9 is older than 0.2.0, which has served here; nothing older is installed"
            ])
    }

    /// A state in which no reader has served: this program itself is the floor.
    @Test func withoutAFloorTheProgramIsOne() throws {
        let rig = try rig(nil)
        try rig.run { _, rig in rig.waitUntilRestored() }
        let state = rig.directory.path + "/state"
        #expect(Program.outcome(of: ["check-update", FirmwareVersion.text, "--state", state]).code == 0)
        #expect(Program.outcome(of: ["check-update", "0.0.9", "--state", state]).code == 1)
    }
}
