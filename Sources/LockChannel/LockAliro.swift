// SPDX-License-Identifier: Apache-2.0

public import Crypto
import JSON
import Octets

/// A change of the reader's Aliro that an administrator of a Matter fabric ordered (Matter Application Clusters 5.2).
public enum AliroChange: Equatable, Sendable {
    /// Adopt this key and these identifiers. The persistent keys of phones end.
    case configure(LockAliroReader)
    /// Erase the key, the group, and the persistent keys of phones.
    case clear
    /// Make these the only keys that come from Matter. A removed endpoint key opens nothing from then on, nor does a
    /// phone that a removed issuer key has granted access, or that is not among the granted keys.
    case keys([LockAliroKey])
}

/// A request to change the reader's Aliro; `LockReport.aliro` follows.
public struct LockAliroRequest: Equatable, Sendable {
    /// Its number; orders have others.
    public var number: UInt32
    /// The change.
    public var change: AliroChange
    /// The administrator that ordered it; nil for the node itself, as after a fabric's removal or a lost connection.
    public var author: LockNode?

    /// A request with these properties.
    public init(number: UInt32, change: AliroChange, author: LockNode? = nil) {
        self.number = number
        self.change = change
        self.author = author
    }
}

/// The configuration of an Aliro reader. It has a secret: write it to no log.
public struct LockAliroReader: Equatable, Sendable {
    /// The scalar of the private key, 32 octets.
    public var signingKey: SecretOctets
    /// The point of the key, 65 octets.
    public var verificationKey: [UInt8]
    /// The identifier of the reader's group, 16 octets.
    public var group: [UInt8]
    /// The identifier of the door, 16 octets.
    public var sub: [UInt8]

    /// A configuration.
    public init(signingKey: SecretOctets, verificationKey: [UInt8], group: [UInt8], sub: [UInt8]) {
        self.signingKey = signingKey
        self.verificationKey = verificationKey
        self.group = group
        self.sub = sub
    }
}

/// The kind of an Aliro key.
public enum LockAliroKeyKind: String, CaseIterable, Equatable, Sendable {
    /// Verifies documents that grant access to phones.
    case issuer
    /// A phone's key, which gives way to another one when the reader is full.
    case evictable
    /// A phone's key.
    case endpoint
}

/// The place of an Aliro key in the lock.
public struct LockAliroPlace: Hashable, Sendable {
    /// Its kind.
    public var kind: LockAliroKeyKind
    /// Its index among the keys of its kind.
    public var index: UInt16

    /// A place.
    public init(_ kind: LockAliroKeyKind, _ index: UInt16) {
        self.kind = kind
        self.index = index
    }
}

/// An Aliro key of a user of the lock.
public struct LockAliroKey: Equatable, Sendable {
    /// Its place.
    public var place: LockAliroPlace
    /// The index of the user.
    public var user: UInt16
    /// 04 ‖ X ‖ Y. The reader verifies that it is on the curve.
    public var point: [UInt8]
    /// True if a document granted access, which the reader has: without it the key opens nothing.
    public var isGranted: Bool

    /// A key.
    public init(place: LockAliroPlace, user: UInt16, point: [UInt8], isGranted: Bool = false) {
        self.place = place
        self.user = user
        self.point = point
        self.isGranted = isGranted
    }
}

/// A phone whose document granted access: a key for the lock's table. `AliroChange.keys` follows, with it or without.
public struct LockAliroGrant: Equatable, Sendable {
    /// The index of the issuer's key.
    public var issuer: UInt16
    /// The point of the phone's key.
    public var point: [UInt8]

    /// A grant.
    public init(issuer: UInt16, point: [UInt8]) {
        self.issuer = issuer
        self.point = point
    }
}

/// The reader's Aliro, as Matter has provisioned it.
public struct LockAliroState: Equatable, Sendable {
    /// The point of the reader's key; nil before a configuration.
    public var verificationKey: [UInt8]?

    /// A state.
    public init(verificationKey: [UInt8]? = nil) { self.verificationKey = verificationKey }
}

/// The reader's answer to a request.
public enum AliroAnswer: String, CaseIterable, Equatable, Sendable {
    /// The change is stored, and in force.
    case done
    /// The reader has no Aliro.
    case unsupported
    /// The reader has no room for it.
    case full
    /// The change cannot be stored, or its values are no keys.
    case failed
}

// MARK: - Messages

extension LockAliroRequest {
    var object: JSONObject {
        let author = (author?.object).orNull
        return switch change {
        case .configure(let reader): ["aliro": number, "by": author, "configure": reader.object]
        case .clear: ["aliro": number, "by": author, "clear": true]
        case .keys(let keys): ["aliro": number, "by": author, "keys": keys.map(\.object)]
        }
    }

    /// The private key of a configuration.
    var secret: [UInt8]? { if case .configure(let reader) = change { reader.signingKey.octets } else { nil } }

    init(_ root: JSONPlace, _ secret: SecretOctets?) throws(JSONPlaceFault) {
        let name = ["configure", "keys"].first { root.has($0) } ?? "clear"
        let members = try root.members(["aliro", "by", name])
        let content = try members.required(name)
        let change: AliroChange =
            switch name {
            case "configure": .configure(try LockAliroReader(content, secret))
            case "keys": .keys(try LockAliroRequest.keys(content))
            default: .clear
            }
        if case .clear = change, try !content.boolean() { throw content.fault("has to be true") }
        self.init(
            number: try members.required("aliro").unsigned(), change: change,
            author: try members.required("by").optional { place throws(JSONPlaceFault) in try LockNode(place) })
    }

    private static func keys(_ list: JSONPlace) throws(JSONPlaceFault) -> [LockAliroKey] {
        var keys: [LockAliroKey] = []
        var places: Set<LockAliroPlace> = []
        for place in try list.elements() {
            let key = try LockAliroKey(place)
            guard places.insert(key.place).inserted else { throw place.fault("is there twice") }
            keys.append(key)
        }
        guard keys.count <= LockChannelLimits.aliroKeyCount else { throw list.fault("has too many elements") }
        return keys
    }
}

extension LockAliroReader {
    fileprivate var object: JSONObject {
        [
            "verification": Hexadecimal.text(verificationKey), "group": Hexadecimal.text(group),
            "sub": Hexadecimal.text(sub),
        ]
    }

    private static let signingKeyCount = 32

    fileprivate init(_ place: JSONPlace, _ secret: SecretOctets?) throws(JSONPlaceFault) {
        let members = try place.members(["verification", "group", "sub"])
        guard let secret, secret.octets.count == LockAliroReader.signingKeyCount else {
            throw place.fault("lacks its private key, \(LockAliroReader.signingKeyCount) octets")
        }
        self.init(
            signingKey: secret,
            verificationKey: try members.required("verification").octets(exactly: LockChannelLimits.pointCount),
            group: try members.required("group").octets(exactly: 16),
            sub: try members.required("sub").octets(exactly: 16))
    }
}

extension LockAliroPlace {
    var object: JSONObject { ["kind": kind.rawValue, "index": index] }

    init(_ members: JSONMembers) throws(JSONPlaceFault) {
        self.init(
            try members.required("kind").value(), UInt16(try members.required("index").number(1...Int(UInt16.max))))
    }
}

extension LockAliroKey {
    fileprivate var object: JSONObject {
        [
            "kind": place.kind.rawValue, "index": place.index, "user": user, "point": Hexadecimal.text(point),
            "granted": isGranted,
        ]
    }

    fileprivate init(_ place: JSONPlace) throws(JSONPlaceFault) {
        let members = try place.members(["kind", "index", "user", "point", "granted"])
        self.init(
            place: try LockAliroPlace(members),
            user: UInt16(try members.required("user").number(1...Int(UInt16.max))),
            point: try members.required("point").octets(exactly: LockChannelLimits.pointCount),
            isGranted: try members.required("granted").boolean())
    }
}

extension LockAliroGrant {
    var object: JSONObject { ["granted": Hexadecimal.text(point), "issuer": issuer] }

    init(_ root: JSONPlace) throws(JSONPlaceFault) {
        let members = try root.members(["granted", "issuer"])
        self.init(
            issuer: UInt16(try members.required("issuer").number(1...Int(UInt16.max))),
            point: try members.required("granted").octets(exactly: LockChannelLimits.pointCount))
    }
}

extension LockAliroState {
    var object: JSONObject { ["key": verificationKey.map { Hexadecimal.text($0) }.orNull] }

    init(_ place: JSONPlace) throws(JSONPlaceFault) {
        self.init(
            verificationKey: try place.members(["key"]).required("key").optional { place throws(JSONPlaceFault) in
                try place.octets(exactly: LockChannelLimits.pointCount)
            })
    }
}
