// SPDX-License-Identifier: Apache-2.0

import Protobuf
import Testing

@testable import PacketStreamer

/// Octets of Bumble's messages (bumble/transport/grpc_protobuf/netsim), and made from the schemas of AOSP's netsim.
@Suite struct StreamMessagesTests {
    private func request(_ octets: [UInt8]) throws(ProtobufError) -> StreamRequest {
        try StreamRequest(decoding: octets.span)
    }

    @Test func theLeastInitialInfoHasAKind() throws {
        #expect(try request([0x0A, 0x04, 0x12, 0x02, 0x08, 0x01]) == .chip(ChipInfo(kind: .bluetooth, name: "")))
        #expect(try request([0x0A, 0x04, 0x12, 0x02, 0x08, 0x03]) == .chip(ChipInfo(kind: .uwb, name: "")))
        #expect(try request([0x0A, 0x00]) == .chip(ChipInfo(kind: .unspecified, name: "")))
        #expect(try request([0x0A, 0x04, 0x12, 0x02, 0x08, 0x7F]) == .chip(ChipInfo(kind: nil, name: "")))
    }

    @Test func theNameIsTheDevices() throws {
        // name "a", chip { kind, manufacturer "B" }, device_info { name "c\u{1B}" }
        let octets: [UInt8] = [
            0x0A, 0x10, 0x0A, 0x01, 0x61, 0x12, 0x05, 0x08, 0x01, 0x1A, 0x01, 0x42, 0x1A, 0x04, 0x0A, 0x02, 0x63, 0x1B,
        ]
        #expect(try request(octets) == .chip(ChipInfo(kind: .bluetooth, name: "c\\u{1b}")))
        #expect(
            try request([0x0A, 0x07, 0x0A, 0x01, 0x61, 0x12, 0x02, 0x08, 0x01])
                == .chip(ChipInfo(kind: .bluetooth, name: "a")))
        let long: [UInt8] = [0x0A, 0x5C, 0x0A, 0x5A] + [UInt8](repeating: 0x78, count: 90)
        #expect(
            try request(long)
                == .chip(ChipInfo(kind: .unspecified, name: String(repeating: "x", count: ChipInfo.maximumNameCount))))
    }

    @Test func aPacketHasItsTypeInFront() throws {
        let reset: [UInt8] = [0x12, 0x07, 0x08, 0x01, 0x12, 0x03, 0x03, 0x0C, 0x00]
        #expect(try request(reset) == .hci([0x01, 0x03, 0x0C, 0x00]))
        // In the other order of fields; without a type; without octets.
        #expect(try request([0x12, 0x07, 0x12, 0x03, 0x03, 0x0C, 0x00, 0x08, 0x01]) == .hci([0x01, 0x03, 0x0C, 0x00]))
        #expect(try request([0x12, 0x03, 0x12, 0x01, 0x05]) == .hci([0x00, 0x05]))
        #expect(try request([0x12, 0x00]) == .hci([0x00]))
        #expect(throws: ProtobufError.outOfRange(field: 1)) { try request([0x12, 0x03, 0x08, 0x80, 0x02]) }
    }

    @Test func theLastMemberOfTheOneofCounts() throws {
        #expect(try request([]) == .empty)
        #expect(try request([0x1A, 0x01, 0x55]) == .other)
        #expect(try request([0x1A, 0x01, 0x55, 0x12, 0x00]) == .hci([0x00]))
        // An unknown field.
        #expect(try request([0x20, 0x01]) == .empty)
    }

    @Test func everyPrefixIsAMessageOrAnError() {
        let octets: [UInt8] = [
            0x0A, 0x10, 0x0A, 0x01, 0x61, 0x12, 0x05, 0x08, 0x01, 0x1A, 0x01, 0x42, 0x1A, 0x04, 0x0A, 0x02, 0x63, 0x1B,
        ]
        for count in 1..<octets.count {
            #expect(throws: ProtobufError.self) { try request(Array(octets[..<count])) }
        }
        for octet in UInt8.min...UInt8.max {
            for index in octets.indices {
                var changed = octets
                changed[index] = octet
                _ = try? request(changed)
            }
        }
    }

    @Test func responsesAreThoseOfNetsim() {
        let complete: [UInt8] = [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]
        #expect(
            StreamResponse.hci(complete).framed
                == [0, 0, 0, 0, 12, 0x12, 0x0A, 0x08, 0x04, 0x12, 0x06, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00])
        #expect(StreamResponse.error("no").framed == [0, 0, 0, 0, 4, 0x0A, 0x02, 0x6E, 0x6F])
        // A length of two octets.
        let long = StreamResponse.hci([0x02] + [UInt8](repeating: 9, count: 300)).framed
        #expect(long.prefix(13) == [0, 0, 0, 0x01, 0x34, 0x12, 0xB1, 0x02, 0x08, 0x02, 0x12, 0xAC, 0x02])
        #expect(long.count == 313)
    }
}
