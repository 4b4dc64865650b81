// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral

/// The exchange of one link of a capture, seen from its server.
struct RecordedLink {
    /// The longest time between a write and the value that answers it, in microseconds.
    private static let answerTime: Int64 = 5_000_000
    /// The highest distance of a client characteristic configuration from its value, in handles.
    private static let configurationDistance: UInt16 = 8

    /// The device whose attributes the link shows.
    let device: RecordedDeviceID
    /// True if the captured host is that device.
    let isLocal: Bool
    private let start: Int64
    private var fromController = L2CAPReassembly()
    private var fromHost = L2CAPReassembly()
    /// The request that is not answered yet.
    private var request: [UInt8] = []
    private var mtu = GATTServer.defaultMTU
    private var clientMTU = GATTServer.defaultMTU
    /// The last accepted write of two octets to a handle, such as a subscription.
    private var subscribed: [UInt16: Int64] = [:]
    private var lastSent: [UInt16: Int64] = [:]
    private var lastWrite: [UInt16: (at: Int64, octets: [UInt8])] = [:]

    init(_ device: RecordedDeviceID, isLocal: Bool, at start: Int64) {
        self.device = device
        self.isLocal = isLocal
        self.start = start
    }

    /// Handles a fragment of data; returns the ATT PDU that it completes.
    mutating func frame(_ fragment: Span<UInt8>, isStart: Bool, isReceived: Bool) -> [UInt8]? {
        let outcome =
            isReceived
            ? fromController.receive(fragment, isStart: isStart) : fromHost.receive(fragment, isStart: isStart)
        guard case .complete(.attribute, let payload, let inFragment) = outcome else { return nil }
        if inFragment { return fragment.octets(payload) }
        return (isReceived ? fromController : fromHost).octets.span.octets(payload)
    }

    /// Handles a PDU; adds its content to the table.
    mutating func receive(
        _ pdu: [UInt8], isReceived: Bool, at now: Int64, _ table: inout RecordedTable
    ) throws(OctetError) {
        if isReceived == isLocal {
            try fromClient(pdu, at: now, &table)
        } else {
            try fromServer(pdu, at: now, &table)
        }
    }

    private mutating func fromClient(_ pdu: [UInt8], at now: Int64, _ table: inout RecordedTable) throws(OctetError) {
        switch try ATTRequest(pdu.span) {
        case .ignored, .confirmation: break
        case .writeCommand(let handle, let value): wrote(handle, pdu.span.octets(value), at: now, &table)
        case .exchangeMTU(let client):
            clientMTU = max(Int(client), GATTServer.defaultMTU)
            request = pdu
        // A response, if the client is a server too.
        case .unsupported: break
        default: request = pdu
        }
    }

    private mutating func fromServer(_ pdu: [UInt8], at now: Int64, _ table: inout RecordedTable) throws(OctetError) {
        var list = OctetCursor(pdu.span)
        switch try ATTResponse(pdu.span, &list) {
        // A request, if the server is a client too.
        case nil: break
        case .notification(let handle), .indication(let handle):
            sent(handle.rawValue, pdu.span.octets(list.rest()), at: now, &table)
        case .bare(.multipleHandleValueNotification):
            while list.remaining > 0 {
                let (handle, count) = (try list.u16(pdu.span), Int(try list.u16(pdu.span)))
                sent(handle, pdu.span.octets(try list.consume(count, of: pdu.span)), at: now, &table)
            }
        case let response?:
            guard !request.isEmpty else { return }
            defer { request = [] }
            let asked = try ATTRequest(request.span)
            if case .exchangeMTU(let server) = response {
                mtu = max(GATTServer.defaultMTU, min(clientMTU, Int(server)))
            }
            if case (.bare(.writeResponse), .write(let handle, let value)) = (response, asked) {
                wrote(handle, request.span.octets(value), at: now, &table)
            }
            try table.receive(response, pdu.span, list, to: asked, request.span, mtu: mtu)
        }
    }

    private mutating func wrote(_ handle: UInt16, _ octets: [UInt8], at now: Int64, _ table: inout RecordedTable) {
        if octets.count == 2 { subscribed[handle] = now }
        lastWrite[handle] = (now, octets)
        table.values[handle, default: RecordedValue()].wrote(octets)
    }

    private mutating func sent(_ handle: UInt16, _ octets: [UInt8], at now: Int64, _ table: inout RecordedTable) {
        let near = handle...(handle &+ min(RecordedLink.configurationDistance, .max - handle))
        let since = [lastSent[handle] ?? start, near.compactMap { subscribed[$0] }.max() ?? start].max() ?? start
        lastSent[handle] = now
        var answering: [UInt8]?
        if let write = lastWrite[handle], now &- write.at <= RecordedLink.answerTime { answering = write.octets }
        lastWrite[handle] = nil
        table.values[handle, default: RecordedValue()]
            .sent(RecordedValue.Sent(after: max(0, now &- since), octets: octets, answering: answering))
    }
}
