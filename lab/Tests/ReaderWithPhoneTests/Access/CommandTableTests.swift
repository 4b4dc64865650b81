// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Peripheral
import Phone
import TestSupport
import Testing
import Timekeeping

@testable import Reader
@testable import ReaderTestSupport

/// `docs/protocol/commands.md` against the code.
@Suite struct CommandTableTests {
    struct Row {
        var command: CommandName
        var data: String
        var result: String
        var group: String
        var effect: String
    }

    private static func rows() throws -> [Row] {
        // #filePath is …/lab/Tests/ReaderWithPhoneTests/Access/CommandTableTests.swift
        let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(5)
        let octets = try octets(ofFile: parts.joined(separator: "/") + "/docs/protocol/commands.md")
        let text = String(decoding: octets, as: UTF8.self)
        return text.split(separator: "\n").compactMap { line in
            guard line.hasPrefix("| `") else { return nil }
            let cells = line.split(separator: "|").map { cell in
                var text = cell.drop { $0 == " " }
                while text.last == " " { text.removeLast() }
                return text.filter { $0 != "`" }
            }
            guard cells.count == 5 else { return nil }
            return Row(
                command: CommandName(rawValue: cells[0]), data: cells[1], result: cells[2], group: cells[3],
                effect: cells[4])
        }
    }

    @Test func everyCommandHasARowAndItsGroup() throws {
        let rows = try Self.rows()
        #expect(rows.map(\.command.rawValue).sorted() == CommandName.all.map(\.rawValue).sorted())
        for row in rows {
            #expect(row.group == (row.command.group?.rawValue ?? "-"), "\(row.command.rawValue)")
            #expect(row.data == "-" || row.command.readsUnsignedData, "\(row.command.rawValue)")
        }
    }

    /// Carries each command out: it has a result if the table says so, and −5 is what the table says.
    @Test func everyCommandDoesWhatItsRowSays() throws {
        for row in try Self.rows() {
            var bench = try ReaderBench { $0.isAudited = true }
            bench.reader.updater = .ready
            let link = bench.connect(0, generation: 4)
            // An empty message is one of each kind of data that has no required field; else the time or the count.
            let data: [UInt8] =
                switch row.data {
                case "EventLogQuery", "SystemLogQuery": [0x02, 0x08, 0x05]
                case "SystemTimeUnix": StoredCommandTests.octets(SystemTimeUnix(epoch: 1_795_262_500))
                case "-": []
                default: [0x00]
                }
            let isDay = row.command == .setClock
            let token =
                isDay
                ? try ClockCommandTests.dayToken(data) : try StoredCommandTests.token(row.command, data)
            var run = try StoredRun(&bench, link, token)
            var told = run.last
            if let request = run.requests.first(where: { $0.id != nil }) {
                told = run.answer(&bench, Self.answer(request.work))
            } else if let request = bench.reader.openRequests.first {
                bench.decide(request.token, .ok)
                told = run.receive(&bench)
            }
            let name = row.command.rawValue
            if row.effect.hasPrefix("−5") {
                #expect(told == .refused(.notSupported), "\(name)")
            } else if row.result == "-" {
                #expect(told == .completed([]), "\(name)")
            } else {
                guard case .completed(let octets) = told else {
                    Issue.record("\(name): \(told)")
                    continue
                }
                #expect(!octets.isEmpty, "\(name)")
            }
            let opens = ["tokn", "enof", "toof"].contains(name)
            #expect(bench.reader.doorActions.contains(.setLock(energised: true)) == opens, "\(name)")
        }
    }

    private static func answer(_ work: StorageWork) -> StorageAnswer {
        switch work {
        case .counters: .counters(LogCounters())
        case .events: .events([])
        case .systemLines: .systemLines([])
        case .clock: .clock(.done)
        case .clearEvents, .clearSystemLines, .blacklist, .setting: .done
        }
    }

    /// Office mode is held until it is ended, and recorded as what it is.
    @Test func officeModeIsHeldUntilItIsEnded() throws {
        // Without the time in which the same request counts as the one before.
        var bench = try ReaderBench { $0.reArm = .zero }
        let link = bench.connect(0, generation: 4)
        for (command, isUnlocked) in [
            (CommandName.officeOn, true), (.officeToggle, false), (.officeToggle, true), (.officeOff, false),
        ] {
            let told = try bench.exchange(link, token: ReaderBench.token(command))
            #expect(told == .completed([]))
            #expect(bench.reader.door.isUnlocked == isUnlocked, "\(command.rawValue)")
        }
        var audited = try ReaderBench { $0.isAudited = true }
        let other = audited.connect(0, generation: 4)
        _ = try audited.exchange(other, token: ReaderBench.token(.officeToggle))
        #expect(audited.reader.openRequests.first?.event.info == EventAccessInfo.toggleUnlock.rawValue)
    }

    /// A revocation is in force at once: the grant that waits for its record is withdrawn.
    @Test func revocationBeforeTheOpeningRefuses() throws {
        var bench = try ReaderBench { $0.isAudited = true }
        let link = bench.connect(0, generation: 4)
        _ = try bench.exchange(link, token: ReaderBench.token(.open))
        let waiting = try #require(bench.reader.openRequests.first)
        bench.reader.blacklist.insert(
            Blacklist.Entry(credentialID: credentialID("CRED000001"), expiresAt: nil), at: nil)
        bench.decide(waiting.token, .ok)
        #expect(!bench.reader.door.isUnlocked && bench.reader.auditEvents.last?.kind == .withdrawn)
    }
}
