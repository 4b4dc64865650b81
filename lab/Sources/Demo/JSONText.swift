// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Values as JSON on one line, with sorted keys.
public enum JSONText {
    /// The line, without its end.
    public static func line(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
