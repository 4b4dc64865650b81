// SPDX-License-Identifier: Apache-2.0

public import Credentials
import Octets

extension ReaderSettings {
    /// `[desfire]`: the place of the number on DESFire cards, and the files of the keys that read it.
    public struct DESFire: Equatable, Sendable {
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
}

extension DecodedSettings {
    /// Finds missing keys of `[desfire]`, keys without effect, and a panel that wants more bits than a number has.
    mutating func checkDESFire() {
        let (desfire, kinds) = (settings.desfire, "credentials.card-kinds")
        guard areSound([kinds]) else { return }
        guard settings.credentials.cardKinds.contains(.desfire) else {
            if isWritten("desfire.application") {
                report(.warning, "desfire.application", "has no effect: \(kinds) lacks \"desfire\"")
            }
            return
        }
        let necessary = [
            ("application", desfire.application == nil), ("file", desfire.file == nil), ("count", desfire.count == nil),
            ("key-file", desfire.keyFile == nil),
        ]
        let missing = necessary.filter { $0.1 && areSound(["desfire.\($0.0)"]) }.map { "desfire.\($0.0)" }
        if let first = missing.first {
            report(
                .fault, first, or: kinds,
                "is missing: set \(missing.joined(separator: ", ")). A card's UID alone is no identity, since anyone "
                    + "near reads and copies it; a number in a file is, if only the site's key reads it")
        }
        if desfire.diversification == nil, isWritten("desfire.uid-key-file") {
            report(.warning, "desfire.uid-key-file", "has no effect without desfire.diversification")
        }
        guard let count = desfire.count, areSound(["desfire.count"]) else { return }
        for (section, cards) in [("osdp", settings.osdp.cards), ("wiegand", settings.wiegand.cards)]
        where cards.desfireBits > count * 8 && areSound(["\(section).desfire-bits"]) {
            report(
                .fault, "\(section).desfire-bits",
                "\(cards.desfireBits) exceeds the \(count * 8) bits of a number: raise desfire.count, or write 0")
        }
    }
}
