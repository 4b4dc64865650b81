// SPDX-License-Identifier: Apache-2.0

import Crypto

/// The place of a credential number on DESFire cards, and the keys that read it.
public struct DESFireCredential: Sendable {
    /// The protection of the file on its way. A file in plain is not read: its octets would prove nothing.
    public enum Communication: String, CaseIterable, Sendable {
        case mac
        case full
    }

    /// A key of the application: 16 octets that are stored once in memory, and wiped when the last reference ends.
    public final class Key: Sendable {
        /// The number of octets.
        public static let octetCount = 16
        /// The numbers of keys that an application has.
        public static let numbers = 0...13

        /// The number in the application.
        public let number: UInt8
        // Written in deinit only, where no other reference exists.
        nonisolated(unsafe) private(set) var octets: [UInt8]

        /// A key; nil for a number or a length that a card does not have.
        public init?(number: UInt8, octets: consuming [UInt8]) {
            guard Key.numbers.contains(Int(number)), octets.count == Key.octetCount else { return nil }
            (self.number, self.octets) = (number, octets)
        }

        deinit { wipeSecret(&octets) }

        /// True for a key of equal octets, such as that of new cards, which is published.
        public var isUniform: Bool {
            // Every octet is looked at, as in a comparison in constant time.
            octets.reduce(0) { $0 | ($1 ^ octets[0]) } == 0
        }
    }

    /// The derivation of a card's key from the master key (AN10922): UID ‖ application ‖ system.
    public struct Diversification: Sendable {
        /// The maximum number of octets of the site: with UID and application 31.
        public static let systemLimit = 21

        /// Octets of the site behind UID and application.
        public var system: [UInt8]
        /// The key, common to all cards, that a card with a random UID needs to report its true one; nil without.
        public var uidKey: Key?

        /// A derivation; nil for too many octets.
        public init?(system: [UInt8], uidKey: Key? = nil) {
            guard system.count <= Diversification.systemLimit else { return nil }
            (self.system, self.uidKey) = (system, uidKey)
        }
    }

    /// The maximum number of octets of a credential number: one frame of a card, whatever its mode.
    public static let countLimit = 32

    /// The application's identifier, three octets in the order in which it is written.
    public let application: [UInt8]
    /// The number of the file.
    public let file: UInt8
    /// The place in the file, in octets.
    public let offset: Int
    /// The number of octets of a credential number.
    public let count: Int
    /// The protection of the file on its way.
    public let communication: Communication
    /// The key that reads the file.
    public let key: Key
    /// The derivation of that key; nil if all cards have it.
    public var diversification: Diversification?

    /// A place; nil for values that no card has.
    public init?(
        application: [UInt8], file: UInt8, offset: Int = 0, count: Int, communication: Communication = .full, key: Key,
        diversification: Diversification? = nil
    ) {
        guard application.count == 3, file < 32, (0..<0x1_0000).contains(offset),
            (1...DESFireCredential.countLimit).contains(count)
        else { return nil }
        (self.application, self.file, self.offset, self.count) = (application, file, offset, count)
        (self.communication, self.key, self.diversification) = (communication, key, diversification)
    }

    /// The parameters of ReadData: file, offset and count, least significant octet first.
    var readHeader: [UInt8] {
        [file] + [offset, count].flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8 & 0xFF), 0] }
    }
}
