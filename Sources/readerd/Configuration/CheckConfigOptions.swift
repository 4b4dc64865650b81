// SPDX-License-Identifier: Apache-2.0

import System

/// The arguments of `readerd check-config`.
struct CheckConfigOptions: Equatable, ReaderdArguments {
    /// The file; empty before it was parsed.
    var path = ""
    /// `--state`; nil to check only the file.
    var stateDirectory: String?
    var isJSON = false

    var command: CommandName { .checkConfig }

    var options: [CommandOption<CheckConfigOptions>] {
        [.value("--state") { $0.stateDirectory = $1 }, .flag("--json") { $0.isJSON = true }]
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
