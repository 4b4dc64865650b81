// SPDX-License-Identifier: Apache-2.0

import Octets
import Testing

/// Text of others on a terminal.
@Suite struct PrintableTextTests {
    private static let hostile = "\u{1B}[2J\u{9B}31m\u{202E}\u{2066}\u{200F}\u{61C}\u{AD}\u{FEFF}\u{E0041}\r\u{7}"

    @Test func textOfPeopleStaysAsItIs() {
        for text in ["", "Haustür 2", "Büro – „Süd“", "会議室", "Кабинет", "🚪 ok", "a\u{301}"] {
            #expect(text.printable == text && text.printableLines == text && text.printableJSON == text)
        }
    }

    @Test func whatControlsATerminalIsShownByItsNumber() {
        #expect(
            Self.hostile.printable
                == #"\u{1b}[2J\u{9b}31m\u{202e}\u{2066}\u{200f}\u{61c}\u{ad}\u{feff}\u{e0041}\u{d}\u{7}"#)
        #expect("a\n\tb\u{B}".printable == #"a\u{a}\u{9}b\u{b}"#)
        #expect("a\n\tb\u{B}".printableLines == "a\n\tb\\u{b}")
        #expect(
            "\"\(Self.hostile)\"\n".printableJSON
                == #""\u001b[2J\u009b31m\u202e\u2066\u200f\u061c\u00ad\ufeff\udb40\udc41\u000d\u0007""# + "\n")
    }

    /// Every scalar, by the categories of Unicode.
    @Test func noScalarControlsATerminal() {
        for value in UInt32(0)...0x10_FFFF {
            guard let scalar = Unicode.Scalar(value), scalar.isPrintable else { continue }
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse: Issue.record("\(value)")
            // Signs before digits in Arabic and Syriac, and marks of notation, which have glyphs.
            case .format:
                let areMarks = [0x600...0x605, 0x6DD...0x6DD, 0x70F...0x70F, 0x890...0x891, 0x8E2...0x8E2]
                let isMark = areMarks.contains { $0.contains(Int(value)) } || value >= 0x1_0000
                #expect(isMark, "\(String(value, radix: 16))")
            default: break
            }
        }
    }
}
