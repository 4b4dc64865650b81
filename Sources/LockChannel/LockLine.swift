// SPDX-License-Identifier: Apache-2.0

internal import Crypto
import JSON
import Octets

/// A line of a request: a JSON text, and behind a tab the digits of its secret, if it has one.
///
/// The secret is outside the JSON, since a parser and a writer of JSON leave copies of each text in freed memory.
struct LockLine {
    /// The JSON text.
    let text: [UInt8]
    /// The secret.
    let secret: SecretOctets?

    private static let tab: UInt8 = 0x09

    /// Splits a line.
    init(_ line: [UInt8]) throws(JSONPlaceFault) {
        guard let tab = line.firstIndex(of: LockLine.tab) else {
            (text, secret) = (line, nil)
            return
        }
        guard let octets = Hexadecimal.octets(digits: line[(tab + 1)...]) else {
            throw JSONPlaceFault(line: 1, path: "", "has a secret that is no octets in hexadecimal digits")
        }
        (text, secret) = (Array(line[..<tab]), SecretOctets(octets))
    }

    /// The line with this JSON text and this secret, which the caller has to wipe.
    static func octets(_ text: String, secret: [UInt8]?) -> [UInt8] {
        guard let secret else { return Array(text.utf8) }
        var line: [UInt8] = []
        line.reserveCapacity(text.utf8.count + 1 + 2 * secret.count)
        line.append(contentsOf: text.utf8)
        line.append(LockLine.tab)
        line.append(hexadecimal: secret)
        return line
    }
}
