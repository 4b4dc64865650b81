// SPDX-License-Identifier: Apache-2.0

/// Untrusted text, made printable for a terminal.
public enum PrintableText {
    /// The text, with a question mark for each character that has no glyph or moves other characters: a terminal could
    /// interpret it as a command.
    public static func text(_ scalars: some Sequence<Unicode.Scalar>) -> String {
        var printable = String.UnicodeScalarView()
        for scalar in scalars { printable.append(isPrintable(scalar) ? scalar : "?") }
        return String(printable)
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}
