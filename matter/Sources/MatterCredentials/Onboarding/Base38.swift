// SPDX-License-Identifier: Apache-2.0

/// The text form of octets in a QR code: three octets as five characters, the least significant first.
enum Base38 {
    private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-.")

    /// The numbers of characters of groups of one, two and three octets.
    private static let characters = [2, 4, 5]

    static func text(_ octets: [UInt8]) -> String {
        var text = ""
        for start in stride(from: 0, to: octets.count, by: 3) {
            let group = octets[start..<min(start + 3, octets.count)]
            var value = group.reversed().reduce(0) { $0 << 8 | Int($1) }
            for _ in 0..<characters[group.count - 1] {
                text.append(alphabet[value % 38])
                value /= 38
            }
        }
        return text
    }

    static func octets(_ text: Substring) throws(OnboardingError) -> [UInt8] {
        var digits: [Int] = []
        for character in text {
            guard let digit = alphabet.firstIndex(of: character) else { throw .character(character) }
            digits.append(digit)
        }
        var octets: [UInt8] = []
        for start in stride(from: 0, to: digits.count, by: 5) {
            let group = digits[start..<min(start + 5, digits.count)]
            guard let index = characters.firstIndex(of: group.count) else { throw .length(text.count) }
            let value = group.reversed().reduce(0) { $0 * 38 + $1 }
            guard value < 1 << (8 * (index + 1)) else { throw .overflow }
            for octet in 0...index { octets.append(UInt8(truncatingIfNeeded: value >> (8 * octet))) }
        }
        return octets
    }
}
