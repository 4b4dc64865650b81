// SPDX-License-Identifier: Apache-2.0

import Console
import Commands
package import LoadGenerator
import Statistics

/// A door report as text: a line for each kind of opening, followed by a line for each part of a session.
package enum BenchDoorTableText {
    private static let head = [
        "opening", "edge p50 us", "edge p99 us", "wake p50 us", "inside p50 us", "bare p50 us", "inside/bare",
        "answer p50 us", "host CPU us", "allocs/op",
    ]
    private static let partHead = ["part", "count", "allocs/op"]

    package static func lines(_ report: DoorReport) -> [String] {
        var lines: [String] = []
        if !report.openings.isEmpty { lines += TextTable.aligned([head] + report.openings.map(cells)) }
        if !report.parts.isEmpty { lines += [""] + TextTable.aligned([partHead] + report.parts.map(cells)) }
        if let memory = report.memory {
            lines += [
                "",
                "memory: \(memory.resident) kB resident, \(memory.proportional) kB proportional, \(memory.own) kB own",
            ]
        }
        if let fault = report.fault { lines.append("error: \(fault)") }
        return lines
    }

    private static func cells(_ result: OpeningResult) -> [String] {
        [
            result.opening.rawValue, DecimalText.of(result.edge.median, 1),
            TextTable.percentile(result.edge.p99, 1),
        ]
            + [result.wake.median, result.inside.median, result.bare.median].map { DecimalText.of($0, 1) }
            + [
                DecimalText.of(result.quotient, 2),
                DecimalText.of(result.answer.median, 1), DecimalText.of(result.hostMicroseconds, 1),
                DecimalText.of(result.allocations?.mean.serving, 3),
            ]
    }

    private static func cells(_ result: PartResult) -> [String] {
        [result.part.rawValue, "\(result.count)", DecimalText.of(result.allocations?.mean.serving, 3)]
    }
}
