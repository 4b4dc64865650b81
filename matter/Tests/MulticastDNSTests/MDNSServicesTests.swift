// SPDX-License-Identifier: Apache-2.0

import MulticastDNS
import TestSupport
import Testing
import Timekeeping

/// Several services of one host, which come and go: a Matter node that is commissioned (RFC 6762, RFC 6763).
@Suite struct MDNSServicesTests {
    private static let phone = MDNSPeer(address: linkLocal(2))
    private static let commissionable = MDNSService(
        instance: "3A5B0C1D2E3F4051", type: ["_matterc", "_udp"], subtypes: ["_L3840", "_S15", "_CM"], port: 5540,
        text: ["D=3840", "CM=1"], lifetime: 120, isProbed: false)
    private static let operational = MDNSService(
        instance: "87E1B004E235A130-0000000000004001", type: ["_matter", "_tcp"], subtypes: ["_I87E1B004E235A130"],
        port: 5540, text: [], lifetime: 120, isProbed: false)
    private static let host = MDNSHost(
        name: "0200001A2B3C0000",
        networks: [HostNetwork(HostAddress(10, 77, 0, 2), prefix: 24), HostNetwork(linkLocal(1), prefix: 64)],
        isProbed: false)

    private static func linkLocal(_ last: UInt8) -> HostAddress {
        HostAddress([0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [last]) ?? HostAddress(0, 0, 0, 0)
    }

    private static func name(_ labels: String...) throws -> DNSName { try #require(DNSName(labels)) }

    private static func rig(_ services: [MDNSService], host: MDNSHost = host) throws -> MDNSRig {
        try MDNSRig(host, services, in: .everybodyIPv6, peer: phone)
    }

    /// Unique by construction, so that the first packet is the announcement (RFC 6762, 8.1 and 8.3).
    @Test func announcesWithoutProbesIfTheNamesAreUnique() throws {
        var rig = try Self.rig([Self.commissionable])
        let sent = try rig.run()
        #expect(sent.map(\.message.isAnswer) == [true, true])
        #expect(sent.allSatisfy { $0.to == .everybodyIPv6 })
        let instance = try Self.name("3A5B0C1D2E3F4051", "_matterc", "_udp", "local")
        #expect(
            sent[0].message.answers.map(\.name) == [
                try Self.name("_matterc", "_udp", "local"),
                try Self.name("_L3840", "_sub", "_matterc", "_udp", "local"),
                try Self.name("_S15", "_sub", "_matterc", "_udp", "local"),
                try Self.name("_CM", "_sub", "_matterc", "_udp", "local"), instance, instance,
                try Self.name("0200001A2B3C0000", "local"), try Self.name("0200001A2B3C0000", "local"),
            ])
        #expect(sent[0].message.answers.map(\.data.type) == [.ptr, .ptr, .ptr, .ptr, .srv, .txt, .a, .aaaa])
        #expect(sent[0].message.answers.map(\.flushesCache) == [false, false, false, false, true, true, true, true])
        #expect(sent[0].message.answers.allSatisfy { $0.lifetime == 120 })
        #expect(rig.responder.nextEvent() == .announced(instance))
    }

    /// A browser asks for a subtype (RFC 6763, 7.1), of any type as the CHIP controller does.
    @Test(arguments: [DNSType.ptr, .any])
    func aSubtypeIsAnswered(_ type: DNSType) throws {
        var rig = try Self.rig([Self.commissionable, Self.operational])
        _ = try rig.run()
        let sent = try rig.ask(try Self.name("_L3840", "_sub", "_matterc", "_udp", "local"), type)
        let instance = try Self.name("3A5B0C1D2E3F4051", "_matterc", "_udp", "local")
        #expect(sent.first?.message.answers.map(\.data) == [.pointer(instance)])
        #expect(sent.first?.message.additionals.map(\.data.type) == [.srv, .txt, .a, .aaaa])
        #expect(try rig.ask(try Self.name("_L3841", "_sub", "_matterc", "_udp", "local"), type).isEmpty)
    }

    @Test func eachServiceIsFoundByItsOwnType() throws {
        var rig = try Self.rig([Self.commissionable, Self.operational])
        _ = try rig.run()
        let types = try rig.ask(try Self.name("_services", "_dns-sd", "_udp", "local"), .ptr)
        #expect(
            types.first?.message.answers.map(\.data) == [
                .pointer(try Self.name("_matterc", "_udp", "local")),
                .pointer(try Self.name("_matter", "_tcp", "local")),
            ])
        let instance = try Self.name("87E1B004E235A130-0000000000004001", "_matter", "_tcp", "local")
        let sent = try rig.ask(instance, .any)
        let host = try Self.name("0200001A2B3C0000", "local")
        #expect(
            sent.first?.message.answers.map(\.data) == [
                .service(priority: 0, weight: 0, port: 5540, host: host), .text([0]),
            ])
        #expect(sent.first?.message.additionals.map(\.data.type) == [.a, .aaaa])
    }

    /// The unicast bit (RFC 6762, 5.4), over IPv6 from another network's address too, as long as it is the link's.
    @Test func oneIsAnsweredAloneIfItWants() throws {
        var rig = try Self.rig([Self.operational])
        _ = try rig.run()
        let host = try Self.name("0200001A2B3C0000", "local")
        let sent = try rig.ask(host, .aaaa, wantsUnicast: true)
        #expect(sent.map(\.to) == [Self.phone])
        #expect(sent.first?.message.answers.map(\.data) == [.address(Self.linkLocal(1))])
        #expect(sent.first?.message.additionals.map(\.data.type) == [.a])
        let far = MDNSPeer(address: try #require(HostAddress([0x20, 0x01] + [UInt8](repeating: 0, count: 14))))
        #expect(try rig.ask(host, .aaaa, from: far).isEmpty)
        let near = MDNSPeer(address: HostAddress(10, 77, 0, 9))
        #expect(try rig.ask(host, .aaaa, from: near).count == 1)
    }

    /// AddNOC, then the end of the window: one service comes, the other says goodbye (RFC 6762, 10.1), the host stays.
    @Test func servicesComeAndGo() throws {
        var rig = try Self.rig([Self.commissionable])
        _ = try rig.run()
        rig.responder.offer(Self.host, [Self.commissionable, Self.operational], at: rig.now)
        let added = try rig.run()
        #expect(added.count == 2)
        #expect(added[0].message.answers.map(\.data.type) == [.ptr, .ptr, .srv, .txt])
        #expect(added[0].message.answers.allSatisfy { $0.lifetime == 120 })
        rig.responder.offer(Self.host, [Self.operational], at: rig.now)
        let removed = try rig.run()
        #expect(removed.count == 1)
        #expect(removed[0].message.answers.map(\.data.type) == [.ptr, .ptr, .ptr, .ptr, .srv, .txt])
        #expect(removed[0].message.answers.allSatisfy { $0.lifetime == 0 })
        #expect(try rig.ask(try Self.name("_matterc", "_udp", "local"), .ptr).isEmpty)
        #expect(try rig.ask(try Self.name("_matter", "_tcp", "local"), .ptr).count == 1)
    }

    /// Another TXT record of the same instance replaces the former by the cache-flush bit; a subtype that it lost is
    /// withdrawn (RFC 6762, 8.4 and 10.2).
    @Test func aChangedServiceIsAnnouncedAnew() throws {
        var rig = try Self.rig([Self.commissionable])
        _ = try rig.run()
        var changed = Self.commissionable
        changed.text = ["D=3840", "CM=2"]
        changed.subtypes = ["_L3840", "_S15"]
        rig.responder.offer(Self.host, [changed], at: rig.now)
        let sent = try rig.run()
        #expect(sent.count == 3)
        #expect(sent[0].message.answers.map(\.lifetime) == [0])
        #expect(
            sent[0].message.answers.map(\.name) == [try Self.name("_CM", "_sub", "_matterc", "_udp", "local")])
        let text = sent[1].message.answers.first { $0.data.type == .txt }
        #expect(text?.data == .text([6] + Array("D=3840".utf8) + [4] + Array("CM=2".utf8)))
        #expect(text?.flushesCache == true)
        rig.responder.offer(Self.host, [changed], at: rig.now)
        #expect(try rig.run().isEmpty)
    }

    /// No record is multicast twice within a second (RFC 6762, 6), however often the host's addresses change: the set
    /// is announced together when its time has come, and twice (8.3).
    @Test func changesInARowAreASecondApart() throws {
        var rig = try Self.rig([Self.operational])
        _ = try rig.run(for: .milliseconds(10))
        var host = Self.host
        var sent: [MDNSRig.Sent] = []
        for last in 3...9 as ClosedRange<UInt8> {
            host.networks.append(HostNetwork(HostAddress(10, 77, 0, last), prefix: 24))
            rig.responder.offer(host, [Self.operational], at: rig.now)
            sent += try rig.run(for: .milliseconds(100))
        }
        #expect(sent.isEmpty)
        sent = try rig.run()
        #expect(sent.map(\.message.answers.count).max() == 4 + 1 + 8)
        let addresses = sent.filter { $0.message.answers.contains { $0.data.type == .a } }
        #expect(addresses.count == 2)
        #expect(addresses.allSatisfy { $0.message.answers.count { $0.data.type == .a } == 8 })
        #expect(zip(addresses, addresses.dropFirst()).allSatisfy { $1.at - $0.at >= 1000 })
    }

    /// An address that is gone is withdrawn if it was the last of its family, and replaced by the cache-flush bit
    /// otherwise.
    @Test func addressesGo() throws {
        var rig = try Self.rig([Self.operational])
        _ = try rig.run()
        var host = Self.host
        host.networks.removeFirst()
        rig.responder.offer(host, [Self.operational], at: rig.now)
        let sent = try rig.run()
        #expect(sent.first?.message.answers.map(\.data) == [.address(HostAddress(10, 77, 0, 2))])
        #expect(sent.first?.message.answers.map(\.lifetime) == [0])
        #expect(sent.dropFirst().allSatisfy { $0.message.answers.map(\.data) == [.address(Self.linkLocal(1))] })
        #expect(sent.dropFirst().allSatisfy { $0.message.answers.allSatisfy(\.flushesCache) })
    }

    /// A record of another host under a name that is unique by construction changes nothing: nobody silences a node.
    @Test func aUniqueNameIsNotGivenUp() throws {
        var rig = try Self.rig([Self.operational])
        _ = try rig.run()
        var answer = DNSMessage(flags: DNSMessage.answer)
        answer.answers = [
            DNSRecord(
                try Self.name("0200001A2B3C0000", "local"), .address(Self.linkLocal(9)), lifetime: 120,
                flushesCache: true)
        ]
        rig.receive(answer)
        #expect(try rig.run().isEmpty && rig.responder.nextEvent() != .conflict(answer.answers[0].name))
        #expect(try rig.ask(try Self.name("_matter", "_tcp", "local"), .ptr).count == 1)
    }

    /// A probed name that joins later: three probes of its own, while the others are answered.
    @Test func aLaterNameIsProbedFor() throws {
        var rig = try Self.rig([Self.operational])
        _ = try rig.run()
        var probed = Self.commissionable
        probed.isProbed = true
        rig.responder.offer(Self.host, [probed, Self.operational], at: rig.now)
        #expect(
            try rig.ask(try Self.name("_matterc", "_udp", "local"), .ptr).map(\.message.isAnswer).prefix(3) == [
                false, false, false,
            ])
        #expect(try rig.ask(try Self.name("_matterc", "_udp", "local"), .ptr).map(\.message.isAnswer) == [true])
    }

    /// An address family that the host does not have is said to be absent (RFC 6762, 6.1).
    @Test(arguments: [
        (false, DNSType.aaaa, "1030323030303031413242334330303030 056c6f63616c 00 00 01 40"),
        (true, .a, "1030323030303031413242334330303030 056c6f63616c 00 00 04 00000008"),
    ])
    func whatIsNotThereIsSaid(_ isIPv6: Bool, _ type: DNSType, _ data: String) throws {
        var host = Self.host
        host.networks.removeAll { $0.address.isIPv6 != isIPv6 }
        var rig = try Self.rig([Self.operational], host: host)
        _ = try rig.run()
        let sent = try rig.ask(try Self.name("0200001A2B3C0000", "local"), type)
        #expect(sent.first?.message.answers.map(\.data) == [.other(.nsec, octets(data))])
    }

    /// Sixteen fabrics: more than a packet of Ethernet has room for (RFC 6762, 17).
    @Test func manyServicesAreToldInSeveralPackets() throws {
        let services = (0..<16).map { number in
            var service = Self.operational
            service.instance = "87E1B004E235A1\(10 + number)-0000000000004001"
            service.subtypes = ["_I87E1B004E235A1\(10 + number)"]
            return service
        }
        var rig = try Self.rig(services)
        let sent = try rig.run(for: .milliseconds(10))
        #expect(sent.count > 1)
        #expect(sent.allSatisfy { $0.message.octets.count <= 1440 })
        #expect(sent.flatMap(\.message.answers).count == 16 * 4 + 2)
        rig.responder.end()
        #expect(try rig.run().flatMap(\.message.answers).filter { $0.lifetime == 0 }.count == 16 * 4 + 2)
    }
}

extension MDNSRig {
    /// The responses to a question within 5 s.
    fileprivate mutating func ask(
        _ name: DNSName, _ type: DNSType, wantsUnicast: Bool = false, from peer: MDNSPeer? = nil
    ) throws -> [Sent] {
        var message = DNSMessage()
        message.questions = [DNSQuestion(name, type, wantsUnicast: wantsUnicast)]
        return try ask(message, from: peer, within: .seconds(5))
    }
}
