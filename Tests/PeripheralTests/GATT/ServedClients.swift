// SPDX-License-Identifier: Apache-2.0

import Timekeeping

@testable import Peripheral

/// A server and its clients, each in a slot; an unknown slot has no client.
struct ServedClients {
    private(set) var server: GATTServer
    private(set) var clients: [GATTServer.Client]

    init(_ database: AttributeDatabase, slots: Int, configuration: GATTServer.Configuration) {
        server = GATTServer(database: database, configuration: configuration)
        clients = (0..<slots).map { _ in GATTServer.Client() }
        for slot in 0..<slots { open(slot: slot) }
    }

    private mutating func with<Result>(
        _ slot: Int, _ absent: Result, _ body: (inout GATTServer, inout GATTServer.Client) -> Result
    ) -> Result {
        clients.indices.contains(slot) ? body(&server, &clients[slot]) : absent
    }

    mutating func open(slot: Int) { with(slot, ()) { $0.open(&$1) } }
    mutating func close(slot: Int) { with(slot, ()) { $0.close(&$1) } }
    mutating func setSecurity(_ security: LinkSecurityLevel, slot: Int) { with(slot, ()) { $1.setSecurity(security) } }

    mutating func receive(
        _ pdu: [UInt8], slot: Int, bearer: Int = 0, at now: Instant, response: inout [UInt8], events: inout GATTEvents
    ) {
        guard clients.indices.contains(slot) else { return }
        server.receive(pdu.span, from: &clients[slot], bearer: bearer, at: now, response: &response, events: &events)
    }

    /// The answer goes to the client that asks; to no other, since questions are counted by the server.
    mutating func answer(_ body: (inout GATTServer, inout GATTServer.Client) -> AnswerOutcome) -> AnswerOutcome {
        for slot in clients.indices {
            let outcome = body(&server, &clients[slot])
            if outcome != .gone { return outcome }
        }
        return .gone
    }

    mutating func nextOutput(
        at now: Instant, response: inout [UInt8], events: inout GATTEvents
    ) -> (slot: Int, output: GATTOutput)? {
        for slot in clients.indices {
            let output = server.nextOutput(to: &clients[slot], at: now, response: &response, events: &events)
            if let output { return (slot, output) }
        }
        return nil
    }

    mutating func advance(to now: Instant, timedOut: inout [Int]) {
        for slot in clients.indices where server.advance(&clients[slot], to: now) { timedOut.append(slot) }
    }

    var nextDeadline: Instant? { clients.compactMap(\.deadline).min() }

    mutating func openBearer(slot: Int, mtu: Int) -> Int? { with(slot, nil) { $0.openBearer(&$1, mtu: mtu) } }
    mutating func closeBearer(slot: Int, bearer: Int) { with(slot, ()) { $0.closeBearer(&$1, bearer: bearer) } }
    mutating func setMTU(_ mtu: Int, slot: Int, bearer: Int) { with(slot, ()) { $0.setMTU(mtu, &$1, bearer: bearer) } }

    mutating func notification(
        of values: [(handle: AttributeHandle, value: Range<Int>)], in source: [UInt8], slot: Int,
        into octets: inout [UInt8]
    ) -> NotificationOutcome {
        server.notification(of: values, in: source.span, to: &clients[slot], into: &octets)
    }

    mutating func notification(
        of handle: AttributeHandle, value: [UInt8], slot: Int, bearer: Int, into octets: inout [UInt8]
    ) -> NotificationOutcome {
        guard clients.indices.contains(slot) else { return .gone }
        return server.notification(of: handle, value: value.span, to: &clients[slot], bearer: bearer, into: &octets)
    }

    mutating func indication(
        of handle: AttributeHandle, value: [UInt8], slot: Int, bearer: Int, at now: Instant, into octets: inout [UInt8]
    ) -> NotificationOutcome {
        guard clients.indices.contains(slot) else { return .gone }
        return server.indication(
            of: handle, value: value.span, to: &clients[slot], bearer: bearer, at: now, into: &octets)
    }

    mutating func restore(_ state: ClientState, slot: Int, events: inout GATTEvents) {
        guard clients.indices.contains(slot) else { return }
        server.restore(state, &clients[slot], events: &events)
    }

    mutating func replaceDatabase(with database: AttributeDatabase, events: inout GATTEvents) {
        let former = server.replaceDatabase(with: database)
        for slot in clients.indices { server.databaseReplaced(former, &clients[slot], events: &events) }
    }

    mutating func setValue(_ value: [UInt8], of handle: AttributeHandle) throws(AttributeValueError) {
        try server.setValue(value.span, of: handle)
    }

    private func client(_ slot: Int) -> GATTServer.Client? { clients.indices.contains(slot) ? clients[slot] : nil }

    func mtu(slot: Int, bearer: Int = 0) -> Int { client(slot)?.mtu(bearer: bearer) ?? GATTServer.defaultMTU }
    func awaitsConfirmation(slot: Int, bearer: Int = 0) -> Bool {
        client(slot)?.awaitsConfirmation(bearer: bearer) ?? false
    }
    func configuration(of handle: AttributeHandle, slot: Int) -> ClientConfiguration {
        client(slot).map { server.configuration(of: handle, $0) } ?? []
    }
    func isChangeAware(slot: Int) -> Bool { client(slot).map { $0.isOpen && $0.isChangeAware } ?? false }
    func clientState(slot: Int) -> ClientState? { client(slot).flatMap { server.state(of: $0) } }
}
