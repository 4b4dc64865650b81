// SPDX-License-Identifier: Apache-2.0

import Crypto
import Reader
import Timekeeping

/// The file of a signature key that is being replaced: a line with the end of its validity, then the key.
///
/// ```
/// accepted-until 2026-12-31T23:59
/// -----BEGIN PUBLIC KEY-----
/// ```
enum RetiringKeyFile {
    private static let label = "accepted-until "

    /// Parses the contents of the file at `path`.
    static func parse(_ octets: [UInt8], path: String) throws(ReaderdError) -> RetiringKey {
        guard let end = octets.firstIndex(of: UInt8(ascii: "\n")) else { throw unusable(path) }
        let line = String(decoding: octets[..<end], as: UTF8.self)
        guard line.hasPrefix(label), let until = LocalMinute.parse(line.dropFirst(label.count)) else {
            throw unusable(path)
        }
        let key = try IdentityFiles.publicKey(octets.span.extracting(droppingFirst: end + 1), path: path)
        return RetiringKey(key, until: until)
    }

    /// Returns the contents for a key in PEM.
    static func octets(_ pem: [UInt8], until: CivilTime) -> [UInt8] {
        Array("\(label)\(LocalMinute.text(until))\n".utf8) + pem
    }

    private static func unusable(_ path: String) -> ReaderdError {
        .damaged(path, "the first line must be: \(label)2026-12-31T23:59")
    }
}
