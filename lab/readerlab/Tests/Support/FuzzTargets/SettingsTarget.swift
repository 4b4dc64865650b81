// SPDX-License-Identifier: Apache-2.0

import Configuration
import Peripheral

/// A configuration file, through the TOML library to what is said about it.
func fuzzSettings(_ input: inout FuzzInput) {
    let text = input.rest()
    let lines = text.count { $0 == UInt8(ascii: "\n") } + 1
    switch TOMLDocument.entries(of: text.span) {
    case .failure(let fault):
        require(!fault.message.isEmpty, "a fault without a word")
        // The parser may count the line after the last.
        if let line = fault.line { require((1...lines + 1).contains(line), "a fault in line \(line) of \(lines)") }
    case .success(let entries):
        for entry in entries { require((1...lines).contains(entry.line), "\(entry.path) in line \(entry.line)") }
        let decoded = DecodedSettings(entries)
        for diagnostic in decoded.diagnostics {
            require(!diagnostic.description.isEmpty, "a diagnostic without a word")
            if let line = diagnostic.line {
                require((1...lines).contains(line), "a diagnostic on line \(line) of \(lines)")
            }
        }
        do throws(TransportNameError) {
            let transport = try TransportName(decoded.settings.hci)
            _ = "\(transport)"
        } catch {
            require(!error.description.isEmpty, "an error without a word")
        }
    }
}
