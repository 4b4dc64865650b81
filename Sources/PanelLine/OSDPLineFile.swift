// SPDX-License-Identifier: Apache-2.0

public import OSDP
public import System

/// The file of the address and speed that a panel has set (osdp_COMSET): `5 38400`.
public struct OSDPLineFile: Sendable {
    /// The path.
    public let path: String

    /// The file at this path, which need not exist.
    public init(path: String) { self.path = path }

    /// Address and speed; nil if there is no file.
    public func load() throws(PrivateFileFault) -> OSDPLine? {
        guard let octets = try PrivateFile(path: path, limit: PanelFile.limit).load() else { return nil }
        let words = String(decoding: octets, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard words.count == 2, let address = UInt8(words[0]), let speed = UInt32(words[1]) else {
            throw PrivateFileFault("\(path): does not hold an address and a speed; remove it to use the configuration")
        }
        let line = OSDPLine(address: address, speed: speed)
        guard line.isValid else {
            throw PrivateFileFault(
                "\(path): no device has address \(address) at \(speed) bit/s; remove it to use the configuration")
        }
        return line
    }

    /// Keeps address and speed durably. Waits for the disk.
    public func store(_ line: OSDPLine) throws(DurableFile.Failure) {
        try DurableFile.replace(path, with: Array("\(line.address) \(line.speed)\n".utf8))
    }
}
