// SPDX-License-Identifier: Apache-2.0

public import JSON
import Octets

/// A message of the process of the lock to its reader.
public enum LockRequest: Equatable, Sendable {
    /// Move the lock for a node; `LockReport.answered` follows.
    case order(LockChannelOrder)
    /// The state of the node, for the reader's status and its event log.
    case state(LockNodeState)
    /// Permit a node to open a commissioning window; `LockReport.answered` follows.
    case openWindow(LockWindowRequest)
    /// Advertise the commissioning service with these 8 octets behind its UUID; nil for no more.
    case advertise([UInt8]?)
    /// Indicate a value of C2 on a link; `LockLinkEvent.confirmed` follows.
    case indicate(UInt16, [UInt8])
    /// End a link.
    case disconnect(UInt16)
    /// Change the reader's Aliro; `LockReport.aliro` follows.
    case aliro(LockAliroRequest)
    /// Record changes of PINs; `LockReport.answered` follows.
    case recordPINs(LockPINRequest)
    /// An order without a PIN that authorizes it was refused.
    case pinRefused(LockPINRefusal)
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
    /// The index of the user whose PIN came with it; nil for none.
    public var user: UInt16?

    /// An order with these properties.
    public init(number: UInt32, position: LockPosition, fabric: UInt8, node: UInt64, user: UInt16? = nil) {
        self.number = number
        self.position = position
        self.fabric = fabric
        self.node = node
        self.user = user
    }

    /// The actor of the event record, at most 32 octets.
    public var actor: String { LockNode(fabric: fabric, node: node).actor }
}

/// A request of a Matter node for a commissioning window with a code of its choice.
public struct LockWindowRequest: Equatable, Sendable {
    /// Its number; orders have others.
    public var number: UInt32
    /// The requested time in seconds, 180 to 900.
    public var seconds: Int
    /// The node.
    public var author: LockNode

    /// A request with these properties.
    public init(number: UInt32, seconds: Int, author: LockNode) {
        self.number = number
        self.seconds = seconds
        self.author = author
    }
}

extension LockRequest {
    /// The line, without its line feed. It may have a secret: the caller wipes it.
    public var line: [UInt8] { LockLine.octets(object.text, secret: secret) }

    /// The secret behind the JSON text.
    private var secret: [UInt8]? {
        switch self {
        case .aliro(let request): request.secret
        case .wifi(let request): request.secret
        default: nil
        }
    }

    private var object: JSONObject {
        switch self {
        case .order(let order): order.object
        case .state(let state): state.object
        case .openWindow(let request):
            [
                "open-window": request.number, "seconds": request.seconds, "fabric": request.author.fabric,
                "node": LockNode.digits(request.author.node),
            ]
        case .advertise(let octets): ["advertise": octets.map { Hexadecimal.text($0) }.orNull]
        case .indicate(let link, let value): ["link": link, "indicate": Hexadecimal.text(value)]
        case .disconnect(let link): ["link": link, "disconnect": true]
        case .aliro(let request): request.object
        case .recordPINs(let request): request.object
        case .pinRefused(let refusal): refusal.object
        case .wifi(let request): ["wifi": request.object]
        }
    }

    /// Parses a line without its line feed. A secret is in the request alone.
    public init(line: [UInt8]) throws(JSONPlaceFault) {
        let parts = try LockLine(line)
        let root = try JSONPlace(file: parts.text)
        if root.has("order") {
            let members = try root.members(["order", "move", "fabric", "node", "user"])
            self = .order(try LockChannelOrder(members))
        } else if root.has("open-window") {
            let members = try root.members(["open-window", "seconds", "fabric", "node"])
            self = .openWindow(
                LockWindowRequest(
                    number: try members.required("open-window").unsigned(),
                    seconds: try members.required("seconds").number(180...900),
                    author: LockNode(
                        fabric: try members.required("fabric").fabricIndex(),
                        node: try members.required("node").identifier())))
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
        } else if root.has("aliro") {
            self = .aliro(try LockAliroRequest(root, parts.secret))
        } else if root.has("pins") {
            self = .recordPINs(try LockPINRequest(root))
        } else if root.has("pin") {
            self = .pinRefused(try LockPINRefusal(root))
        } else if root.has("wifi") {
            self = .wifi(try LockWiFiRequest(root.members(["wifi"]).required("wifi"), parts.secret))
        } else {
            self = .state(try LockNodeState(root))
        }
        guard parts.secret == nil || secret != nil else { throw root.fault("has a secret, and needs none") }
    }
}

extension LockChannelOrder {
    fileprivate var object: JSONObject {
        var object: JSONObject = [
            "order": number, "move": position.rawValue, "fabric": fabric, "node": LockNode.digits(node),
        ]
        if let user { object.add("user", user) }
        return object
    }

    fileprivate init(_ members: JSONMembers) throws(JSONPlaceFault) {
        self.init(
            number: try members.required("order").unsigned(), position: try members.required("move").value(),
            fabric: try members.required("fabric").fabricIndex(), node: try members.required("node").identifier())
        if let user = members["user"] { self.user = UInt16(try user.number(1...Int(UInt16.max))) }
    }
}
