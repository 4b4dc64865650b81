// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// A PDU that the server sends without a preceding PDU.
public struct GATTOutput: Equatable, Sendable {
    /// The bearer of the link; 0 is the fixed channel.
    public var bearer: Int
    /// True for a response, false for an indication.
    public var isResponse: Bool
}

extension GATTServer {
    /// Appends the next outstanding PDU for a client to `response`: the error for a request that the device has not
    /// answered, the response to a held request, or Service Changed. Nil after the last. Must be called until nil
    /// after each `receive`, `respond`, `accept`, `refuse`, `advance`, `restore` and `databaseReplaced`; the cost
    /// without output is negligible.
    public mutating func nextOutput(
        to client: inout Client, at now: Instant, response: inout [UInt8], events: inout GATTEvents
    ) -> GATTOutput? {
        guard client.isOpen, client.mayHaveOutput else { return nil }
        for bearer in client.bearers.indices where client.bearers[bearer].isOpen {
            let start = response.count
            answerWaiting(&client, bearer, at: now, response: &response, events: &events)
            if response.count > start { return GATTOutput(bearer: bearer, isResponse: true) }
        }
        if indicateServiceChanged(&client, at: now, into: &response) { return GATTOutput(bearer: 0, isResponse: false) }
        client.mayHaveOutput = false
        return nil
    }

    /// Appends at most one PDU: held requests may lead to questions to the device instead.
    private mutating func answerWaiting(
        _ client: inout Client, _ bearer: Int, at now: Instant, response: inout [UInt8], events: inout GATTEvents
    ) {
        let start = response.count
        while response.count == start {
            switch client.bearers[bearer].transaction.phase {
            case .asking: return
            case .failed(let code):
                fail(&client, bearer, ATTFault(code, client.bearers[bearer].transaction.request.handle), &response)
            case .idle:
                guard client.bearers[bearer].transaction.heldCount > 0 else { return }
                var pdu: [UInt8] = []
                client.bearers[bearer].transaction.takeHeld(into: &pdu)
                guard !pdu.isEmpty else { return }
                client.bearers[bearer].transaction.begin(pdu.span)
                serve(pdu.span, &client, bearer, at: now, response: &response, events: &events)
            }
        }
    }

    /// Indicates Service Changed for the whole database, if it is outstanding, the client has subscribed, and the
    /// previous indication is confirmed (Core 5.4, Vol 3, Part G, 7.1).
    private func indicateServiceChanged(_ client: inout Client, at now: Instant, into octets: inout [UInt8]) -> Bool {
        guard client.owesServiceChanged, database.own.serviceChanged >= 0 else { return false }
        let handle = AttributeHandle(rawValue: database.attributes[database.own.serviceChanged].handle)
        let range: [UInt8] = [0x01, 0x00, 0xFF, 0xFF]
        let outcome = indication(
            of: handle, value: range.span, to: &client, bearer: 0, at: now, tellsOfDatabase: true, into: &octets)
        guard outcome == .accepted else { return false }
        client.owesServiceChanged = false
        return true
    }
}
