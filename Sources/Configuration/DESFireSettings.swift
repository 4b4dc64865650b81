// SPDX-License-Identifier: Apache-2.0

public import Credentials
import Octets

/// `[desfire]`: the place of the number on DESFire cards, and the files of the keys that read it.
public struct DESFireSettings: Equatable, Sendable {
    /// A key of the cards' application.
    public struct Key: Equatable, Sendable {
        /// The setting that names the file.
        public let setting: String
        /// The number in the application.
        public var number: Int
        /// The path of the file.
        public var path: String
    }

    /// `application`; nil for none.
    public var application: String?
    /// `file`; nil for none.
    public var file: Int?
    /// `offset`
    public var offset = 0
    /// `count`; nil for none.
    public var count: Int?
    /// `communication`
    public var communication = DESFireCredential.Communication.full
    /// `key-number`
    public var keyNumber = 0
    /// `key-file`; nil for none.
    public var keyFile: String?
    /// `diversification`: the octets of the site; nil if all cards have the key.
    public var diversification: String?
    /// `uid-key-number`
    public var uidKeyNumber = 0
    /// `uid-key-file`; nil for none.
    public var uidKeyFile: String?

    /// The key that reads the file, or its master key; nil without a file.
    public var key: Key? { keyFile.map { Key(setting: "desfire.key-file", number: keyNumber, path: $0) } }

    /// The key that reads true UIDs; nil without a file.
    public var uidKey: Key? {
        diversification == nil
            ? nil : uidKeyFile.map { Key(setting: "desfire.uid-key-file", number: uidKeyNumber, path: $0) }
    }

    /// The place with its keys; nil unless all that is necessary is set.
    public func credential(
        _ key: DESFireCredential.Key, uidKey: DESFireCredential.Key?
    ) -> DESFireCredential? {
        guard let application = application.flatMap({ Hexadecimal.octets($0) }),
            let file = file.flatMap({ UInt8(exactly: $0) }),
            let count
        else { return nil }
        let derivation = diversification.flatMap { Hexadecimal.octets($0) }
            .flatMap { DESFireCredential.Diversification(system: $0, uidKey: uidKey) }
        guard derivation != nil || diversification == nil else { return nil }
        return DESFireCredential(
            application: application, file: file, offset: offset, count: count, communication: communication,
            key: key, diversification: derivation)
    }
}
