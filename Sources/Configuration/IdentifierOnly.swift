// SPDX-License-Identifier: Apache-2.0

/// Kinds of card that have an identifier and prove nothing.
enum IdentifierOnly {
    private static let names = ["uid", "csn", "mifare", "classic", "ultralight", "ntag", "em4100", "identifier"]

    /// The reason why such a kind is no credential; nil for other texts.
    @Sendable static func problem(_ text: String) -> String? {
        guard names.contains(where: { text.lowercased().hasPrefix($0) }) else { return nil }
        return "is no identity, since anyone near reads such an identifier, and cheap blanks copy it"
    }
}
