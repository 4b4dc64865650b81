// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import MatterSession
@testable import MatterTestSupport

/// Core 4.4: message header and protocol header.
struct MessageHeaderTests {
    @Test
    func theRecordedRequestOnTheUnsecuredSession() throws {
        let datagram = MessageRecording.unsecured
        let header = try MessageHeader(datagram.span)
        #expect(header == MessageHeader(session: 0, counter: 0x0899_D70F, source: 0xC151_897D_5FA9_606D))
        #expect(header.count == 16 && header.octets == Array(datagram[..<16]))
        let clear = Array(datagram[16...])
        let proto = try ProtocolHeader(clear.span)
        let expected = ProtocolHeader(
            isFromInitiator: true, isReliable: true, opcode: 0x20, exchange: 0x6965, protocolID: 0)
        #expect(proto == expected && proto.octets == Array(clear[..<6]))
        #expect(Array(clear[6...]) == PASERecording.request)
    }

    /// 4.4.1: every form of source and destination.
    @Test(arguments: [
        (MessageHeader(session: 0x3318, counter: 1), "00 1833 00 01000000"),
        (MessageHeader(session: 0, counter: 2, source: 0x0102_0304_0506_0708), "04 0000 00 02000000 0807060504030201"),
        (MessageHeader(session: 0, counter: 2, destination: .node(3)), "01 0000 00 02000000 0300000000000000"),
        (
            MessageHeader(session: 9, counter: 2, source: 1, destination: .group(0x0102)),
            "06 0900 00 02000000 0100000000000000 0201"
        ),
    ])
    func forms(header: MessageHeader, text: String) throws {
        let octets = octets(text)
        #expect(header.octets == octets)
        #expect(try MessageHeader(octets.span) == header)
        for count in octets.indices {
            let part = Array(octets[..<count])
            #expect(throws: MessageFault.truncated) { try MessageHeader(part.span) }
        }
    }

    /// 4.4.1.2: other versions and the reserved destination form are refused; bit 3 is ignored.
    @Test func reservedBits() throws {
        let version = octets("10 0100 00 01000000")
        #expect(throws: MessageFault.unsupportedVersion(1)) { try MessageHeader(version.span) }
        let form = octets("03 0100 00 01000000")
        #expect(throws: MessageFault.reservedDestination) { try MessageHeader(form.span) }
        let reserved = octets("08 0100 00 01000000")
        #expect(try MessageHeader(reserved.span).session == 1)
    }

    /// 4.4.1.3: group sessions, obfuscated headers and control messages are not for this node, reserved types for none.
    @Test(
        arguments: [
            (0x01, MessageFault.unsupported), (0x02, .reservedSessionType(2)), (0x03, .reservedSessionType(3)),
            (0x80, .unsupported), (0x40, .unsupported),
        ] as [(UInt8, MessageFault)])
    func sessionTypes(securityFlags: UInt8, fault: MessageFault) throws {
        let octets: [UInt8] = [0, 1, 0, securityFlags, 1, 0, 0, 0]
        let header = try MessageHeader(octets.span)
        #expect(throws: fault) { try header.requireUnicast() }
    }

    /// 4.4.1.8: message extensions are skipped.
    @Test func messageExtensions() throws {
        let datagram = octets("00 0100 20 01000000 0300 AABBCC 05")
        let header = try MessageHeader(datagram.span)
        #expect(header.count == 13 && header.securityFlags == 0x20)
        #expect(throws: Never.self) { try header.requireUnicast() }
        let long = octets("00 0100 20 01000000 0400 AABBCC")
        #expect(throws: MessageFault.truncated) { try MessageHeader(long.span) }
    }

    /// 4.4.3: vendor, acknowledgement and secured extensions; reserved exchange flags are ignored.
    @Test func protocolHeaderForms() throws {
        let octets = octets("FF 08 3412 0100 F1FF 78563412 0200 AABB 15")
        let header = try ProtocolHeader(octets.span)
        #expect(header.isFromInitiator && header.isReliable && header.acknowledged == 0x1234_5678)
        #expect(header.vendor == 0xFFF1 && header.protocolID == 1 && header.exchange == 0x1234 && header.opcode == 8)
        #expect(header.count == 16)
        for count in 0..<16 {
            let part = Array(octets[..<count])
            #expect(throws: MessageFault.truncated) { try ProtocolHeader(part.span) }
        }
        #expect(header.octets == TestSupport.octets("17 08 3412 0100 F1FF 78563412"))
    }

    @Test func randomOctetsDoNotTrap() {
        var random = SplitMix64(seed: 4)
        for _ in 0..<5_000 {
            let octets = random.octets(Int.random(in: 0...40, using: &random))
            _ = try? MessageHeader(octets.span)
            _ = try? ProtocolHeader(octets.span)
        }
    }
}
