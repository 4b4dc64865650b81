// SPDX-License-Identifier: Apache-2.0

import Configuration
import CTOML

/// The entries of a TOML text.
enum TOMLDocument {
    /// Parses a text into its entries, or a fault if it is not TOML.
    static func entries(of octets: Span<UInt8>) -> Result<[SettingsEntry], TOMLFault> {
        let document = octets.withUnsafeBytes {
            readerd_toml_parse($0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count)
        }
        guard let document else { return .failure(TOMLFault(message: "out of memory", line: nil)) }
        defer { readerd_toml_free(document) }

        var fault = readerd_toml_fault()
        if readerd_toml_get_fault(document, &fault) {
            let line = fault.line > 0 ? Int(fault.line) : nil
            let message = isUnclosedText(fault, octets) ? unclosedText : string(fault.message)
            return .failure(TOMLFault(message: message, line: line))
        }
        var entries: [SettingsEntry] = []
        entries.reserveCapacity(readerd_toml_entry_count(document))
        var entry = readerd_toml_entry()
        while readerd_toml_get_entry(document, entries.count, &entry) {
            entries.append(
                SettingsEntry(
                    path: string(entry.path), index: entry.index < 0 ? nil : Int(entry.index), value: value(entry),
                    line: Int(entry.line), column: Int(entry.column)))
        }
        return .success(entries)
    }

    private static let unclosedText = "a text has no quotation mark at its end"

    /// True if the fault's control character is the end of the line, or the text ends within a text.
    private static func isUnclosedText(_ fault: readerd_toml_fault, _ octets: Span<UInt8>) -> Bool {
        let message = string(fault.message)
        guard message.contains("string:") else { return false }
        if message.contains("end-of-file") { return true }
        guard message.contains("control characters"), fault.line > 0 else { return false }
        var line = 1
        for index in octets.indices {
            if octets[index] == UInt8(ascii: "\n") { line += 1 }
            let octet = octets[index]
            if line == Int(fault.line), octet < 0x20, ![0x09, 0x0A, 0x0D].contains(octet) { return false }
        }
        return true
    }

    private static func value(_ entry: readerd_toml_entry) -> SettingsEntry.Value {
        switch entry.kind {
        case READERD_TOML_TABLE: .table
        case READERD_TOML_ARRAY: .array
        case READERD_TOML_STRING: .string(string(entry.string))
        case READERD_TOML_INTEGER: .integer(entry.integer)
        case READERD_TOML_FLOAT: .float(entry.real)
        case READERD_TOML_BOOLEAN: .boolean(entry.boolean)
        default: .dateTime
        }
    }

    private static func string(_ text: readerd_toml_text) -> String {
        String(decoding: UnsafeRawBufferPointer(start: text.octets, count: text.count), as: UTF8.self)
    }
}

/// A syntax error of a TOML text.
struct TOMLFault: Error, Equatable {
    /// The parser's message.
    var message: String
    /// The line number, from 1, if known.
    var line: Int?
}
