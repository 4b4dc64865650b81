// SPDX-License-Identifier: Apache-2.0

/// Text of XML 1.0, SVG and HTML.
public enum MarkupText {
    /// The text with its markup escaped, for content and attributes. Characters that XML 1.0 forbids (section 2.2)
    /// become U+FFFD; so do those that HTML takes for an error.
    public static func escaped(_ text: String) -> String {
        var result = ""
        result.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.unicodeScalars.append(isAllowed(scalar) ? scalar : "\u{FFFD}")
            }
        }
        return result
    }

    /// The same for an attribute of XML: line ends and tabs, which a parser would turn into spaces (section 3.3.3).
    public static func attribute(_ text: String) -> String {
        var result = ""
        for scalar in escaped(text).unicodeScalars {
            switch scalar {
            case "\n": result += "&#10;"
            case "\r": result += "&#13;"
            case "\t": result += "&#9;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// False for code points that XML 1.0 forbids or discourages: controls and noncharacters.
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D: true
        case 0..<0x20, 0x7F..<0xA0, 0xFDD0...0xFDEF: false
        default: scalar.value & 0xFFFE != 0xFFFE
        }
    }
}
