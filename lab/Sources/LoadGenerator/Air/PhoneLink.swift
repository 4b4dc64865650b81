// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral

/// A phone's side of a link: the data received from the host.
struct PhoneLink {
    /// The reply that a frame from the host requires.
    enum Wish: Equatable {
        case nothing
        /// The host requests an MTU exchange.
        case exchangeMTU
        /// The host has sent an indication.
        case confirmation
    }

    private(set) var isUp = false
    /// The last response PDU.
    private(set) var answer: [UInt8] = []
    /// True if a response has arrived since this was last reset.
    var hasAnswer = false
    /// The number of notifications since this was last reset.
    var notifications = 0
    /// The total length of their values.
    var notifiedOctets = 0
    /// The first four octets of the last value.
    private(set) var mark: UInt32 = 0
    private var reassembly = L2CAPReassembly()
    /// True if the values of notifications are stored.
    var keepsValues = false
    /// The stored values in order.
    var values: [[UInt8]] = []

    /// Begins a connection.
    mutating func begin() {
        let keepsValues = keepsValues
        self = PhoneLink()
        self.keepsValues = keepsValues
        isUp = true
    }

    /// Ends the connection.
    mutating func end() {
        isUp = false
        reassembly.reset()
    }

    /// Handles a fragment of an L2CAP frame (Core 5.4, Vol 3, Part A, 3.1).
    mutating func receive(_ fragment: Span<UInt8>, isStart: Bool) -> Wish {
        guard case .complete(.attribute, let range, let isInFragment) = reassembly.receive(fragment, isStart: isStart)
        else { return .nothing }
        if isInFragment { return receive(fragment.extracting(range)) }
        let pdu = Array(reassembly.octets[range])
        return receive(pdu.span)
    }

    /// Handles a PDU of the host: of its server, or the request of its client for an MTU exchange.
    private mutating func receive(_ pdu: Span<UInt8>) -> Wish {
        var cursor = OctetCursor(pdu)
        switch try? ATTResponse(pdu, &cursor) {
        case .notification?: heard(pdu.extracting(cursor.rest()))
        case .indication?: return .confirmation
        default:
            if case .exchangeMTU? = try? ATTRequest(pdu) { return .exchangeMTU }
            answer.removeAll(keepingCapacity: true)
            answer.append(pdu)
            hasAnswer = true
        }
        return .nothing
    }

    private mutating func heard(_ value: Span<UInt8>) {
        notifications += 1
        notifiedOctets += value.count
        if keepsValues { values.append(value.withUnsafeBufferPointer { Array($0) }) }
        var cursor = OctetCursor(value)
        mark = (try? cursor.u32(value)) ?? mark
    }
}
