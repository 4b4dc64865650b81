// SPDX-License-Identifier: Apache-2.0

import Commands
import Emulation
import JSON
import LabReport
package import Scenario
import Timekeeping

/// The runs of one scenario on several airs, and their differences from the first air.
package struct AirComparison {
    /// The runs on one air.
    package struct Column {
        package let air: ScenarioAir
        package var runs: [SiteRun] = []

        /// The number of unexpected runs.
        var unexpected: Int { runs.count { !$0.isAsExpected } }
    }

    package let scenario: SiteScenario
    package var columns: [Column]

    package init(_ scenario: SiteScenario, _ airs: [ScenarioAir]) {
        self.scenario = scenario
        columns = airs.map { Column(air: $0) }
    }

    package var isAsExpected: Bool { columns.allSatisfy { $0.unexpected == 0 } }

    /// The head, a row for each phone and the lock.
    package var rows: [[String]] {
        let phones = scenario.phones.enumerated().map { index, phone in
            row(phone.name, { AirComparison.text($0.runs.map { $0.phones[index] }) }, { phoneDifference(index, $0) })
        }
        let lock = row("(lock released)", { AirComparison.counts($0.runs.map { "\($0.openings)" }) }) { column in
            let (ours, first) = (Set(column.runs.map(\.openings)), Set(columns[0].runs.map(\.openings)))
            return ours.isSubset(of: first) ? "no" : "YES"
        }
        let unexpected = row("(not as expected)", { "\($0.unexpected) of \($0.runs.count)" }) { column in
            columns[0].unexpected == 0 && column.unexpected > 0 ? "YES" : "no"
        }
        let head = ["phone", columns[0].air.name] + columns.dropFirst().flatMap { [$0.air.name, "differs"] }
        return [head] + phones + [lock, unexpected]
    }

    private func row(
        _ name: String, _ text: (Column) -> String, _ difference: (Column) -> String
    ) -> [String] {
        [name, text(columns[0])] + columns.dropFirst().flatMap { [text($0), difference($0)] }
    }

    /// The difference of a phone from the first air: its result, or a time outside the range there.
    private func phoneDifference(_ index: Int, _ column: Column) -> String {
        let (first, other) = (columns[0].runs.map { $0.phones[index] }, column.runs.map { $0.phones[index] })
        let results = Set(first.map(\.result))
        if other.contains(where: { !results.contains($0.result) }) { return "RESULT" }
        guard let range = AirComparison.range(first), let times = AirComparison.range(other) else { return "no" }
        if times.upperBound > range.upperBound { return "+\(times.upperBound - range.upperBound) ms" }
        if times.lowerBound < range.lowerBound { return "-\(range.lowerBound - times.lowerBound) ms" }
        return "no"
    }

    /// The results of a phone with their times.
    private static func text(_ phones: [SiteRun.PhoneResult]) -> String {
        let results = counts(phones.map(\.result.rawValue))
        guard let range = range(phones) else { return results }
        let times = range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)-\(range.upperBound)"
        return "\(results), \(times) ms"
    }

    /// The range of the times to the results in milliseconds; nil without a time.
    private static func range(_ phones: [SiteRun.PhoneResult]) -> ClosedRange<Int64>? {
        let times = phones.compactMap { $0.after?.wholeMilliseconds }
        guard let least = times.min(), let most = times.max() else { return nil }
        return least...most
    }

    /// Each value once, followed by its number of occurrences if there are several values.
    private static func counts(_ values: [String]) -> String {
        let kinds = values.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        guard kinds.count > 1 else { return kinds.first ?? "-" }
        return kinds.map { kind in "\(kind) (\(values.count { $0 == kind }))" }.joined(separator: " ")
    }
}

/// A comparison as text and as JSON.
extension AirComparison {
    package func lines(named name: String) -> [String] {
        var lines = scenario.about.isEmpty ? [] : [scenario.about, ""]
        lines += TextTable.aligned(rows) + [""]
        for column in columns {
            lines += column.air.differences(scenario).map { "\(column.air.name): \($0)" }
            for run in column.runs where !run.isAsExpected {
                lines += ScenarioText.failures(run).map { "FAILED, \(column.air.name), seed \(run.seed): \($0)" }
            }
        }
        let counts = columns.map { "\($0.runs.count) on \($0.air.name)" }
        return lines + ["\(name): runs: \(counts.joined(separator: ", "))"]
    }

    /// The differences as a JSON object, without the runs.
    package func json(named name: String) -> String {
        ([
            "scenario": name, "as-expected": isAsExpected, "airs": columns.map(\.air.name),
            "differences": rows.dropFirst().map { difference($0) }, "not-carried-out": columns.map { told($0.air) },
        ] as JSONObject).text
    }

    private func difference(_ row: [String]) -> JSONObject {
        var object = JSONObject()
        object.add("what", row[0])
        object.add(columns[0].air.name, row[1])
        for (index, column) in columns.enumerated().dropFirst() {
            object.add(column.air.name, row[2 * index])
            object.add("\(column.air.name)-differs", row[2 * index + 1])
        }
        return object
    }

    private func told(_ air: ScenarioAir) -> JSONObject {
        ["air": air.name, "lines": air.differences(scenario)]
    }
}
