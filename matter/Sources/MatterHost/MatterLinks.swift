// SPDX-License-Identifier: Apache-2.0

public import MatterSession
public import Timekeeping

/// The Bluetooth links of a node, each with its BTP session. Links are numbers of the caller's choice.
public struct MatterLinks: Sendable {
    /// A request to the radio.
    public enum Request: Equatable, Sendable {
        /// Indicate these octets on C2.
        case indicate([UInt8], link: UInt16)
        /// Disconnect the link.
        case disconnect(link: UInt16)
    }

    /// An event for the node.
    public enum Event: Equatable, Sendable {
        /// A whole message.
        case message([UInt8], link: UInt16)
        /// The BTP session has ended with a fault.
        case fault(BTPFault, link: UInt16)
    }

    private var sessions: [UInt16: BTPLink] = [:]
    private var requests: [Request] = []
    private var events: [Event] = []

    /// No links.
    public init() {}

    /// The links in ascending order.
    public var all: [UInt16] { sessions.keys.sorted() }

    /// The time of the next call of `advance`; nil for none.
    public var deadline: Instant? { sessions.values.compactMap(\.deadline).min() }

    /// Removes and returns the requests to the radio.
    public mutating func takeRequests() -> [Request] {
        defer { requests.removeAll() }
        return requests
    }

    /// Removes and returns the events for the node.
    public mutating func takeEvents() -> [Event] {
        defer { events.removeAll() }
        return events
    }

    /// Handles a new link.
    public mutating func began(_ link: UInt16, at now: Instant) { sessions[link] = BTPLink(at: now) }

    /// Handles the end of a link.
    public mutating func ended(_ link: UInt16) { sessions[link] = nil }

    /// Handles a value written to C1.
    public mutating func wrote(_ value: [UInt8], on link: UInt16, attMTU: Int, at now: Instant) {
        change(link) { $0.receive(value, attMTU: attMTU, at: now, effects: &$1) }
    }

    /// Handles a subscription to C2.
    public mutating func subscribed(_ link: UInt16, at now: Instant) {
        change(link) { $0.subscribed(at: now, effects: &$1) }
    }

    /// Handles the confirmation of an indication.
    public mutating func confirmed(_ link: UInt16, at now: Instant) {
        change(link) { $0.confirmed(at: now, effects: &$1) }
    }

    /// Sends a whole message.
    public mutating func send(_ message: [UInt8], to link: UInt16, at now: Instant) {
        change(link) { $0.send(message, at: now, effects: &$1) }
    }

    /// Ends a link; nil ends all.
    public mutating func disconnect(_ link: UInt16? = nil) {
        for key in sessions.keys.sorted() where link == nil || link == key { requests.append(.disconnect(link: key)) }
    }

    /// Performs the actions due.
    public mutating func advance(to now: Instant) {
        for link in sessions.keys.sorted() { change(link) { $0.advance(to: now, effects: &$1) } }
    }

    private mutating func change(_ link: UInt16, _ body: (inout BTPLink, inout [BTPEffect]) -> Void) {
        guard var session = sessions[link] else { return }
        var effects: [BTPEffect] = []
        body(&session, &effects)
        sessions[link] = session
        for effect in effects {
            switch effect {
            case .indicate(let octets): requests.append(.indicate(octets, link: link))
            case .message(let octets): events.append(.message(octets, link: link))
            case .close(let fault):
                events.append(.fault(fault, link: link))
                requests.append(.disconnect(link: link))
            }
        }
    }
}
