// SPDX-License-Identifier: Apache-2.0

import Commands
import JSON
import Statistics
import TapBench

/// The stages of a tap as tables and as JSON.
package enum BenchTapText {
    /// Figures that others have published, in milliseconds: each of its own hardware, and from its own first moment.
    private static let published = [
        ("Home Key, a PN532 on Linux, Python", 256), ("transit, the usual limit", 500),
        ("Aliro fast, an ESP32 with a PN532", 569), ("Aliro standard, the same", 2047),
    ]

    package static func lines(_ bench: BenchTap) -> [String] {
        guard let first = bench.rows.first else { return [] }
        let (clock, assumed) = (first.clock, first.assumptions)
        return [
            "milliseconds from the card in the field to the order to the lock, at \(clock.bitRate.rawValue) kbit/s; "
                + "medians of \(bench.runs)",
            "measured on this machine: reader (processor time), record (disk)",
            "computed: air (ISO/IEC 14443), line (\(clock.lineRate) baud to a PN532)",
            "assumed: field (half of \(text(assumed.round, 0)) ms, and the activation), card "
                + "(\(text(assumed.answer, 0)) ms a command, \(text(assumed.keyWork, 0)) more for a signature)",
            "",
        ] + TextTable.aligned(rows(bench)) + ["", "each command"]
            + TextTable.aligned(exchangeRows(bench), leading: 2) + ["", "published by others, each from its own start"]
            + TextTable.aligned(published.map { [$0.0, "\($0.1)"] })
    }

    /// The head and a row for each kind.
    package static func rows(_ bench: BenchTap) -> [[String]] {
        [["kind", "field", "card", "air", "line", "reader", "record", "total", "wanted", "met"]]
            + bench.rows.map { row in
                [
                    row.trace.kind.rawValue, text(row.field), text(row.sum(row.work)), text(row.sum(row.air)),
                    text(row.sum(row.line)), text(row.reader, 2), text(row.door.record, 2), text(row.total),
                    TapStages.targets[row.trace.kind].map { "≤ \($0)" } ?? "-",
                    row.isWithinTargets ? "yes" : "MISSED",
                ]
            }
    }

    /// The head and a row for each command, with the time on air at each bit rate.
    package static func exchangeRows(_ bench: BenchTap) -> [[String]] {
        let rates = ContactlessClock.BitRate.allCases
        return [
            ["kind", "command", "octets", "answer", "card"] + rates.map { "air \($0.rawValue)" } + ["line", "reader"]
        ]
            + bench.rows.flatMap { row in
                row.trace.exchanges.map { exchange in
                    [
                        row.trace.kind.rawValue, exchange.name, "\(exchange.command)", "\(exchange.response)",
                        text(row.work(exchange)),
                    ] + rates.map { text(row.at($0).air(exchange), 2) }
                        + [text(row.line(exchange)), text(exchange.reader, 3)]
                }
            }
    }

    package static func json(_ bench: BenchTap) -> String {
        guard let first = bench.rows.first else { return JSONObject().text }
        return
            ([
                "runs": bench.runs, "bit-rate": first.clock.bitRate.rawValue, "line-rate": first.clock.lineRate,
                "round-ms": milliseconds(first.assumptions.round), "answer-ms": milliseconds(first.assumptions.answer),
                "signature-ms": milliseconds(first.assumptions.keyWork), "kinds": bench.rows.map(json),
            ] as JSONObject).text
    }

    private static func json(_ row: TapStages) -> JSONObject {
        [
            "kind": row.trace.kind.rawValue, "field-ms": milliseconds(row.field),
            "card-ms": milliseconds(row.sum(row.work)), "air-ms": milliseconds(row.sum(row.air)),
            "line-ms": milliseconds(row.sum(row.line)), "reader-ms": milliseconds(row.reader),
            "decision-ms": milliseconds(row.door.decision), "record-ms": milliseconds(row.door.record),
            "edge-ms": milliseconds(row.door.edge), "total-ms": milliseconds(row.total),
            "wanted-ms": TapStages.targets[row.trace.kind], "ok": row.isWithinTargets,
            "commands": row.trace.exchanges.map { exchange in
                [
                    "name": exchange.name, "octets": exchange.command, "answer-octets": exchange.response,
                    "card-ms": milliseconds(row.work(exchange)), "air-ms": milliseconds(row.air(exchange)),
                    "line-ms": milliseconds(row.line(exchange)), "reader-ms": milliseconds(exchange.reader),
                ] as JSONObject
            },
        ]
    }

    private static func text(_ nanoseconds: Int, _ decimals: Int = 1) -> String {
        DecimalText.of(Double(nanoseconds) / 1e6, decimals)
    }

    private static func milliseconds(_ nanoseconds: Int) -> JSONLiteral { JSONLiteral(text(nanoseconds, 3)) }
}
