// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Fleet

/// Each reason code of MQTT 5 (2.4) has the advice that fits it.
@Suite struct LinkFailureTests {
    /// The faults of every code of a failure in CONNACK, DISCONNECT, SUBACK and PUBACK (Table 2-6).
    private static let table: [(code: UInt8, refused: LinkFault, ended: LinkFault)] = [
        (0x80, .refused, .lost), (0x81, .violation, .violation), (0x82, .violation, .violation),
        (0x83, .refused, .lost), (0x84, .oldProtocol, .oldProtocol), (0x85, .refused, .refused),
        (0x86, .refused, .refused), (0x87, .refused, .refused), (0x88, .unreachable, .unreachable),
        (0x89, .unreachable, .unreachable), (0x8A, .refused, .refused), (0x8B, .unreachable, .unreachable),
        (0x8C, .refused, .refused), (0x8D, .lost, .lost), (0x8E, .identityTwice, .identityTwice),
        (0x8F, .limit, .limit), (0x90, .limit, .limit), (0x91, .violation, .violation), (0x92, .violation, .violation),
        (0x93, .violation, .violation), (0x94, .violation, .violation), (0x95, .limit, .limit), (0x96, .limit, .limit),
        (0x97, .limit, .limit), (0x98, .lost, .lost), (0x99, .violation, .violation), (0x9A, .limit, .limit),
        (0x9B, .limit, .limit), (0x9C, .unreachable, .unreachable), (0x9D, .unreachable, .unreachable),
        (0x9E, .limit, .limit), (0x9F, .limit, .limit), (0xA0, .limit, .limit), (0xA1, .limit, .limit),
        (0xA2, .limit, .limit),
    ]

    @Test func everyCodeHasItsFault() {
        #expect(Self.table.map(\.code) == Array(0x80...0xA2))
        for (code, refused, ended) in Self.table {
            #expect(MQTTReason(code).name != nil)
            #expect(LinkFailure("b", MQTTReason(code), refused: true).fault == refused, "\(code)")
            #expect(LinkFailure("b", MQTTReason(code), refused: false).fault == ended, "\(code)")
        }
        // A code that the specification does not have, and the end without a failure.
        #expect(LinkFailure("b", MQTTReason(0xFF), refused: true).fault == .refused)
        #expect(LinkFailure("b", .success, refused: false).fault == .lost)
    }

    @Test func adviceIsForItsReasonOnly() {
        var (enrolment, others, sizes): (Set<UInt8>, Set<UInt8>, Set<UInt8>) = ([], [], [])
        for code in UInt8(0x80)...0xFF {
            for refused in [true, false] {
                let failure = LinkFailure("mqtt.example:8883", MQTTReason(code), refused: refused)
                #expect(failure.text.contains("reason \(code)") && !failure.text.contains("\n"))
                #expect(failure.text.utf8.count <= FleetLimits.textCount, "the reader takes no longer text")
                #expect(!failure.isUnexplained && failure.reason == MQTTReason(code))
                if failure.text.contains("enrol it") && failure.fault == .refused { enrolment.insert(code) }
                if failure.text.contains("another client") { others.insert(code) }
                if failure.text.contains("max_packet_size") { sizes.insert(code) }
            }
        }
        #expect(enrolment == [0x85, 0x86, 0x87, 0x8A, 0x8C])
        #expect(others == [0x8E])
        #expect(sizes == [0x95])
    }

    @Test func theServerThatIsNamedIsInTheText() {
        let failure = LinkFailure("b:1", MQTTReason(0x9D), refused: true, reference: "c.example")
        #expect(
            failure.text
                == "b:1 refuses this reader, reason 157, server moved (c.example): name the other server with --broker")
    }
}
