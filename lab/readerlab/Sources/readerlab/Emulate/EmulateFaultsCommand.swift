// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import DevicePrograms
import Emulation
import Glibc
import JSON

/// `readerlab emulate faults`: lists the faults that each kind of device accepts as typed commands.
struct EmulateFaultsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "faults",
        abstract: "List the faults of each kind of device.",
        discussion: """
            A row for each step of a device's protocol. While the device runs, type "fault WORD STEP ARGUMENT", as \
            "fault delay status 3000"; scenario files have the same words.

              readerlab emulate faults
              readerlab emulate faults bandit
            """)

    @Argument(help: ArgumentHelp("Only this kind.", valueName: "KIND"))
    var kind: String?

    @Flag(help: "One JSON object a line.")
    var json = false

    func validate() throws {
        guard let kind, FaultTable.rows(of: kind) == nil else { return }
        throw ValidationError(
            "\(kind.debugDescription) has no faults; there are \(FaultTable.kinds.joined(separator: ", "))")
    }

    func run() {
        let kinds = kind.map { [$0] } ?? FaultTable.kinds
        let rows = kinds.flatMap { kind in (FaultTable.rows(of: kind) ?? []).map { (kind, $0) } }
        for line in json ? rows.map(Self.json) : Self.table(rows) { ConsoleOutput.write(line, to: STDOUT_FILENO) }
    }

    private static func json(_ kind: String, _ row: FaultTable.Row) -> String {
        var object = JSONObject()
        object.add("kind", kind)
        object.add(contentsOf: row.json)
        return object.text
    }

    /// Aligned rows; each kind is named once.
    private static func table(_ rows: [(kind: String, row: FaultTable.Row)]) -> [String] {
        let steps = rows.map { $0.row.step ?? "-" }
        let widths = (rows.map(\.kind.count).max() ?? 0, steps.map(\.count).max() ?? 0)
        var last = ""
        return zip(rows, steps).map { row, step in
            let faults = row.row.faults.map { [$0.word, $0.argument].compactMap(\.self).joined(separator: " ") }
            let kind = row.kind == last ? "" : row.kind
            last = row.kind
            return TextColumn.padded(kind, widths.0) + "  " + TextColumn.padded(step, widths.1) + "  "
                + faults.joined(separator: ", ")
        }
    }
}
