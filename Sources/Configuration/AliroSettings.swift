// SPDX-License-Identifier: Apache-2.0

public import Credentials
public import Crypto
import Octets

/// `[aliro]`: the reader's place in a group of Aliro readers, and the issuers of documents.
public struct AliroSettings: Equatable, Sendable {
    /// The element of documents in Matter homes.
    public static let matterElement = "matter1"

    /// The authentication of the phone's user.
    public enum Authentication: String, CaseIterable, Sendable {
        /// As set in the phone.
        case device
        /// In each transaction.
        case always

        /// The value for phones.
        public var requested: AliroReader.Authentication { self == .device ? .deviceSetting : .always }
    }

    /// `group`; nil for none.
    public var group: String?
    /// `door`; nil for none.
    public var door: String?
    /// `certificate`; nil for none.
    public var certificate: String?
    /// `certificate-issuer`; nil for none.
    public var certificateIssuer: String?
    /// `issuers`
    public var issuers: [AliroPointText] = []
    /// `issuer-authorities`
    public var issuerAuthorities: [AliroPointText] = []
    /// `fast`
    public var isFast = true
    /// `authentication`
    public var authentication = Authentication.device
    /// `element`
    public var element = AliroSettings.matterElement
    /// `mailbox-read`; nil for none.
    public var mailboxRead: String?
    /// `resolving-key`; nil for none.
    public var resolvingKey: String?

    /// The reader's place; nil unless both parts are set.
    public var identifier: AliroReader.Identifier? {
        guard let group = group.flatMap({ Hexadecimal.octets($0) }),
            let door = door.flatMap({ Hexadecimal.octets($0) })
        else { return nil }
        return AliroReader.Identifier(group: group, sub: door)
    }

    /// The advertising data of the reader with this identifier; nil without a resolving key.
    public func advertisement(of identifier: AliroReader.Identifier) -> AliroAdvertisement? {
        resolvingKey.flatMap { Hexadecimal.octets($0) }.flatMap { AliroAdvertisement(identifier, resolvingKey: $0) }
    }

    /// The commands for the mailboxes of phones.
    public var mailbox: [AliroMailbox] {
        mailboxRead.flatMap(AliroSettings.access).map { [AliroMailbox([$0])] } ?? []
    }

    /// The access that `offset/count` names; nil for other text, and beyond the limits.
    static func access(_ text: String) -> AliroMailbox.Access? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") }), let offset = UInt16(parts[0]),
            let count = UInt16(parts[1]), (1...AliroMailbox.maximumRead).contains(Int(count)),
            offset <= UInt16.max - count
        else { return nil }
        return .read(offset: offset, count: count)
    }

    /// The trusted points for documents.
    public var anchors: [AliroAnchor] {
        issuers.map { AliroAnchor($0.key) } + issuerAuthorities.map { AliroAnchor($0.key, role: .authority) }
    }
}

/// A point of P-256 as it is written: 130 hexadecimal digits.
public struct AliroPointText: Equatable, Sendable {
    /// The digits.
    public let text: String
    /// The key.
    public let key: P256PublicKey
    /// 04 ‖ X ‖ Y.
    public let octets: [UInt8]

    /// The point; nil for other text.
    public init?(_ text: String) {
        guard let octets = Hexadecimal.octets(text), let key = try? P256PublicKey(point: octets.span) else {
            return nil
        }
        (self.text, self.key, self.octets) = (text, key, octets)
    }

    /// True for the same point, however it is written.
    public static func == (left: AliroPointText, right: AliroPointText) -> Bool { left.key.point == right.key.point }
}
