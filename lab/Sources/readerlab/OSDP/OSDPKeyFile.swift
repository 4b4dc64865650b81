// SPDX-License-Identifier: Apache-2.0

import Crypto
import Glibc
import OSDP
import Octets
import System

/// The file of a device's key: 32 hexadecimal digits, readable by its owner only.
struct OSDPKeyFile {
    /// The digits of a key, and room for line ends.
    private static let maximumCount = 64

    let path: String

    /// The key; nil if there is no file.
    func load() throws(EmulationError) -> OSDPKey? {
        var status = stat()
        guard stat(path, &status) == 0 || errno != ENOENT else { return nil }
        guard status.st_mode & 0o077 == 0 else {
            throw EmulationError(code: 2, "\(path): others can read or write the key: chmod 600 \(path)")
        }
        var octets = try EmulationFile.octets(path, maximum: OSDPKeyFile.maximumCount, "a key of 32 digits")
        defer { wipeSecret(&octets) }
        let digits = String(decoding: octets, as: UTF8.self).filter { !$0.isWhitespace }
        guard let key = Hexadecimal.octets(digits).flatMap({ OSDPKey($0) }) else {
            throw EmulationError(code: 2, "\(path): is no key; write 32 hexadecimal digits")
        }
        guard !key.isWeak else {
            throw EmulationError(code: 2, "\(path): everybody knows this key; write 32 random digits")
        }
        return key
    }

    /// Keeps a key durably.
    func store(_ key: OSDPKey) throws(DurableFile.Failure) {
        var octets = key.withOctets { octets in
            Array((Hexadecimal.text(octets.indices.map { octets[$0] }) + "\n").utf8)
        }
        defer { wipeSecret(&octets) }
        try DurableFile.replace(path, with: octets)
    }
}
