// SPDX-License-Identifier: Apache-2.0

import Crypto
public import OSDP
import Octets
public import System

/// The file of a device's key: 32 hexadecimal digits, readable by its owner only.
public struct OSDPKeyFile: Sendable {
    /// The path.
    public let path: String

    /// The file at this path, which need not exist.
    public init(path: String) { self.path = path }

    /// The key; nil if there is no file.
    public func load() throws(PrivateFileFault) -> OSDPKey? {
        guard var octets = try PrivateFile(path: path, limit: PanelFile.limit).load() else { return nil }
        defer { wipeSecret(&octets) }
        let digits = String(decoding: octets, as: UTF8.self).filter { !$0.isWhitespace }
        guard let key = Hexadecimal.octets(digits).flatMap({ OSDPKey($0) }) else {
            throw PrivateFileFault("\(path): is no key; write 32 hexadecimal digits")
        }
        guard !key.isWeak else {
            throw PrivateFileFault("\(path): this key is published; write 32 random digits")
        }
        return key
    }

    /// Keeps a key durably. Waits for the disk.
    public func store(_ key: OSDPKey) throws(DurableFile.Failure) {
        var octets = key.withOctets { octets in
            Array((Hexadecimal.text(octets.indices.map { octets[$0] }) + "\n").utf8)
        }
        defer { wipeSecret(&octets) }
        try DurableFile.replace(path, with: octets)
    }
}
