public import Timekeeping
import Octets

/// A PDU that the server sends without having received one.
public struct GATTOutput: Equatable, Sendable {
    /// Whose client it is for.
    public var slot: Int
    /// On which of the link's bearers; 0 is the fixed channel.
    public var bearer: Int
    /// It answers a request, rather than being an indication.
    public var isResponse: Bool
}

extension GATTServer {
    /// Appends the next PDU that is due to `response`: the error for a request that the device has not answered, the
    /// answer to one that was held, or Service Changed. Nil if there is none; to be called until nil after each
    /// `receive`, `respond`, `accept`, `refuse`, `advance`, `restore` and `replaceDatabase`. Costs nothing when nothing
    /// is due.
    public mutating func nextOutput(
        at now: Instant, response: inout [UInt8], events: inout GATTEvents
    ) -> GATTOutput? {
        guard mayHaveOutput else { return nil }
        for slot in links.indices where links[slot].isOpen {
            for bearer in 0...limits.enhancedBearers where bearers[place(slot, bearer)].isOpen {
                let origin = Origin(slot: slot, place: place(slot, bearer))
                let start = response.count
                answerWaiting(origin, at: now, response: &response, events: &events)
                if response.count > start { return GATTOutput(slot: slot, bearer: bearer, isResponse: true) }
            }
            if indicateServiceChanged(slot, at: now, into: &response) {
                return GATTOutput(slot: slot, bearer: 0, isResponse: false)
            }
        }
        mayHaveOutput = false
        return nil
    }

    /// Appends at most one PDU: requests that are held may lead to questions instead.
    private mutating func answerWaiting(
        _ origin: Origin, at now: Instant, response: inout [UInt8], events: inout GATTEvents
    ) {
        let start = response.count
        while response.count == start {
            switch bearers[origin.place].transaction.phase {
            case .asking: return
            case .failed(let code): fail(origin, code, &response)
            case .idle:
                guard bearers[origin.place].transaction.heldCount > 0 else { return }
                var pdu: [UInt8] = []
                bearers[origin.place].transaction.takeHeld(into: &pdu)
                guard !pdu.isEmpty else { return }
                bearers[origin.place].transaction.begin(pdu.span)
                serve(pdu.span, origin, at: now, response: &response, events: &events)
            }
        }
    }

    /// Answers the request for which the device was asked in vain.
    private mutating func fail(_ origin: Origin, _ code: ATTErrorCode, _ response: inout [UInt8]) {
        var pdu: [UInt8] = []
        bearers[origin.place].transaction.swapRequest(with: &pdu)
        bearers[origin.place].transaction.finish()
        if links[origin.slot].executing == origin.place { dropPrepared(origin.slot) }
        guard let opcode = pdu.first else { return }
        let hasHandle = opcode != ATTOpcode.executeWriteRequest.rawValue && pdu.count >= 3
        let handle = hasHandle ? UInt16(pdu[1]) | UInt16(pdu[2]) << 8 : 0
        ATTFault(code, handle).append(answering: ATTOpcode(rawValue: opcode), to: &response)
    }

    /// Service Changed for the whole database, if the client is to be told, has subscribed, and has confirmed what went
    /// before (Core 5.4, Vol 3, Part G, 7.1).
    private mutating func indicateServiceChanged(_ slot: Int, at now: Instant, into octets: inout [UInt8]) -> Bool {
        guard links[slot].owesServiceChanged, database.own.serviceChanged >= 0 else { return false }
        let handle = AttributeHandle(rawValue: database.attributes[database.own.serviceChanged].handle)
        let range: [UInt8] = [0x01, 0x00, 0xFF, 0xFF]
        let outcome = indication(
            of: handle, value: range.span, slot: slot, bearer: 0, at: now, tellsOfDatabase: true, into: &octets)
        guard outcome == .accepted else { return false }
        links[slot].owesServiceChanged = false
        return true
    }
}
