// SPDX-License-Identifier: Apache-2.0

import MulticastDNS
import TestSupport
import Testing

/// Messages of multicast DNS (RFC 1035, 4.1; RFC 6762, 18).
@Suite struct DNSMessageTests {
    private static func name(_ labels: String...) throws -> DNSName { try #require(DNSName(labels)) }

    /// The question for `_http._tcp.local`, PTR, as a browser sends it.
    static let browse = octets("0000 0000 0001 0000 0000 0000 055f68747470 045f746370 056c6f63616c 00 000c 0001")

    private static func error(_ octets: [UInt8]) -> DNSError? {
        thrown { () throws(DNSError) in _ = try DNSMessage(octets.span) }
    }

    @Test func aQuestionIsReadAndWritten() throws {
        let message = try DNSMessage(Self.browse.span)
        #expect(message.questions == [DNSQuestion(try Self.name("_http", "_tcp", "local"), .ptr)])
        #expect(!message.isAnswer && !message.isTruncated && message.isStandard)
        #expect(message.octets == Self.browse)
    }

    @Test func endingsAreWrittenOnce() throws {
        var message = DNSMessage(flags: DNSMessage.answer)
        let type = try Self.name("_http", "_tcp", "local")
        let instance = try Self.name("wifiprov", "_http", "_tcp", "local")
        let host = try Self.name("wifiprov", "local")
        message.answers = [
            DNSRecord(type, .pointer(instance), lifetime: 4500),
            DNSRecord(
                instance, .service(priority: 0, weight: 0, port: 443, host: host), lifetime: 120, flushesCache: true),
            DNSRecord(host, .address(HostAddress(192, 168, 0, 1)), lifetime: 120, flushesCache: true),
        ]
        let wanted = octets(
            "0000 8400 0000 0003 0000 0000"
                + "055f68747470 045f746370 056c6f63616c 00 000c 0001 00001194 000b 087769666970726f76 c00c"
                + "c028 0021 8001 00000078 0011 0000 0000 01bb 087769666970726f76 c017"
                + "c045 0001 8001 00000078 0004 c0a80001")
        #expect(hex(message.octets) == hex(wanted))
        #expect(try DNSMessage(wanted.span) == message)
    }

    @Test func namesAreTheSameInEitherCase() throws {
        #expect(try Self.name("WifiProv", "LOCAL") == Self.name("wifiprov", "local"))
        #expect(try Self.name("wifiprov", "local").hashValue == Self.name("WIFIPROV", "local").hashValue)
        #expect(try Self.name("a", "b") != Self.name("ab"))
        #expect(try Self.name("wifiprov", "local").description == "wifiprov.local.")
    }

    @Test func namesHaveLimits() {
        let label = String(repeating: "a", count: 63)
        #expect(DNSName([label, label, label, String(repeating: "a", count: 61)])?.octets.count == 255)
        #expect(DNSName([label, label, label, String(repeating: "a", count: 62)]) == nil)
        #expect(DNSName([label + "a"]) == nil)
        #expect(DNSName([""]) == nil)
    }

    @Test func everyMessageThatIsCutIsRefused() {
        for count in 0..<Self.browse.count {
            #expect(Self.error(Array(Self.browse.prefix(count))) != nil, "\(count)")
        }
        #expect(Self.error(Self.browse + [0]) == .trailing(offset: Self.browse.count))
    }

    /// A pointer must refer to preceding octets, which excludes loops.
    @Test(arguments: [
        ("c00c", 12), ("c00d", 12), ("c0ff", 12), ("0161c00c", 14), ("0161c00e", 14),
    ])
    func pointersLeadBack(_ name: String, _ offset: Int) {
        let message = octets("0000 0000 0001 0000 0000 0000" + name + "000c 0001")
        #expect(Self.error(message) == .pointerForward(offset: offset))
    }

    @Test func twoPointersThatLeadToEachOtherAreRefused() {
        // The second question's name leads to the first one's, which leads to the second.
        let message = octets("0000 0000 0002 0000 0000 0000 c012 0001 0001 c00c 0001 0001")
        #expect(Self.error(message) == .pointerForward(offset: 12))
    }

    @Test func labelsOfOtherKindsAreRefused() {
        for kind in ["40", "80", "bf"] {
            let message = octets("0000 0000 0001 0000 0000 0000" + kind + "00 000c 0001")
            #expect(Self.error(message) == .unknownLabel(offset: 12))
        }
    }

    @Test func namesThatArePutTogetherFromPiecesHaveALimitToo() {
        // Each question's name is a label of 63 and a pointer to the one before: the fourth has 257.
        var message = octets("0000 0000 0004 0000 0000 0000")
        var before: Int?
        for _ in 0..<4 {
            let at = message.count
            message += [63] + [UInt8](repeating: 0x61, count: 63)
            message += before.map { [0xC0, UInt8($0)] } ?? [0]
            message += octets("0001 0001")
            before = at
        }
        #expect(Self.error(message) == .nameTooLong(offset: before ?? 0))
    }

    @Test func numbersOfRecordsAreNotBelieved() {
        #expect(Self.error(octets("0000 0000 ffff ffff ffff ffff")) == .tooMany(count: 262_140))
        #expect(Self.error(octets("0000 0000 0000 0001 0000 0000")) == .truncated(offset: 12))
        #expect(Self.error([UInt8](repeating: 0, count: 9001)) == .tooLong(count: 9001))
    }

    @Test(
        arguments: [
            // An address of five octets, and one of three.
            ("0001", "0005 c0a8000100", DNSError.wrongLength(offset: 23)),
            ("0001", "0003 c0a800", .wrongLength(offset: 23)),
            // An IPv6 address of four octets.
            ("001c", "0004 c0a80001", .wrongLength(offset: 23)),
            // A name with trailing octets; a service without a name.
            ("000c", "0002 0000", .wrongLength(offset: 23)), ("0021", "0006 0000 0000 01bb", .truncated(offset: 29)),
            // Longer than the message.
            ("0010", "0002 00", .truncated(offset: 23)),
        ] as [(String, String, DNSError)])
    func dataHasTheLengthOfItsType(_ type: String, _ data: String, _ error: DNSError) {
        let head = "0000 8400 0000 0001 0000 0000 00" + type + "0001 00000078"
        #expect(Self.error(octets(head + data)) == error)
    }

    @Test func dataThatReadsBeyondItsEndIsRefused() {
        // The name begins in the data and ends after it, in the next record's name.
        let message = octets(
            "0000 8400 0000 0002 0000 0000 00 000c 0001 00000078 0001 01 61 00 0001 0001 00000078 0000")
        #expect(Self.error(message) == .wrongLength(offset: 23))
    }
}
