// SPDX-License-Identifier: Apache-2.0

import Configuration
import Credentials
import Crypto
import Octets
import System

/// A key of DESFire cards that cannot be used.
struct DESFireKeyFault: Error, Equatable {
    /// The setting that names its file.
    let setting: String
    /// The file, the fault and the remedy in one line.
    let text: String
}

extension DESFireSettings {
    /// Reads the keys: the place of the cards' number, with them.
    func load() throws(DESFireKeyFault) -> DESFireCredential {
        guard let key else { throw DESFireKeyFault(setting: "desfire.key-file", text: "is missing") }
        let reading = try key.load()
        var common: DESFireCredential.Key?
        if let uidKey { common = try uidKey.load() }
        guard let credential = credential(reading, uidKey: common) else {
            throw DESFireKeyFault(setting: "desfire.application", text: "has values that no card has")
        }
        return credential
    }
}

extension DESFireSettings.Key {
    /// The maximum size of the file in octets: the digits, and white space of an editor.
    private static let sizeLimit = 128

    /// Reads the key. The file's octets are wiped.
    fileprivate func load() throws(DESFireKeyFault) -> DESFireCredential.Key {
        do throws(PrivateFileFault) {
            guard var octets = try PrivateFile(path: path, limit: Self.sizeLimit).load() else {
                throw PrivateFileFault("\(path): no such file; write 32 hexadecimal digits, then: chmod 600 \(path)")
            }
            defer { wipeSecret(&octets) }
            guard let number = UInt8(exactly: number), let key = Self.key(octets, number: number) else {
                throw PrivateFileFault("\(path): is no AES key; write 32 hexadecimal digits, and nothing else")
            }
            guard !key.isUniform else {
                throw PrivateFileFault("\(path): is a key of equal octets, as new cards have; write your own")
            }
            return key
        } catch {
            throw DESFireKeyFault(setting: setting, text: error.description)
        }
    }

    /// The key in a file's digits, with white space before and after.
    private static func key(_ octets: [UInt8], number: UInt8) -> DESFireCredential.Key? {
        let isSpace = { (octet: UInt8) in octet == 0x20 || 0x09...0x0D ~= octet }
        let digits = octets.drop(while: isSpace)
        let end = digits.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? digits.startIndex
        return Hexadecimal.octets(digits: digits[..<end]).flatMap {
            DESFireCredential.Key(number: number, octets: $0)
        }
    }
}
