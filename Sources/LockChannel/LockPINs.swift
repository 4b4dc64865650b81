// SPDX-License-Identifier: Apache-2.0

import JSON

/// Changes of the lock's PINs by an administrator, to be recorded before they are in force; `LockReport.answered`
/// follows. The PINs stay in the process of the lock.
public struct LockPINRequest: Equatable, Sendable {
    /// Its number; orders have others.
    public var number: UInt32
    /// The changes in order, at least one.
    public var changes: [LockPINChange]
    /// The administrator.
    public var author: LockNode

    /// A request with these properties.
    public init(number: UInt32, changes: [LockPINChange], author: LockNode) {
        self.number = number
        self.changes = changes
        self.author = author
    }
}

/// A PIN that comes into force, or ends.
public struct LockPINChange: Equatable, Sendable {
    /// True if it authorizes orders from now on, false if it authorizes none any more.
    public var isAdded: Bool
    /// The index among the PINs, from 1 on.
    public var index: UInt16
    /// The index of the user.
    public var user: UInt16

    /// A change with these properties.
    public init(isAdded: Bool, index: UInt16, user: UInt16) {
        self.isAdded = isAdded
        self.index = index
        self.user = user
    }
}

/// An order that no PIN authorized: the process has refused it, for the reader's event log.
public struct LockPINRefusal: Equatable, Sendable {
    /// The reason.
    public enum Reason: String, CaseIterable, Equatable, Sendable {
        /// It had none.
        case missing
        /// It was wrong, or of a user without access.
        case wrong
        /// So was the last one before PINs are disabled for a time.
        case lastWrong = "last-wrong"
        /// PINs are disabled for a time.
        case disabled
    }

    /// The ordered position.
    public var position: LockPosition
    /// The node.
    public var author: LockNode
    /// The reason.
    public var reason: Reason

    /// A refusal with these properties.
    public init(position: LockPosition, author: LockNode, reason: Reason) {
        self.position = position
        self.author = author
        self.reason = reason
    }
}

// MARK: - Messages

extension LockPINRequest {
    var object: JSONObject { ["pins": number, "changes": changes.map(\.object), "by": author.object] }

    init(_ root: JSONPlace) throws(JSONPlaceFault) {
        let members = try root.members(["pins", "changes", "by"])
        let list = try members.required("changes")
        var changes: [LockPINChange] = []
        for place in try list.elements() { changes.append(try LockPINChange(place)) }
        guard (1...LockChannelLimits.pinChangeCount).contains(changes.count) else {
            throw list.fault("has no elements, or too many")
        }
        self.init(
            number: try members.required("pins").unsigned(), changes: changes,
            author: try LockNode(members.required("by")))
    }
}

extension LockPINChange {
    fileprivate var object: JSONObject { [isAdded ? "added" : "removed": index, "user": user] }

    fileprivate init(_ place: JSONPlace) throws(JSONPlaceFault) {
        let name = place.has("added") ? "added" : "removed"
        let members = try place.members([name, "user"])
        self.init(
            isAdded: name == "added", index: UInt16(try members.required(name).number(1...Int(UInt16.max))),
            user: UInt16(try members.required("user").number(1...Int(UInt16.max))))
    }
}

extension LockPINRefusal {
    var object: JSONObject { ["pin": reason.rawValue, "move": position.rawValue, "by": author.object] }

    init(_ root: JSONPlace) throws(JSONPlaceFault) {
        let members = try root.members(["pin", "move", "by"])
        self.init(
            position: try members.required("move").value(), author: try LockNode(members.required("by")),
            reason: try members.required("pin").value())
    }
}
