// SPDX-License-Identifier: Apache-2.0

extension Unicode.Scalar {
    /// False for a character that could control a terminal, change the order of the text around it, or show nothing: C0
    /// and C1 controls, separators of lines, marks of direction, joiners, and all that is for private use.
    public var isPrintable: Bool {
        switch value {
        case 0x20...0x7E, 0xA0...0xAC, 0xAE...0x61B, 0x61D...0x180D, 0x180F...0x200A, 0x2010...0x2027, 0x202F...0x205F,
            0x2070...0xD7FF, 0xF900...0xFEFE, 0xFF00...0xFFEF, 0xFFFC...0xFFFD, 0x1_0000...0xD_FFFF:
            true
        default: false
        }
    }
}

extension String {
    /// The text on one line, with `\u{1b}` and the like for each character that is not printable: text from another
    /// process, a phone or a file must not control a terminal.
    public var printable: String { replacingScalars { $0.isPrintable } }

    /// As `printable`, with the line feeds and tabs of a text of several lines.
    public var printableLines: String { replacingScalars { $0.isPrintable || $0 == "\n" || $0 == "\t" } }

    /// JSON text in which such characters are escaped as JSON does (RFC 8259, 7). JSON has no such characters
    /// outside of strings.
    public var printableJSON: String {
        guard !isPlain else { return self }
        var result = ""
        for scalar in unicodeScalars {
            if scalar.isPrintable || scalar == "\n" || scalar == "\t" {
                result.unicodeScalars.append(scalar)
            } else {
                for unit in String(scalar).utf16 { result += "\\u" + unit.padded(to: 4, radix: 16) }
            }
        }
        return result
    }

    private func replacingScalars(_ isKept: (Unicode.Scalar) -> Bool) -> String {
        guard !isPlain else { return self }
        var result = ""
        for scalar in unicodeScalars {
            if isKept(scalar) {
                result.unicodeScalars.append(scalar)
            } else {
                result += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        return result
    }

    /// True for printable ASCII alone, as nearly all texts are.
    private var isPlain: Bool { utf8.allSatisfy { 0x20...0x7E ~= $0 } }
}
