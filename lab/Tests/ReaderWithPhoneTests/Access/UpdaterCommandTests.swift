// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Peripheral
import Phone
import Testing
import Timekeeping

@testable import Reader
@testable import ReaderTestSupport

/// `BOOTLD` and `boot`, which ask the platform's updater (access protocol, 9).
@Suite struct UpdaterCommandTests {
    private static let request = UpdateRequest(credential: "CRED000001", command: "BOOTLD")

    private func bench(_ updater: UpdaterState) throws -> ReaderBench {
        var bench = try ReaderBench { $0.isAudited = true }
        bench.reader.updater = updater
        return bench
    }

    private func decide(_ bench: inout ReaderBench, _ status: StatusCode) throws {
        let id = try #require(bench.reader.openRequests.first?.token)
        bench.decide(id, status)
    }

    /// Access protocol, 8.2: −5 is not supported.
    @Test(arguments: [CommandName.bootLoader, .classicBoot]) func withoutAnUpdaterItIsNotSupported(
        command: CommandName
    ) throws {
        var bench = try bench(.absent)
        let link = bench.connect(0, generation: 4)
        let run = try StoredRun(&bench, link, StoredCommandTests.token(command))
        #expect(run.last == .refused(.notSupported))
        #expect(bench.reader.updateRequests.isEmpty && bench.reader.openRequests.isEmpty)
        #expect(bench.reader.auditEvents.map(\.kind) == [.command] && bench.reader.auditEvents.map(\.info) == [-5])
    }

    @Test func itWaitsForItsRecordAndIsAskedOnce() throws {
        var bench = try bench(.ready)
        let link = bench.connect(0, generation: 4)
        var run = try StoredRun(&bench, link, StoredCommandTests.token(.bootLoader))
        #expect(bench.port.notified.isEmpty && bench.reader.updateRequests.isEmpty)
        let event = try #require(bench.reader.openRequests.first?.event)
        #expect(event.kind == .command && event.info == 0)
        #expect(event.credential == "CRED000001" && event.command == "BOOTLD" && event.link == 4)
        try decide(&bench, .ok)
        let told = run.receive(&bench)
        #expect(told == .completed([]))
        #expect(bench.reader.updateRequests == [Self.request])
        #expect(bench.reader.updater == .busy)
        // It moves nothing, and shows nothing at the door.
        #expect(bench.reader.doorActions.isEmpty && bench.reader.auditEvents.isEmpty)
    }

    /// Access protocol, 8.2: −21 is busy. Also while the first still waits for its record.
    @Test func aSecondIsToldThatItIsBusy() throws {
        var bench = try bench(.ready)
        let (one, other) = (bench.connect(0, generation: 4), bench.connect(1, generation: 5, phone: 200))
        _ = try StoredRun(&bench, one, StoredCommandTests.token(.bootLoader))
        let second = try StoredRun(&bench, other, StoredCommandTests.token(.classicBoot))
        #expect(second.last == .refused(.unavailable))
        #expect(bench.reader.auditEvents.map(\.info) == [-21])
        try decide(&bench, .ok)
        bench.port.notified = []
        let third = try StoredRun(&bench, other, StoredCommandTests.token(.bootLoader))
        #expect(third.last == .refused(.unavailable))
        #expect(bench.reader.updateRequests == [Self.request])
        // The shell says that it has ended.
        bench.reader.updater = .ready
        bench.port.notified = []
        _ = try StoredRun(&bench, other, StoredCommandTests.token(.bootLoader))
        #expect(bench.reader.openRequests.count == 1)
    }

    /// A command that cannot be recorded is not done, and the next may try.
    @Test(arguments: [StatusCode.storageFull, .unavailable]) func withoutARecordThereIsNone(status: StatusCode) throws {
        var bench = try bench(.ready)
        let link = bench.connect(0, generation: 4)
        var run = try StoredRun(&bench, link, StoredCommandTests.token(.bootLoader))
        try decide(&bench, status)
        let told = run.receive(&bench)
        #expect(told == .refused(status))
        #expect(bench.reader.updateRequests.isEmpty && bench.reader.updater == .ready)
        #expect(bench.reader.doorActions.isEmpty, "a maintainer's phone is nobody who was turned away at the door")
    }

    @Test func aPhoneThatHasLeftHasAskedAllTheSame() throws {
        var bench = try bench(.ready)
        let link = bench.connect(0, generation: 4)
        _ = try StoredRun(&bench, link, StoredCommandTests.token(.classicBoot))
        bench.event(.disconnected(link, reason: .remoteUserTerminated))
        try decide(&bench, .ok)
        #expect(bench.reader.updateRequests == [UpdateRequest(credential: "CRED000001", command: "boot")])
    }

    @Test func theEndOfTheReaderIsNoTimeForIt() throws {
        var bench = try bench(.ready)
        let link = bench.connect(0, generation: 4)
        _ = try StoredRun(&bench, link, StoredCommandTests.token(.bootLoader))
        bench.reader.shutDown(port: &bench.port, at: bench.now)
        try decide(&bench, .ok)
        #expect(bench.reader.updateRequests.isEmpty)
        #expect(bench.reader.auditEvents.map(\.kind) == [.withdrawn] && bench.reader.auditEvents.map(\.info) == [-22])
    }
}

/// `gcfg` and `gver`, our own profile in CBOR (docs/protocol/commands.md).
@Suite struct ClassicCommandTests {
    private static func text(_ text: String) -> [UInt8] { [0x60 + UInt8(text.utf8.count)] + Array(text.utf8) }

    @Test func theVersionsAreAMap() throws {
        var bench = try ReaderBench { $0.version.buildTime = 1_795_219_200 }
        let link = bench.connect(0, generation: 4)
        let told = try bench.exchange(link, token: StoredCommandTests.token(.classicVersions))
        let octets =
            [0xA3] + Self.text("version") + [0x01] + Self.text("build-time") + [0x1A, 0x6B, 0x00, 0xDF, 0x00]
            + Self.text("test-version") + [0x00]
        #expect(told == .completed(octets))
    }

    @Test func theConfigurationIsAMap() throws {
        var bench = try ReaderBench { $0.modes.removeFirst() }
        let link = bench.connect(0, generation: 4, set: 1)
        let told = try bench.exchange(link, token: StoredCommandTests.token(.getConfiguration))
        let text = Self.text
        let gate =
            [0xA4] + text("samples") + [0x03] + text("window-ms") + [0x19, 0x01, 0x90]
            + text("interval-ms") + [0x18, 0x19] + text("threshold-dbm") + [0x38, 0x3B]
        func mode(_ name: String, _ gate: [UInt8], _ address: BluetoothAddress, _ service: String) -> [UInt8] {
            func long(_ text: String) -> [UInt8] {
                text.utf8.count < 24 ? Self.text(text) : [0x78, UInt8(text.utf8.count)] + Array(text.utf8)
            }
            return [0xA4] + text("mode") + text(name) + text("address") + long("\(address)") + text("service")
                + long(service) + text("proximity") + gate
        }
        let modes =
            [0x82] + mode("access", gate, .randomStatic(from: 2), "FCBA")
            + mode("classic", [0xF6], .randomStatic(from: 3), "00005301-0000-002A-426C-756549442A00")
        let advertising =
            [0xA3] + text("modes") + modes + text("company-id") + [0x19, 0x0C, 0x5E] + text("interval-ms")
            + [0x18, 0x64]
        let links = [0xA2] + text("max") + [0x03] + text("max-connection-ms") + [0x19, 0x0B, 0xB8]
        let octets =
            [0xA3] + text("id") + text("wa0y1YwS") + text("links") + links + text("advertising") + advertising
        #expect(told == .completed(octets))
    }
}
