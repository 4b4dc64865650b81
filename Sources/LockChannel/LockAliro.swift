// SPDX-License-Identifier: Apache-2.0

import JSON
import Octets

/// A change of the reader's Aliro that an administrator of a Matter fabric ordered (Matter Application Clusters 5.2).
public enum AliroChange: Equatable, Sendable {
    /// Adopt this key and these identifiers. The persistent keys of phones end.
    case configure(LockAliroReader)
    /// Erase the key, the group, and the persistent keys of phones.
    case clear
    /// Make these the only keys that come from Matter. A removed endpoint key opens nothing from then on, nor does a
    /// phone that a removed issuer key has granted access.
    case keys([LockAliroKey])
}

/// A request to change the reader's Aliro; `LockReport.aliro` follows.
public struct LockAliroRequest: Equatable, Sendable {
    /// Its number; orders have others.
    public var number: UInt32
    /// The change.
    public var change: AliroChange

    /// A request with these properties.
    public init(number: UInt32, change: AliroChange) {
        self.number = number
        self.change = change
    }
}

/// The configuration of an Aliro reader. It has a secret: wipe it after use, and write it to no log.
public struct LockAliroReader: Equatable, Sendable {
    /// The scalar of the private key, 32 octets.
    public var signingKey: [UInt8]
    /// The point of the key, 65 octets.
    public var verificationKey: [UInt8]
    /// The identifier of the reader's group, 16 octets.
    public var group: [UInt8]
    /// The identifier of the door, 16 octets.
    public var sub: [UInt8]

    /// A configuration.
    public init(signingKey: [UInt8], verificationKey: [UInt8], group: [UInt8], sub: [UInt8]) {
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

    /// A key.
    public init(place: LockAliroPlace, user: UInt16, point: [UInt8]) {
        self.place = place
        self.user = user
        self.point = point
    }
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
        switch change {
        case .configure(let reader): ["aliro": number, "configure": reader.object]
        case .clear: ["aliro": number, "clear": true]
        case .keys(let keys): ["aliro": number, "keys": keys.map(\.object)]
        }
    }

    init(_ root: JSONPlace) throws(JSONPlaceFault) {
        if root.has("configure") {
            let members = try root.members(["aliro", "configure"])
            self.init(
                number: try members.required("aliro").unsigned(),
                change: .configure(try LockAliroReader(members.required("configure"))))
        } else if root.has("keys") {
            let members = try root.members(["aliro", "keys"])
            let list = try members.required("keys")
            var keys: [LockAliroKey] = []
            var places: Set<LockAliroPlace> = []
            for place in try list.elements() {
                let key = try LockAliroKey(place)
                guard places.insert(key.place).inserted else { throw place.fault("is there twice") }
                keys.append(key)
            }
            guard keys.count <= LockChannelLimits.aliroKeyCount else { throw list.fault("has too many elements") }
            self.init(number: try members.required("aliro").unsigned(), change: .keys(keys))
        } else {
            let members = try root.members(["aliro", "clear"])
            let clear = try members.required("clear")
            guard try clear.boolean() else { throw clear.fault("has to be true") }
            self.init(number: try members.required("aliro").unsigned(), change: .clear)
        }
    }
}

extension LockAliroReader {
    fileprivate var object: JSONObject {
        [
            "signing": Hexadecimal.text(signingKey), "verification": Hexadecimal.text(verificationKey),
            "group": Hexadecimal.text(group), "sub": Hexadecimal.text(sub),
        ]
    }

    fileprivate init(_ place: JSONPlace) throws(JSONPlaceFault) {
        let members = try place.members(["signing", "verification", "group", "sub"])
        self.init(
            signingKey: try members.required("signing").octets(exactly: 32),
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
        ]
    }

    fileprivate init(_ place: JSONPlace) throws(JSONPlaceFault) {
        let members = try place.members(["kind", "index", "user", "point"])
        self.init(
            place: try LockAliroPlace(members),
            user: UInt16(try members.required("user").number(1...Int(UInt16.max))),
            point: try members.required("point").octets(exactly: LockChannelLimits.pointCount))
    }
}
