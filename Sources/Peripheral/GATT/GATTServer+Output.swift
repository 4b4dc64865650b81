public import Timekeeping

/// A PDU that the server sends without having received one.
public struct GATTOutput: Equatable, Sendable {
    /// On which of the link's bearers; 0 is the fixed channel.
    public var bearer: Int
    /// It answers a request, rather than being an indication.
    public var isResponse: Bool
}

extension GATTServer {
    /// Appends the next PDU for a client that is due to `response`: the error for a request that the device has not
    /// answered, the answer to one that was held, or Service Changed. Nil if there is none; to be called until nil after
    /// each `receive`, `respond`, `accept`, `refuse`, `advance`, `restore` and `databaseReplaced`. Costs nothing when
    /// nothing is due.
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

    /// Appends at most one PDU: requests that are held may lead to questions instead.
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

    /// Service Changed for the whole database, if the client is to be told, has subscribed, and has confirmed what went
    /// before (Core 5.4, Vol 3, Part G, 7.1).
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
