// SPDX-License-Identifier: Apache-2.0

import Reader
import TapBench
import Testing

/// The measured transactions are those of the reader, with the commands of their kind; the clock is the test's.
@Suite struct TapBenchTests {
    /// A reader whose clock advances by a microsecond with each reading.
    private func reader() -> TapReader {
        var now = 0
        return TapReader {
            now += 1000
            return now
        }
    }

    @Test(arguments: [
        (TapKind.pkoc, ["SELECT", "AUTHENTICATE"]),
        (.aliroFast, ["SELECT", "AUTH0"]),
        (.aliroStandard, ["SELECT", "AUTH0", "AUTH1"]),
        (.desfire, ["select application", "authenticate", "challenge", "read file"]),
    ])
    func aTransactionHasTheCommandsOfItsKind(_ kind: TapKind, _ names: [String]) throws {
        var reader = reader()
        let trace = try reader.transaction(kind)
        #expect(trace.exchanges.map(\.name) == names)
        #expect(trace.exchanges.allSatisfy { $0.command > 4 && $0.response >= 2 && $0.reader >= 1000 })
    }

    @Test func stepUpBringsTheDocument() throws {
        var reader = reader()
        let names = try reader.transaction(.aliroStepUp).exchanges.map(\.name)
        #expect(names.prefix(3) == ["SELECT", "AUTH0", "AUTH1"])
        #expect(names.contains("ENVELOPE"))
    }

    @Test func aTokenOpensTheDoor() throws {
        var reader = reader()
        let trace = try reader.transaction(.token)
        #expect(trace.exchanges.first?.name == "SELECT" && trace.exchanges.count >= 3)
        // Its last message has been decided and carried out.
        let door = TapDoor(decision: 5, record: 0, edge: 5)
        let stages = TapStages(trace, door, ContactlessClock(), TapAssumptions())
        #expect(stages.reader == stages.sum(\.reader))
    }

    @Test func theDoorOpensAfterItsRecord() throws {
        var reader = reader()
        var recorded: [AuditKind] = []
        let door = try reader.door { event in
            recorded.append(event.kind)
            return 700_000
        }
        #expect(recorded == [.granted])
        #expect(door == TapDoor(decision: 1000, record: 700_000, edge: 1000))
    }

    @Test func theMedianIsOfEachExchange() throws {
        var reader = reader()
        var traces = try (0..<3).map { _ in try reader.transaction(.desfire) }
        for (index, time) in [9, 1, 5].enumerated() { traces[index].exchanges[2].reader = time }
        #expect(try TapTrace(medianOf: traces).exchanges[2].reader == 5)
        #expect(throws: TapFault.self) { try TapTrace(medianOf: []) }
    }

    @Test func stagesAddUpToTheTotalAndAreJudged() throws {
        var reader = reader()
        var trace = try reader.transaction(.aliroFast)
        let door = TapDoor(decision: 10_000, record: 500_000, edge: 10_000)
        var assumptions = TapAssumptions()
        let stages = TapStages(trace, door, ContactlessClock(), assumptions)
        let parts = stages.field + stages.sum(stages.work) + stages.sum(stages.air) + stages.sum(stages.line)
        #expect(stages.total == parts + stages.reader + 500_000)
        #expect(stages.sum(stages.work) == 126_000_000 && stages.isWithinTargets)
        // A phone that needs longer misses the target, and a slow reader its own.
        assumptions.answer = 120_000_000
        #expect(!TapStages(trace, door, ContactlessClock(), assumptions).isWithinTargets)
        trace.exchanges[0].reader = 11_000_000
        #expect(!TapStages(trace, door, ContactlessClock(), TapAssumptions()).isWithinTargets)
    }
}
