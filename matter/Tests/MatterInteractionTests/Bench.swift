// SPDX-License-Identifier: Apache-2.0

import MatterInteraction
import MatterTLV
import Timekeeping
import VirtualTime

@testable import MatterTestSupport

/// A server, a small node and virtual time. Messages are in notation; effects are texts:
/// `report 1 {…} …` for a message on exchange 1 that expects a reply, without the dots if it ends the exchange.
struct Bench {
    var server = InteractionServer(firstSubscription: 0xFF)
    var node = SmallNode()
    var now = Instant.origin
    var notices: [InteractionNotice] = []

    /// Sends a message and returns the effects.
    mutating func send(
        _ opcode: UInt8, _ message: String, on exchange: UInt32 = 1, by accessor: Accessor = .administrator,
        age: Duration = .zero
    ) -> [String] {
        send(opcode, octets: Notation.octets(message), on: exchange, by: accessor, age: age)
    }

    mutating func send(
        _ opcode: UInt8, octets: [UInt8], on exchange: UInt32 = 1, by accessor: Accessor = .administrator,
        age: Duration = .zero
    ) -> [String] {
        var effects: [InteractionEffect] = []
        server.receive(
            opcode, octets, exchange: exchange, by: accessor, model: &node, at: now, age: age, effects: &effects)
        return texts(effects)
    }

    mutating func status(
        _ status: UInt8 = 0, on exchange: UInt32 = 1, by accessor: Accessor = .administrator
    ) -> [String] {
        send(1, "{0=\(status) 255=12}", on: exchange, by: accessor)
    }

    mutating func read(
        _ message: String, on exchange: UInt32 = 1, by accessor: Accessor = .administrator
    ) -> [String] { send(2, message, on: exchange, by: accessor) }

    /// Reads paths in notation, without filter.
    mutating func read(paths: String, by accessor: Accessor = .administrator) -> [String] {
        read("{0=[\(paths)] 3=false 255=12}", by: accessor)
    }

    mutating func write(
        _ items: String, timed: Bool = false, more: Bool = false, on exchange: UInt32 = 1,
        by accessor: Accessor = .administrator
    ) -> [String] {
        send(6, "{0=false 1=\(timed) 2=[\(items)] 3=\(more) 255=12}", on: exchange, by: accessor)
    }

    mutating func invoke(
        _ items: String, timed: Bool = false, on exchange: UInt32 = 1, by accessor: Accessor = .administrator
    ) -> [String] { send(8, "{0=false 1=\(timed) 2=[\(items)] 255=12}", on: exchange, by: accessor) }

    /// Lets time pass to `seconds` after the origin, with a stop at each deadline.
    mutating func pass(to seconds: Double) -> [String] {
        var effects: [InteractionEffect] = []
        now = elapse(from: now, to: .origin + .seconds(seconds), deadline: { server.deadline }) {
            server.advance(to: $0, effects: &effects)
        }
        return texts(effects)
    }

    mutating func open(_ subscription: UInt32, exchange: UInt32?) -> [String] {
        var effects: [InteractionEffect] = []
        server.exchangeOpened(subscription, exchange: exchange, model: node, at: now, effects: &effects)
        return texts(effects)
    }

    mutating func perform(_ body: (inout InteractionServer, inout [InteractionEffect]) -> Void) -> [String] {
        var effects: [InteractionEffect] = []
        body(&server, &effects)
        return texts(effects)
    }

    /// Changes the lock without Matter.
    mutating func setLock(_ state: Int) {
        node.lockState = state
        node.versions[0x101, default: 7] += 1
        server.changed(AttributePath(1, 0x101, 0))
    }

    private mutating func texts(_ effects: [InteractionEffect]) -> [String] {
        effects.compactMap { effect in
            switch effect {
            case .send(let opcode, let payload, let exchange, let expectingReply):
                let name = ["", "status", "", "", "subscribed", "report", "", "written", "", "invoked"][Int(opcode)]
                precondition(payload.count <= 1_198, "\(payload.count) octets")
                return "\(name) \(exchange) \(Notation.text(payload))\(expectingReply ? " …" : "")"
            case .close(let exchange): return "close \(exchange)"
            case .openReport(let session, let subscription): return "open \(session) \(subscription)"
            case .sessionSuspect(let session): return "suspect \(session)"
            case .notice(let notice):
                notices.append(notice)
                return nil
            }
        }
    }
}

extension Accessor {
    static let administrator = peer(112_233)
    static let commissioner = Accessor(authentication: .pase, fabric: nil, session: 1)

    static func peer(
        _ node: NodeID, tags: [CASEAuthenticatedTag] = [], fabric: FabricIndex = 1, session: UInt16 = 9
    ) -> Accessor {
        Accessor(authentication: .case(node: node, tags: tags), fabric: fabric, session: session)
    }
}

/// A StatusResponse that ends exchange 1.
func refusal(_ status: UInt8, on exchange: UInt32 = 1) -> [String] { ["status \(exchange) {0=\(status) 255=12}"] }
