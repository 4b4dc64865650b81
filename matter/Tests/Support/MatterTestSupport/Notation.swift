// SPDX-License-Identifier: Apache-2.0

import MatterTLV

/// TLV as text, in the notation of the decoded traces: `{0=1 1=[<2=0> "text" h"00ff"] 3=true}`.
///
/// Written with the product's writer; read without it, so that a fault of one is not hidden by the other.
enum Notation {
    static func octets(_ text: String) -> [UInt8] {
        var parser = NotationParser(text: Array(text.utf8))
        var writer = TLVWriter()
        parser.value(into: &writer, as: .anonymous)
        precondition(parser.isAtEnd, "not one value: \(text)")
        return writer.octets
    }

    static func text(_ octets: [UInt8]) -> String {
        var printer = NotationPrinter(octets: octets)
        let text = printer.value()
        return printer.position == octets.count ? text : "\(text) and \(octets.count - printer.position) octets"
    }
}

private struct NotationParser {
    let text: [UInt8]
    var position = 0

    var isAtEnd: Bool { position == text.count }

    mutating func value(into writer: inout TLVWriter, as tag: TLVTag) {
        switch text[position] {
        case UInt8(ascii: "{"): container(.structure, "}", into: &writer, as: tag)
        case UInt8(ascii: "["): container(.array, "]", into: &writer, as: tag)
        case UInt8(ascii: "<"): container(.list, ">", into: &writer, as: tag)
        case UInt8(ascii: "\""):
            position += 1
            writer.text(word(until: "\""), as: tag)
            position += 1
        case UInt8(ascii: "h"):
            position += 2
            let digits = Array(word(until: "\""))
            position += 1
            let octets = stride(from: 0, to: digits.count, by: 2).map {
                UInt8(String(digits[$0...$0 + 1]), radix: 16) ?? 0
            }
            writer.octets(octets, as: tag)
        default: scalar(into: &writer, as: tag)
        }
    }

    private mutating func scalar(into writer: inout TLVWriter, as tag: TLVTag) {
        let start = position
        while position < text.count, !" }]>".utf8.contains(text[position]) { position += 1 }
        switch String(decoding: text[start..<position], as: UTF8.self) {
        case "true": writer.bool(true, as: tag)
        case "false": writer.bool(false, as: tag)
        case "null": writer.null(as: tag)
        case let word:
            if let number = UInt64(word) {
                writer.unsigned(number, as: tag)
            } else if let number = Int64(word) {
                writer.signed(number, as: tag)
            } else {
                preconditionFailure("no value: \(word)")
            }
        }
    }

    private mutating func container(
        _ type: TLVContainer, _ end: Unicode.Scalar, into writer: inout TLVWriter, as tag: TLVTag
    ) {
        writer.open(type, as: tag)
        position += 1
        while text[position] != UInt8(ascii: end) {
            if text[position] == UInt8(ascii: " ") {
                position += 1
            } else if type == .array {
                value(into: &writer, as: .anonymous)
            } else {
                let number = UInt8(word(until: "=")) ?? 0
                position += 1
                value(into: &writer, as: .context(number))
            }
        }
        position += 1
        writer.close()
    }

    private mutating func word(until end: Unicode.Scalar) -> String {
        let start = position
        while text[position] != UInt8(ascii: end) { position += 1 }
        return String(decoding: text[start..<position], as: UTF8.self)
    }
}

private struct NotationPrinter {
    let octets: [UInt8]
    var position = 0

    mutating func value() -> String {
        let control = octets[position]
        position += 1
        var prefix = ""
        if control >> 5 == 1 {
            prefix = "\(octets[position])="
            position += 1
        }
        return prefix + content(control & 0x1F)
    }

    private mutating func content(_ type: UInt8) -> String {
        switch type {
        case 0...3:
            let count = 1 << Int(type)
            let shift = UInt64(64 - 8 * count)
            return "\(Int64(bitPattern: number(count) << shift) >> Int64(shift))"
        case 4...7: return "\(number(1 << Int(type - 4)))"
        case 8: return "false"
        case 9: return "true"
        case 0x0C...0x0F: return "\"\(String(decoding: string(type), as: UTF8.self))\""
        case 0x10...0x13: return "h\"\(string(type).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())\""
        case 0x14: return "null"
        case 0x15: return "{\(members())}"
        case 0x16: return "[\(members())]"
        case 0x17: return "<\(members())>"
        default: return "type \(type)"
        }
    }

    private mutating func members() -> String {
        var texts: [String] = []
        while octets[position] != 0x18 { texts.append(value()) }
        position += 1
        return texts.joined(separator: " ")
    }

    private mutating func string(_ type: UInt8) -> [UInt8] {
        let count = Int(number(1 << Int(type & 3)))
        defer { position += count }
        return Array(octets[position..<position + count])
    }

    private mutating func number(_ count: Int) -> UInt64 {
        defer { position += count }
        return octets[position..<position + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
