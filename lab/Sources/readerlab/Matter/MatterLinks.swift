// SPDX-License-Identifier: Apache-2.0

import MatterSession
import Peripheral
import Timekeeping

/// The Bluetooth links of a node, each with its BTP session.
struct MatterLinks {
    /// A request to the radio.
    enum Request {
        case indicate([UInt8], LinkID)
        case disconnect(LinkID)
    }

    /// An event for the node.
    enum Event {
        case message([UInt8], link: UInt16)
        /// The BTP session has ended with a fault.
        case fault(BTPFault, LinkID)
    }

    private var sessions: [UInt16: (link: LinkID, session: BTPLink)] = [:]
    private(set) var requests: [Request] = []
    private(set) var events: [Event] = []

    /// The number of a link in the node's peers.
    static func number(_ link: LinkID) -> UInt16 { UInt16(truncatingIfNeeded: link.generation) }

    var deadline: Instant? { sessions.values.compactMap(\.session.deadline).min() }

    mutating func takeRequests() -> [Request] {
        defer { requests.removeAll() }
        return requests
    }

    mutating func takeEvents() -> [Event] {
        defer { events.removeAll() }
        return events
    }

    mutating func began(_ link: LinkID, at now: Instant) {
        sessions[MatterLinks.number(link)] = (link, BTPLink(at: now))
    }

    mutating func ended(_ link: LinkID) { sessions[MatterLinks.number(link)] = nil }

    mutating func wrote(_ value: [UInt8], on link: LinkID, attMTU: Int, at now: Instant) {
        change(MatterLinks.number(link)) { $0.receive(value, attMTU: attMTU, at: now, effects: &$1) }
    }

    mutating func subscribed(_ link: LinkID, at now: Instant) {
        change(MatterLinks.number(link)) { $0.subscribed(at: now, effects: &$1) }
    }

    mutating func confirmed(_ link: LinkID, at now: Instant) {
        change(MatterLinks.number(link)) { $0.confirmed(at: now, effects: &$1) }
    }

    mutating func send(_ message: [UInt8], to number: UInt16, at now: Instant) {
        change(number) { $0.send(message, at: now, effects: &$1) }
    }

    /// Ends a link; nil ends all.
    mutating func disconnect(_ number: UInt16? = nil) {
        for (key, value) in sessions where number == nil || number == key { requests.append(.disconnect(value.link)) }
    }

    mutating func advance(to now: Instant) {
        for number in sessions.keys.sorted() { change(number) { $0.advance(to: now, effects: &$1) } }
    }

    private mutating func change(_ number: UInt16, _ body: (inout BTPLink, inout [BTPEffect]) -> Void) {
        guard let link = sessions[number]?.link, var session = sessions[number]?.session else { return }
        var effects: [BTPEffect] = []
        body(&session, &effects)
        sessions[number] = (link, session)
        for effect in effects {
            switch effect {
            case .indicate(let octets): requests.append(.indicate(octets, link))
            case .message(let octets): events.append(.message(octets, link: number))
            case .close(let fault):
                events.append(.fault(fault, link))
                requests.append(.disconnect(link))
            }
        }
    }
}
