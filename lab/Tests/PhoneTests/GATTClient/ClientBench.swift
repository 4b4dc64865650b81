// SPDX-License-Identifier: Apache-2.0

import Peripheral
import TestSupport
import Testing
import Timekeeping

@testable import Phone

/// A client, with a server that consists of literal octets.
struct ClientBench {
    var client: GATTClient
    var now = Instant.origin

    init(maximumMTU: Int = 517) { client = GATTClient(maximumMTU: maximumMTU) }

    /// All PDUs in the send queue.
    mutating func sent() -> [[UInt8]] { allPackets { client.nextPDU(into: &$0) } }

    /// All pending events.
    mutating func events() -> [GATTClientEvent] { all { client.nextEvent() } }

    /// The results of the completed operations.
    mutating func results() -> [Result<GATTOutcome, GATTClientError>] {
        events().compactMap { event in
            if case .completed(_, let result) = event { result } else { nil }
        }
    }

    @discardableResult
    mutating func start(_ operation: GATTOperation) -> GATTOperationID { client.start(operation, at: now) }

    mutating func receive(_ pdu: [UInt8]) { client.receive(pdu.span, at: now) }

    /// Requires that exactly this request is sent, and responds to it.
    mutating func expect(
        _ request: [UInt8], answer: [UInt8], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(sent() == [request], sourceLocation: sourceLocation)
        receive(answer)
    }

    /// A client that has exchanged this MTU.
    static func with(mtu: UInt16) -> ClientBench {
        var bench = ClientBench()
        bench.start(.exchangeMTU)
        bench.receive([0x03, UInt8(truncatingIfNeeded: mtu), UInt8(truncatingIfNeeded: mtu >> 8)])
        _ = (bench.sent(), bench.events())
        return bench
    }
}

func handle(_ value: UInt16) -> AttributeHandle { AttributeHandle(rawValue: value) }

func handles(_ first: UInt16, _ last: UInt16) -> ClosedRange<AttributeHandle> { handle(first)...handle(last) }
