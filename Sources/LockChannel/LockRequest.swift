// SPDX-License-Identifier: Apache-2.0

public import JSON
import Octets

/// A message of the process of the lock to its reader.
public enum LockRequest: Equatable, Sendable {
    /// Move the lock for a node; `LockReport.answered` follows.
    case order(LockChannelOrder)
    /// The state of the node, for the reader's status.
    case state(LockNodeState)
    /// Advertise the commissioning service with these 8 octets behind its UUID; nil for no more.
    case advertise([UInt8]?)
    /// Indicate a value of C2 on a link; `LockLinkEvent.confirmed` follows.
    case indicate(UInt16, [UInt8])
    /// End a link.
    case disconnect(UInt16)
    /// A request to the Wi-Fi station.
    case wifi(LockWiFiRequest)
}

/// An order of a Matter node.
public struct LockChannelOrder: Equatable, Sendable {
    /// Its number.
    public var number: UInt32
    /// The position to move to.
    public var position: LockPosition
    /// The index of the node's fabric.
    public var fabric: UInt8
    /// The node's identifier.
    public var node: UInt64

    /// An order with these properties.
    public init(number: UInt32, position: LockPosition, fabric: UInt8, node: UInt64) {
        self.number = number
        self.position = position
        self.fabric = fabric
        self.node = node
    }

    /// The actor of the event record, at most 32 octets.
    public var actor: String { "fabric \(fabric) node \(nodeText)" }

    fileprivate var nodeText: String { node.padded(to: 16, radix: 16, uppercase: true) }
}

/// The state of the node.
public struct LockNodeState: Equatable, Sendable {
    /// The number of fabrics.
    public var fabrics: Int
    /// True while the node can be commissioned.
    public var isCommissionable: Bool

    /// A node in this state.
    public init(fabrics: Int, isCommissionable: Bool) {
        self.fabrics = fabrics
        self.isCommissionable = isCommissionable
    }
}

extension LockRequest {
    /// The line, without its line feed.
    public var line: String {
        let object: JSONObject =
            switch self {
            case .order(let order):
                [
                    "order": order.number, "move": order.position.rawValue, "fabric": order.fabric,
                    "node": order.nodeText,
                ]
            case .state(let state): ["fabrics": state.fabrics, "commissionable": state.isCommissionable]
            case .advertise(let octets): ["advertise": octets.map { Hexadecimal.text($0) }.orNull]
            case .indicate(let link, let value): ["link": link, "indicate": Hexadecimal.text(value)]
            case .disconnect(let link): ["link": link, "disconnect": true]
            case .wifi(let request): ["wifi": request.object]
            }
        return object.text
    }

    /// Parses a line without its line feed.
    public init(line: [UInt8]) throws(JSONPlaceFault) {
        let root = try JSONPlace(file: line)
        if root.has("order") {
            let members = try root.members(["order", "move", "fabric", "node"])
            let node = try members.required("node").octets(maximum: 8)
            guard node.count == 8 else { throw try members.required("node").fault("has not 16 digits") }
            self = .order(
                LockChannelOrder(
                    number: try members.required("order").unsigned(), position: try members.required("move").value(),
                    fabric: UInt8(try members.required("fabric").number(1...254)),
                    node: node.reduce(0) { $0 << 8 | UInt64($1) }))
        } else if root.has("advertise") {
            let place = try root.members(["advertise"]).required("advertise")
            self = .advertise(
                try place.optional { place throws(JSONPlaceFault) in
                    try place.octets(exactly: LockChannelLimits.serviceDataCount)
                })
        } else if root.has("link") {
            let members = try root.members(["link", "indicate", "disconnect"])
            let link = UInt16(try members.required("link").number(0...0xFFFF))
            if let value = members["indicate"] {
                self = .indicate(link, try value.octets(maximum: LockChannelLimits.valueCount))
            } else {
                guard try members.required("disconnect").boolean() else {
                    throw try members.required("disconnect").fault("has to be true")
                }
                self = .disconnect(link)
            }
        } else if root.has("wifi") {
            self = .wifi(try LockWiFiRequest(root.members(["wifi"]).required("wifi")))
        } else {
            let members = try root.members(["fabrics", "commissionable"])
            self = .state(
                LockNodeState(
                    fabrics: try members.required("fabrics").number(0...254),
                    isCommissionable: try members.required("commissionable").boolean()))
        }
    }
}
