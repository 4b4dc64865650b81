// SPDX-License-Identifier: Apache-2.0

import MatterHost
import MulticastDNS
import TestSupport
import Testing

/// Interfaces and addresses by messages of rtnetlink(7), as a kernel of Linux 6.18 sent them; attributes of no interest
/// are left out of those about interfaces.
struct NetworkTableTests {
    /// d0, number 3, MULTICAST | BROADCAST, down; up without a carrier; up and running.
    private static let down = link("02100000")
    private static let withoutCarrier = link("03100100")
    private static let up = link("43100100")
    private static let removed = "34000000 1100 0000 00000000 00000000" + body("02100000")

    private static func link(_ flags: String) -> String { "34000000 1000 0000 00000000 00000000" + body(flags) }
    private static func body(_ flags: String) -> String {
        "00000100 03000000 \(flags) 00000000 07000300 64300000 0a000100 020000000001 0000"
    }

    private static let ipv4 =
        "4c00000014000000b5e2096b2e290000021880000300000008000100c000020508000200c0000205070003006430000008000800"
        + "8000000014000600ffffffffffffffffe5b50700e5b50700"
    private static let noIPv4 =
        "4c00000015000000b7e2096b4b290000021880000300000008000100c000020508000200c0000205070003006430000008000800"
        + "8000000014000600ffffffffffffffffe5b50700e5b50700"
    private static let ipv6 = linkLocal("80")
    /// The flags with IFA_F_TENTATIVE and with IFA_F_DADFAILED.
    private static let tentative = linkLocal("c0")
    private static let duplicate = linkLocal("88")

    private static func linkLocal(_ flags: String) -> String {
        "500000001400000000000000000000000a40\(flags)fd0300000014000100fe80000000000000000000fffe00000114000600ffffffff"
            + "ffffffffc6b50700c6b5070008000800\(flags)00000005000b0003000000"
    }

    private static func table(_ messages: String...) throws -> NetworkTable {
        var table = NetworkTable()
        for message in messages { try table.receive(octets(message).span) }
        return table
    }

    private static func texts(_ messages: String...) throws -> [String] {
        var table = NetworkTable()
        for message in messages { try table.receive(octets(message).span) }
        return table.interfaces.map(\.text)
    }

    @Test
    func anInterfaceWithItsAddresses() throws {
        let interface = try #require(try Self.table(Self.up, Self.ipv6, Self.ipv4).interfaces.first)
        #expect(interface.name == "d0" && interface.index == 3 && !interface.isLoopback)
        #expect(interface.hardwareAddress == [2, 0, 0, 0, 0, 1])
        #expect(interface.networks.map(\.prefix) == [24, 64])
        #expect(interface.text == "d0 (192.0.2.5, fe80::ff:fe00:1)")
    }

    /// Up, connected, and the addresses that can be used: not while duplicates are looked for, nor one that is another
    /// host's.
    @Test
    func whatCanBeUsed() throws {
        #expect(try Self.texts(Self.down, Self.ipv4).isEmpty)
        #expect(try Self.texts(Self.withoutCarrier, Self.ipv4).isEmpty)
        #expect(try Self.texts(Self.up) == ["d0"])
        #expect(try Self.texts(Self.up, Self.tentative) == ["d0"])
        #expect(try Self.texts(Self.up, Self.duplicate) == ["d0"])
        #expect(try Self.texts(Self.up, Self.tentative, Self.ipv6) == ["d0 (fe80::ff:fe00:1)"])
        #expect(try Self.texts(Self.up, Self.ipv4, Self.noIPv4) == ["d0"])
        #expect(try Self.texts(Self.up, Self.ipv4, Self.removed).isEmpty)
        // An address before its interface, as between the two answers.
        #expect(try Self.texts(Self.ipv4, Self.up) == ["d0 (192.0.2.5)"])
    }

    /// That a port leaves its bridge is told as the end of an interface, in another family.
    @Test
    func theEndOfABridgePortIsNoEnd() throws {
        var port = octets(Self.removed)
        port[16] = 7
        var table = try Self.table(Self.up, Self.ipv4)
        try table.receive(port.span)
        #expect(table.interfaces.map(\.text) == ["d0 (192.0.2.5)"])
    }

    /// Each connection counts, also over a comparison with the kernel.
    @Test
    func connections() throws {
        var table = try Self.table(Self.up, Self.ipv4)
        #expect(table.interfaces.map(\.connections) == [1])
        try table.receive(octets(Self.withoutCarrier + Self.up).span)
        #expect(table.interfaces.map(\.connections) == [2])
        var again = NetworkTable(after: table)
        #expect(again.interfaces.isEmpty)
        #expect(try again.receive(octets(Self.up + "14000000 0300 0200 00000000 00000000 00000000").span) == .complete)
        #expect(again.interfaces.map(\.connections) == [2])
        // Removed meanwhile: the next of this number begins.
        again = NetworkTable(after: table)
        let other = Self.up.replacing("00000100 03000000", with: "00000100 04000000")
        try again.receive(octets(other + "14000000 0300 0200 00000000 00000000 00000000").span)
        again = NetworkTable(after: again)
        try again.receive(octets(Self.up).span)
        #expect(again.interfaces.map(\.connections) == [1])
    }

    @Test
    func endsOfAnswers() throws {
        var table = NetworkTable()
        #expect(try table.receive(octets(Self.up).span) == nil)
        #expect(try table.receive(octets("14000000 0300 0200 01000000 00000000 00000000").span) == .complete)
        // NLM_F_DUMP_INTR; NLMSG_ERROR.
        #expect(try table.receive(octets("14000000 0300 1200 01000000 00000000 00000000").span) == .interrupted)
        #expect(try table.receive(octets("14000000 0200 0000 01000000 00000000 f0ffffff").span) == .interrupted)
    }

    /// Octets that end anywhere are refused, or say less; none traps.
    @Test
    func cutAnywhere() throws {
        for message in [Self.up, Self.ipv4, Self.ipv6, Self.removed] {
            let whole = octets(message)
            for count in whole.indices {
                var table = try Self.table(Self.up)
                let cut = Array(whole[..<count])
                _ = try? table.receive(cut.span)
                // A header that announces less than it brings.
                var short = whole
                short[0] = UInt8(count & 0xFF)
                _ = try? table.receive(short.span)
            }
        }
        var table = NetworkTable()
        let short = Array(octets(Self.up).dropLast())
        #expect(throws: NetworkTable.Fault.truncated(offset: 0)) { try table.receive(short.span) }
        #expect(throws: NetworkTable.Fault.truncated(offset: 0)) {
            try table.receive(octets("0f000000 1000 0000 00000000 00000000").span)
        }
        // An attribute shorter than its own header.
        #expect(throws: NetworkTable.Fault.truncated(offset: 0)) {
            try table.receive(
                octets("24000000 1000 0000 00000000 00000000 00000100 03000000 43100100 00000000 03000300").span)
        }
    }

    @Test
    func tooManyAreRefused() throws {
        var table = NetworkTable()
        var message = octets(Self.up)
        #expect(throws: NetworkTable.Fault.tooMany) {
            for number in 0...UInt16(NetworkTable.linkLimit) {
                (message[20], message[21]) = (UInt8(number & 0xFF), UInt8(number >> 8))
                try table.receive(message.span)
            }
        }
    }

    /// The kernel of this machine: the loopback interface, if nothing else.
    @Test
    func theKernelsInterfaces() throws {
        let follower = try NetworkFollower()
        #expect(follower.interfaces.contains { $0.name == "lo" && $0.isLoopback && $0.has(isIPv6: false) })
        let before = follower.interfaces
        follower.compare()
        follower.ready()
        #expect(follower.interfaces == before)
    }
}
