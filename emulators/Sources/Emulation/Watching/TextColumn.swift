// SPDX-License-Identifier: Apache-2.0

import Octets
import Timekeeping

/// Columns of the lines that are printed in a terminal.
public enum TextColumn {
    /// The text with spaces up to `width` characters, and with `gap` of them at least.
    public static func padded(_ text: String, _ width: Int, gap: Int = 0) -> String {
        text + String(repeating: " ", count: max(gap, width - text.count))
    }

    /// Seconds with milliseconds, `    1.250`: with spaces before them up to `width` characters.
    public static func seconds(_ time: Duration, width: Int = 9) -> String {
        let milliseconds = time.wholeMilliseconds
        let text = "\(milliseconds / 1000).\((milliseconds % 1000).padded(to: 3))"
        return String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
