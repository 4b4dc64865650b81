// SPDX-License-Identifier: Apache-2.0

public import Crypto

/// The identity and the options of an Aliro reader.
public struct AliroReader: Sendable {
    /// The reader's place in its group: 16 octets of the group, 16 of the door.
    public struct Identifier: Hashable, Sendable {
        /// The length of each part in octets.
        public static let partCount = 16
        /// Common to the doors that share a key.
        public let group: [UInt8]
        /// The door's own.
        public let sub: [UInt8]

        /// The identifier of these parts; nil unless each has 16 octets.
        public init?(group: [UInt8], sub: [UInt8]) {
            guard group.count == Self.partCount, sub.count == Self.partCount else { return nil }
            self.group = group
            self.sub = sub
        }

        var octets: [UInt8] { group + sub }
    }

    /// The phone's authentication of its user (tag 42 of AUTH0).
    public enum Authentication: UInt8, Sendable {
        /// As set in the phone.
        case deviceSetting = 1
        /// As set in the phone for an action that secures the door.
        case securingDeviceSetting = 2
        /// In each transaction.
        case always = 3
    }

    /// The identification of a credential that the phone returns (tag 41 of AUTH1).
    public enum KeyRequest: UInt8, Sendable {
        /// Eight octets, for credentials that the store has already.
        case keySlot = 0
        /// The point, which documents of unknown credentials need.
        case publicKey = 1
    }

    /// Signs transactions.
    public let key: any HeldPrivateKey
    /// The reader's place in its group.
    public let identifier: Identifier
    /// Proof that a group's authority has issued `key`; nil if phones know the key itself.
    public private(set) var certificate: AliroReaderCertificate?
    /// The requested authentication of the phone's user.
    public var authentication = Authentication.deviceSetting
    /// The requested identification of the credential.
    public var keyRequest = KeyRequest.publicKey
    /// True if the fast phase is requested when the store has a key for it.
    public var isFastOffered = true
    /// The identifier of the element in documents, at most 128 octets of UTF-8. Matter homes have `matter1`.
    public var element = "matter1"
    /// The actions at this door, of which a document has to permit at least one.
    public var actions: AliroActions = .unsecure
    /// The commands of one session with the mailbox of a phone that has opened the door; empty for none.
    public var mailbox: [AliroMailbox] = []

    /// A reader without a certificate, with the default options.
    public init(key: any HeldPrivateKey, identifier: Identifier) {
        self.key = key
        self.identifier = identifier
    }

    /// Adds a certificate, which changes the group's point.
    ///
    /// - Throws: `key` if it certifies another key.
    public mutating func present(_ certificate: AliroReaderCertificate) throws(CardRefusal) {
        guard certificate.subject == key.publicPoint else { throw .key }
        self.certificate = certificate
    }

    /// The point whose X begins the salts: the authority's with a certificate.
    var groupPoint: P256Point { certificate?.authority ?? key.publicPoint }

    /// The identity to which persistent keys are bound.
    public var binding: AliroBinding { AliroBinding(group: [UInt8](inline: groupPoint.octets), identifier: identifier) }
}

/// Actions at a door, as the rules of documents name them.
public struct AliroActions: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt8
    /// The actions with these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// Lock.
    public static let secure = AliroActions(rawValue: 1)
    /// Unlock.
    public static let unsecure = AliroActions(rawValue: 2)
    /// Lock or unlock.
    public static let toggle = AliroActions(rawValue: 4)
    /// Unlock for a moment.
    public static let momentaryUnsecure = AliroActions(rawValue: 8)
    /// Unlock for a longer moment.
    public static let extendedMomentaryUnsecure = AliroActions(rawValue: 16)
}

/// The reader that persistent keys belong to: they are derived from its group's point and its identifier, and useless
/// with any other.
public struct AliroBinding: Hashable, Sendable {
    let group: [UInt8]
    let identifier: AliroReader.Identifier
}
