// SPDX-License-Identifier: Apache-2.0

public import JSON
import Octets

/// The complete state of the node that concerns access to it: its fabrics, and its commissioning window.
public struct LockNodeState: Equatable, Sendable {
    /// The fabrics, by ascending index. They include a fabric that a commissioner has added and not
    /// completed: its administrator can already send orders.
    public var fabrics: [LockFabric]
    /// The open commissioning window.
    public var window: LockWindow?
    /// The node that caused the last change; nil for another cause.
    public var author: LockNode?
    /// The cause of the last change; nil if the author is cause enough.
    public var cause: LockCause?

    /// A node in this state.
    public init(
        fabrics: [LockFabric] = [], window: LockWindow? = nil, author: LockNode? = nil, cause: LockCause? = nil
    ) {
        self.fabrics = fabrics
        self.window = window
        self.author = author
        self.cause = cause
    }

    /// True while the node can be commissioned.
    public var isCommissionable: Bool { window != nil }

    /// True if fabrics and window equal those in `other`.
    public func isSame(as other: LockNodeState) -> Bool { fabrics == other.fabrics && window == other.window }

    /// The changes from `former` to this state, in the order of their likely occurrence.
    public func changes(since former: LockNodeState) -> [LockNodeChange] {
        let gone = former.fabrics.filter { fabric in !fabrics.contains { $0.isSame(as: fabric) } }
        let new = fabrics.filter { fabric in !former.fabrics.contains { $0.isSame(as: fabric) } }
        let other = fabrics.filter { !new.contains($0) && !former.fabrics.contains($0) }
        var changes: [LockNodeChange] =
            gone.map { .fabricRemoved($0) } + other.map { .fabricUpdated($0) } + new.map { .fabricAdded($0) }
        if let old = former.window, old.id != window?.id { changes.append(.windowClosed(old)) }
        if let window, window.id != former.window?.id { changes.append(.windowOpened(window)) }
        return changes
    }
}

/// A change of a node's state.
public enum LockNodeChange: Equatable, Sendable {
    /// A fabric was added.
    case fabricAdded(LockFabric)
    /// The node has another identifier on the fabric.
    case fabricUpdated(LockFabric)
    /// A fabric was removed.
    case fabricRemoved(LockFabric)
    /// A window was opened.
    case windowOpened(LockWindow)
    /// A window was closed.
    case windowClosed(LockWindow)
}

/// A fabric of the node.
public struct LockFabric: Equatable, Sendable {
    /// Its index in the node's table, 1 to 254.
    public var index: UInt8
    /// Its identifier.
    public var fabric: UInt64
    /// The node's identifier on it.
    public var node: UInt64
    /// The administrator's vendor.
    public var vendor: UInt16

    /// A fabric with these properties.
    public init(index: UInt8, fabric: UInt64, node: UInt64, vendor: UInt16) {
        self.index = index
        self.fabric = fabric
        self.node = node
        self.vendor = vendor
    }

    /// True if it is the same fabric, maybe with another identifier of the node.
    func isSame(as other: LockFabric) -> Bool { index == other.index && fabric == other.fabric }

    /// The identifiers for an event record, at most 64 octets.
    public var detail: String {
        "fabric \(LockNode.digits(fabric)) node \(LockNode.digits(node)) vendor "
            + vendor.padded(to: 4, radix: 16, uppercase: true)
    }
}

/// An open commissioning window.
public struct LockWindow: Equatable, Sendable {
    /// The length of a window's number in octets.
    static let idCount = 8

    /// The identifier, different for each window: 8 octets.
    public var id: [UInt8]
    /// The node that opened it; nil for the reader's operator.
    public var opener: LockNode?

    /// A window with this number.
    public init(id: [UInt8], opener: LockNode? = nil) {
        self.id = id
        self.opener = opener
    }
}

/// A node in a fabric of the lock.
public struct LockNode: Equatable, Sendable {
    /// The index of the fabric, 1 to 254.
    public var fabric: UInt8
    /// The node's identifier.
    public var node: UInt64

    /// The node `node` of `fabric`.
    public init(fabric: UInt8, node: UInt64) {
        self.fabric = fabric
        self.node = node
    }

    /// The actor of an event record, at most 32 octets.
    public var actor: String { "fabric \(fabric) node \(LockNode.digits(node))" }

    static func digits(_ number: UInt64) -> String { number.padded(to: 16, radix: 16, uppercase: true) }
}

/// The cause of a change of the node's state.
public enum LockCause: String, CaseIterable, Equatable, Sendable {
    /// Commissioning is complete.
    case commissioned
    /// The time of the window is over.
    case timeout
    /// An administrator revoked the window.
    case revoked
    /// Twenty wrong codes.
    case failures
    /// The reader's operator.
    case `operator`
    /// The process lost its reader.
    case readerLost = "reader-lost"
    /// The fabric of the window's administrator was removed, or the last fabric.
    case fabricRemoved = "fabric-removed"
    /// Commissioning was not completed.
    case undone
}

// MARK: - Messages

extension LockNodeState {
    var object: JSONObject {
        [
            "fabrics": fabrics.map(\.object), "window": (window?.object).orNull, "by": (author?.object).orNull,
            "why": (cause?.rawValue).orNull,
        ]
    }

    init(_ root: JSONPlace) throws(JSONPlaceFault) {
        let members = try root.members(["fabrics", "window", "by", "why"])
        let fabrics = try members.required("fabrics")
        self.init()
        for place in try fabrics.elements() {
            let fabric = try LockFabric(place)
            guard self.fabrics.last?.index ?? 0 < fabric.index else { throw place.fault("is out of order") }
            self.fabrics.append(fabric)
        }
        guard self.fabrics.count <= LockChannelLimits.fabricCount else { throw fabrics.fault("has too many elements") }
        window = try members.required("window").optional { place throws(JSONPlaceFault) in try LockWindow(place) }
        author = try members.required("by").optional { place throws(JSONPlaceFault) in try LockNode(place) }
        cause = try members.required("why").optional { place throws(JSONPlaceFault) in try place.value() }
    }

    /// The octets of the state for storage.
    public var octets: [UInt8] { Array(object.text.utf8) }

    /// Parses stored octets.
    public init(stored octets: [UInt8]) throws(JSONPlaceFault) { try self.init(JSONPlace(file: octets)) }
}

extension LockFabric {
    fileprivate var object: JSONObject {
        ["index": index, "fabric": LockNode.digits(fabric), "node": LockNode.digits(node), "vendor": vendor]
    }

    fileprivate init(_ place: JSONPlace) throws(JSONPlaceFault) {
        let members = try place.members(["index", "fabric", "node", "vendor"])
        self.init(
            index: try members.required("index").fabricIndex(), fabric: try members.required("fabric").identifier(),
            node: try members.required("node").identifier(),
            vendor: UInt16(try members.required("vendor").number(0...0xFFFF)))
    }
}

extension LockWindow {
    fileprivate var object: JSONObject { ["id": Hexadecimal.text(id), "by": (opener?.object).orNull] }

    fileprivate init(_ place: JSONPlace) throws(JSONPlaceFault) {
        let members = try place.members(["id", "by"])
        self.init(
            id: try members.required("id").octets(exactly: LockWindow.idCount),
            opener: try members.required("by").optional { place throws(JSONPlaceFault) in try LockNode(place) })
    }
}

extension LockNode {
    var object: JSONObject { ["fabric": fabric, "node": LockNode.digits(node)] }

    init(_ place: JSONPlace) throws(JSONPlaceFault) {
        let members = try place.members(["fabric", "node"])
        self.init(
            fabric: try members.required("fabric").fabricIndex(), node: try members.required("node").identifier())
    }
}

extension JSONPlace {
    /// The index of a fabric.
    func fabricIndex() throws(JSONPlaceFault) -> UInt8 { UInt8(try number(1...254)) }

    /// An identifier of 64 bits, in 16 digits.
    func identifier() throws(JSONPlaceFault) -> UInt64 {
        let octets = try octets(maximum: 8)
        guard octets.count == 8 else { throw fault("has not 16 digits") }
        return octets.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
