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
        let digits = octets.lazy.filter { $0 != 0x20 && !(0x09...0x0D ~= $0) }
        guard let key = Hexadecimal.octets(digits: digits).flatMap({ OSDPKey($0) }) else {
            throw PrivateFileFault("\(path): is no key; write 32 hexadecimal digits")
        }
        guard !key.isWeak else {
            throw PrivateFileFault("\(path): this key is published; write 32 random digits")
        }
        return key
    }

    /// Keeps a key durably. Waits for the disk.
    public func store(_ key: OSDPKey) throws(DurableFile.Failure) {
        var text: [UInt8] = []
        text.reserveCapacity(PanelFile.limit)
        defer { wipeSecret(&text) }
        key.withOctets { octets in
            octets.withUnsafeBufferPointer { text.append(hexadecimal: $0) }
        }
        text.append(0x0A)
        try DurableFile.replace(path, with: text)
    }
}
