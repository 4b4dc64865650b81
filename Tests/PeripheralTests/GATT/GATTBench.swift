// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Timekeeping

@testable import Peripheral

/// Text without its spaces, to compare with `hex`.
func packed(_ text: String) -> String { text.filter { $0 != " " } }

extension String {
    /// The text `count` times.
    func times(_ count: Int) -> String { String(repeating: self, count: count) }
}

/// A server, and clients with PDUs in hexadecimal, each in a slot; an unknown slot has no client.
final class GATTBench {
    var server: GATTServer
    private(set) var clients: [GATTServer.Client]
    var now = Instant.origin
    var events = GATTEvents()
    private var response: [UInt8] = []

    init(_ database: AttributeDatabase, slots: Int = 2, configuration: GATTServer.Configuration = .init()) {
        server = GATTServer(database: database, configuration: configuration)
        clients = (0..<slots).map { _ in GATTServer.Client() }
        for slot in 0..<slots { open(slot: slot) }
    }

    private func with<Result>(
        _ slot: Int, _ absent: Result, _ body: (inout GATTServer, inout GATTServer.Client) -> Result
    ) -> Result {
        clients.indices.contains(slot) ? body(&server, &clients[slot]) : absent
    }

    // MARK: - Links and bearers

    func open(slot: Int) { with(slot, ()) { $0.open(&$1) } }
    func close(slot: Int) { with(slot, ()) { $0.close(&$1) } }
    func setSecurity(_ security: LinkSecurityLevel, slot: Int) { with(slot, ()) { $1.setSecurity(security) } }
    func openBearer(slot: Int = 0, mtu: Int = 64) -> Int? { with(slot, nil) { $0.openBearer(&$1, mtu: mtu) } }
    func closeBearer(slot: Int, bearer: Int) { with(slot, ()) { $0.closeBearer(&$1, bearer: bearer) } }
    func setMTU(_ mtu: Int, slot: Int, bearer: Int) { with(slot, ()) { $0.setMTU(mtu, &$1, bearer: bearer) } }

    func mtu(slot: Int, bearer: Int = 0) -> Int { with(slot, GATTServer.defaultMTU) { $1.mtu(bearer: bearer) } }
    func awaitsConfirmation(slot: Int, bearer: Int = 0) -> Bool {
        with(slot, false) { $1.awaitsConfirmation(bearer: bearer) }
    }
    func configuration(of handle: AttributeHandle, slot: Int) -> ClientConfiguration {
        with(slot, []) { $0.configuration(of: handle, $1) }
    }
    func isChangeAware(slot: Int) -> Bool { with(slot, false) { $1.isOpen && $1.isChangeAware } }
    func clientState(slot: Int) -> ClientState? { with(slot, nil) { $0.state(of: $1) } }
    func restore(_ state: ClientState, slot: Int) { with(slot, ()) { $0.restore(state, &$1, events: &events) } }

    // MARK: - PDUs

    /// Sends a PDU; the response PDU, or an empty text.
    func send(_ pdu: String, slot: Int = 0, bearer: Int = 0) -> String {
        hex(send(octets(pdu), slot: slot, bearer: bearer))
    }

    func send(_ pdu: [UInt8], slot: Int = 0, bearer: Int = 0) -> [UInt8] {
        response.removeAll(keepingCapacity: true)
        receive(pdu, slot: slot, bearer: bearer, into: &response)
        return response
    }

    /// Appends the response PDU, if any.
    func receive(_ pdu: [UInt8], slot: Int = 0, bearer: Int = 0, into response: inout [UInt8]) {
        with(slot, ()) {
            $0.receive(pdu.span, from: &$1, bearer: bearer, at: now, response: &response, events: &events)
        }
    }

    /// The PDUs that the server sends without a request, in order: `slot.bearer`, `<` for a response or `!` for an
    /// indication, the PDU.
    func outputs() -> [String] {
        all {
            response.removeAll(keepingCapacity: true)
            for slot in clients.indices {
                let output = server.nextOutput(to: &clients[slot], at: now, response: &response, events: &events)
                if let output { return "\(slot).\(output.bearer)\(output.isResponse ? "<" : "!")\(hex(response))" }
            }
            return nil
        }
    }

    func notify(
        _ handle: UInt16, _ value: [UInt8], slot: Int = 0, bearer: Int = 0
    ) -> (NotificationOutcome, String) {
        var pdu: [UInt8] = []
        let outcome = with(slot, .gone) {
            $0.notification(
                of: AttributeHandle(rawValue: handle), value: value.span, to: &$1, bearer: bearer, into: &pdu)
        }
        return (outcome, hex(pdu))
    }

    func notify(
        _ values: [(handle: AttributeHandle, value: Range<Int>)], in source: [UInt8], slot: Int = 0
    ) -> (NotificationOutcome, String) {
        var pdu: [UInt8] = []
        let outcome = with(slot, .gone) { $0.notification(of: values, in: source.span, to: &$1, into: &pdu) }
        return (outcome, hex(pdu))
    }

    func indicate(
        _ handle: UInt16, _ value: [UInt8], slot: Int = 0, bearer: Int = 0
    ) -> (NotificationOutcome, String) {
        var pdu: [UInt8] = []
        let outcome = with(slot, .gone) {
            $0.indication(
                of: AttributeHandle(rawValue: handle), value: value.span, to: &$1, bearer: bearer, at: now, into: &pdu)
        }
        return (outcome, hex(pdu))
    }

    // MARK: - Time

    /// Advances to `seconds`; returns the slots in which an indication was not confirmed in time.
    func advance(to seconds: Double) -> [Int] {
        now = .origin + .milliseconds(Int64(seconds * 1000))
        return advance(to: now)
    }

    /// The same without moving the clock of what follows.
    func advance(to time: Instant) -> [Int] { clients.indices.filter { server.advance(&clients[$0], to: time) } }

    var nextDeadline: Instant? { clients.compactMap(\.deadline).min() }

    // MARK: - The device

    /// The last question to the device.
    var question: AttributeRequest? {
        for event in events.events.reversed() {
            switch event {
            case .readRequested(let request, _, _), .writeRequested(let request, _, _): return request
            default: break
            }
        }
        return nil
    }

    /// The device's answer; returns the PDUs sent, or the outcome.
    func respond(_ request: AttributeRequest?, _ value: [UInt8]) -> String {
        answer(request) {
            $0.respond(to: $2, of: &$1, value: value.span, response: &response, events: &events)
        }
    }

    func accept(_ request: AttributeRequest?) -> String {
        answer(request) { $0.accept($2, of: &$1, response: &response, events: &events) }
    }

    func refuse(_ request: AttributeRequest?, _ code: UInt8) -> String {
        answer(request) { $0.refuse($2, ATTErrorCode(rawValue: code), of: &$1, response: &response) }
    }

    /// The answer goes to the client that asks; to no other, since questions are counted by the server.
    private func answer(
        _ request: AttributeRequest?,
        _ body: (inout GATTServer, inout GATTServer.Client, AttributeRequest) -> AnswerOutcome
    ) -> String {
        guard let request else { return "not asked" }
        response.removeAll(keepingCapacity: true)
        for slot in clients.indices {
            let outcome = body(&server, &clients[slot], request)
            if outcome != .gone { return outcome == .taken ? hex(response) : "\(outcome)" }
        }
        return "\(AnswerOutcome.gone)"
    }

    /// The events since the last call, with their values.
    func taken() -> (events: [GATTEvent], values: [[UInt8]]) {
        let values = events.events.compactMap { event -> [UInt8]? in
            switch event {
            case .written(_, let range, _), .writeRequested(_, _, let range): Array(events.octets[range])
            default: nil
            }
        }
        defer { events.removeAll() }
        return (events.events, values)
    }

    func replaceDatabase(with database: AttributeDatabase) {
        let former = server.replaceDatabase(with: database)
        for slot in clients.indices { server.databaseReplaced(former, &clients[slot], events: &events) }
    }

    func setValue(_ value: [UInt8], of handle: AttributeHandle) throws(AttributeValueError) {
        try server.setValue(value.span, of: handle)
    }
}

extension GATTServer.Configuration {
    /// Prepared writes to several attributes are executed, whatever their properties.
    static let mixing: GATTServer.Configuration = {
        var configuration = GATTServer.Configuration()
        configuration.demandsReliableWriteBit = false
        return configuration
    }()
}
