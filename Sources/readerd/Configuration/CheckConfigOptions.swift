// SPDX-License-Identifier: Apache-2.0

import System
import Timekeeping

/// The arguments of `readerd check-config`.
struct CheckConfigOptions: Equatable, ReaderdArguments {
    /// The file; empty before it was parsed.
    var path = ""
    /// `--state`; nil to check only the file.
    var stateDirectory: String?
    var isJSON = false
    /// `--print`: print every key with its value and source.
    var isPrinting = false
    /// `--holidays`: the year whose holidays are printed; nil for none.
    var holidays: Int?

    var command: CommandName { .checkConfig }

    var options: [CommandOption<CheckConfigOptions>] {
        [
            .value("--state") { $0.stateDirectory = $1 },
            .value("--holidays") { check, value throws(ReaderdError) in
                guard let year = Int(value), value.utf8.count == 4, HolidayRule.allYears.contains(year) else {
                    throw .usage("--holidays needs a year, as 2027, not \"\(value)\"")
                }
                check.holidays = year
            },
            .flag("--print") { $0.isPrinting = true }, .flag("--json") { $0.isJSON = true },
        ]
    }

    mutating func accept(word: String) throws(ReaderdError) -> Bool {
        guard path.isEmpty else { throw .usage("check-config takes one FILE; \(help)") }
        path = word
        return true
    }

    func check(_ seen: Set<String>) throws(ReaderdError) {
        guard !path.isEmpty else { throw .usage("check-config needs a FILE; \(help)") }
    }
}
