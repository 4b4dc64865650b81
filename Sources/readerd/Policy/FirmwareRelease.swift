// SPDX-License-Identifier: Apache-2.0

import Reader

/// The version of a release of the firmware: `MAJOR.MINOR.PATCH`, with a pre-release or without (Semantic Versioning
/// 2.0.0, 2, 9 to 11). Build metadata do not count.
struct FirmwareRelease: Equatable, Comparable, CustomStringConvertible {
    /// The maximum length of a version in octets.
    static let maximumCount = 64
    /// The release of this program.
    static let own = FirmwareRelease(FirmwareVersion.text)

    private let numbers: [UInt32]
    private let preRelease: [Substring]
    /// The version as written.
    let description: String

    /// Parses a version; nil for anything else.
    init?(_ text: String) {
        guard text.utf8.count <= FirmwareRelease.maximumCount else { return nil }
        let version = text.split(separator: "+", maxSplits: 1, omittingEmptySubsequences: false)
        guard version.count == 1 || FirmwareRelease.identifiers(version[1]) != nil else { return nil }
        let parts = version[0].split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        let numbers = parts[0].split(separator: ".", omittingEmptySubsequences: false).map(FirmwareRelease.number)
        guard numbers.count == 3, numbers.allSatisfy({ $0 != nil }) else { return nil }
        guard let preRelease = parts.count == 1 ? [] : FirmwareRelease.identifiers(parts[1]) else { return nil }
        self.numbers = numbers.compactMap(\.self)
        self.preRelease = preRelease
        description = text
    }

    static func == (a: FirmwareRelease, b: FirmwareRelease) -> Bool {
        a.numbers == b.numbers && a.preRelease == b.preRelease
    }

    static func < (a: FirmwareRelease, b: FirmwareRelease) -> Bool {
        guard a.numbers == b.numbers else { return a.numbers.lexicographicallyPrecedes(b.numbers) }
        // A pre-release precedes its release.
        guard !a.preRelease.isEmpty, !b.preRelease.isEmpty else { return !a.preRelease.isEmpty && b.preRelease.isEmpty }
        for (one, other) in zip(a.preRelease, b.preRelease) where one != other {
            switch (number(one), number(other)) {
            case (let one?, let other?): return one < other
            case (.some, nil): return true
            case (nil, .some): return false
            case (nil, nil): return Array(one.utf8).lexicographicallyPrecedes(Array(other.utf8))
            }
        }
        return a.preRelease.count < b.preRelease.count
    }

    private static func number(_ text: Substring) -> UInt32? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), text == "0" || !text.hasPrefix("0") else {
            return nil
        }
        return UInt32(text)
    }

    /// Identifiers separated by points; nil if one is empty or has other characters than letters, digits and hyphens.
    private static func identifiers(_ text: Substring) -> [Substring]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let areSound = parts.allSatisfy { part in
            !part.isEmpty
                && part.utf8.allSatisfy {
                    (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x2D
                }
        }
        return areSound ? parts : nil
    }
}
