// SPDX-License-Identifier: Apache-2.0

import MulticastDNS
import TestSupport
import Testing
import Timekeeping

private let phone = MDNSPeer(address: HostAddress(192, 168, 0, 2))

extension MDNSRig {
    /// A responder that has begun.
    fileprivate static func begun() throws -> MDNSRig {
        try MDNSRig(
            MDNSHost(name: "wifiprov", networks: [HostNetwork(HostAddress(192, 168, 0, 1), prefix: 24)]),
            [
                MDNSService(
                    instance: "wifiprov", type: ["_http", "_tcp"], port: 443,
                    text: ["txtvers=1", "protovers=1", "linkaddr=02000012AB3C"])
            ], peer: phone)
    }

    /// A responder that has begun, announced, and been idle for a minute.
    fileprivate static func running() throws -> MDNSRig {
        var rig = try begun()
        _ = try rig.run(for: .seconds(60))
        #expect(rig.responder.nextEvent() == .announced(MDNSResponderTests.instance))
        return rig
    }

    /// The responses to questions within 1.5 s.
    fileprivate mutating func ask(
        _ questions: [DNSQuestion], known: [DNSRecord] = [], flags: UInt16 = 0, from peer: MDNSPeer? = nil
    ) throws -> [Sent] {
        var message = DNSMessage(flags: flags)
        message.questions = questions
        message.answers = known
        return try ask(message, from: peer, within: .milliseconds(1500))
    }
}

/// The responder on a virtual clock (RFC 6762).
@Suite struct MDNSResponderTests {
    fileprivate static let instance = DNSName(["wifiprov", "_http", "_tcp", "local"]) ?? DNSName(trap: ())
    private static let host = DNSName(["wifiprov", "local"]) ?? DNSName(trap: ())
    private static let type = DNSName(["_http", "_tcp", "local"]) ?? DNSName(trap: ())

    private static let place = DNSRecord(
        instance, .service(priority: 0, weight: 0, port: 443, host: host), lifetime: 120, flushesCache: true)
    private static let text = DNSRecord(
        instance,
        .text(
            octets(
                "09 747874766572733d31 0b 70726f746f766572733d31 15 6c696e6b616464723d303230303030313241423343")),
        lifetime: 4500, flushesCache: true)
    private static let address = DNSRecord(
        host, .address(HostAddress(192, 168, 0, 1)), lifetime: 120, flushesCache: true)
    private static let pointer = DNSRecord(type, .pointer(instance), lifetime: 4500)

    // MARK: - Probing and announcing (8)

    @Test func probesThreeTimesAndAnnouncesTwice() throws {
        var rig = try MDNSRig.begun()
        let sent = try rig.run(for: .seconds(10))
        let first = sent[0].at
        #expect((0...250).contains(first))
        #expect(sent.map { $0.at - first } == [0, 250, 500, 750, 1750])
        #expect(sent.allSatisfy { $0.to == MDNSPeer(address: HostAddress(224, 0, 0, 251), port: 5353) })
        for probe in sent.prefix(3).map(\.message) {
            #expect(!probe.isAnswer)
            #expect(
                probe.questions == [
                    DNSQuestion(Self.instance, .any, wantsUnicast: true),
                    DNSQuestion(Self.host, .any, wantsUnicast: true),
                ])
            #expect(probe.authorities.map(\.data) == [Self.place.data, Self.text.data, Self.address.data])
            #expect(probe.authorities.allSatisfy { !$0.flushesCache })
        }
        for announcement in sent.suffix(2).map(\.message) {
            #expect(announcement.flags == 0x8400)
            #expect(announcement.answers == [Self.pointer, Self.place, Self.text, Self.address])
        }
    }

    @Test func anotherThatHasTheNameWins() throws {
        for record in [
            DNSRecord(Self.host, .address(HostAddress(192, 168, 0, 9)), lifetime: 120, flushesCache: true),
            DNSRecord(
                Self.host, .address(HostAddress([UInt8](repeating: 1, count: 16)) ?? HostAddress(0, 0, 0, 0)),
                lifetime: 120),
            DNSRecord(Self.instance, .text([0]), lifetime: 4500),
        ] {
            var rig = try MDNSRig.begun()
            _ = try rig.run(for: .milliseconds(400))
            var answer = DNSMessage(flags: DNSMessage.answer)
            answer.answers = [record]
            rig.receive(answer)
            #expect(rig.responder.nextEvent() == .conflict(record.name))
            #expect(try rig.run(for: .seconds(10)).isEmpty)
            #expect(try rig.ask([DNSQuestion(Self.host, .a)]).isEmpty)
        }
    }

    /// Its own packets return, as they do with multicast: neither a probe nor an announcement of its own is a conflict.
    @Test func itsOwnPacketsAreNoConflict() throws {
        var rig = try MDNSRig.begun()
        let own = MDNSPeer(address: HostAddress(192, 168, 0, 1))
        var count = 0
        while let next = rig.responder.deadline, next < .origin + .seconds(10) {
            rig.now = next
            rig.responder.advance(to: next)
            while let packet = rig.responder.nextPacket() {
                count += 1
                rig.responder.receive(packet.octets.span, from: own, at: rig.now, &rig.random)
            }
        }
        #expect(count == 5)
        #expect(rig.responder.nextEvent() == .announced(Self.instance))
        #expect(rig.responder.nextEvent() == nil)
    }

    /// Two hosts probe at once: the data decide, octet by octet (8.2).
    @Test(arguments: [(HostAddress(192, 168, 0, 9), true), (HostAddress(192, 168, 0, 0), false)])
    func whoHasTheLaterDataWins(_ other: HostAddress, _ loses: Bool) throws {
        var rig = try MDNSRig.begun()
        let before = try rig.run(for: .milliseconds(300)).count
        var probe = DNSMessage()
        probe.questions = [DNSQuestion(Self.host, .any)]
        probe.authorities = [DNSRecord(Self.host, .address(other), lifetime: 120)]
        rig.receive(probe)
        let sent = try rig.run(for: .seconds(10))
        // A host that loses waits for a second and starts again.
        #expect((sent.first?.at == 1000) == loses)
        #expect(sent.filter { !$0.message.isAnswer }.count == (loses ? 3 : 3 - before))
    }

    @Test func aNameThatIsTakenLaterIsProbedForAgain() throws {
        var rig = try MDNSRig.running()
        var answer = DNSMessage(flags: DNSMessage.answer)
        answer.answers = [
            DNSRecord(Self.host, .address(HostAddress(192, 168, 0, 9)), lifetime: 120, flushesCache: true)
        ]
        rig.receive(answer)
        let sent = try rig.run(for: .seconds(10))
        #expect(sent.map(\.at) == [0, 250, 500, 750, 1750])
        #expect(sent.map(\.message.isAnswer) == [false, false, false, true, true])
    }

    // MARK: - Answers (6)

    @Test func theTypeIsAnsweredToAllAfterAWhile() throws {
        var rig = try MDNSRig.running()
        let sent = try rig.ask([DNSQuestion(Self.type, .ptr)])
        try #require(sent.count == 1)
        #expect((20...120).contains(sent[0].at))
        #expect(sent[0].to == .everybody)
        #expect(sent[0].message.answers == [Self.pointer])
        #expect(sent[0].message.additionals == [Self.place, Self.text, Self.address])
        #expect(sent[0].message.questions.isEmpty && sent[0].message.identifier == 0)
    }

    @Test func whatIsItsAloneIsAnsweredAtOnce() throws {
        for (question, answers) in [
            (DNSQuestion(Self.instance, .srv), [Self.place]), (DNSQuestion(Self.instance, .txt), [Self.text]),
            (DNSQuestion(Self.host, .a), [Self.address]),
            (DNSQuestion(Self.instance, .any), [Self.place, Self.text]),
            (DNSQuestion(Self.host, .a, classCode: 255), [Self.address]),
            (DNSQuestion(DNSName(["WIFIPROV", "Local"]) ?? Self.host, .a), [Self.address]),
        ] {
            var rig = try MDNSRig.running()
            let sent = try rig.ask([question])
            #expect(sent.map(\.at) == [0])
            #expect(sent.first?.message.answers == answers)
        }
    }

    @Test func theTypesAreToldToo() throws {
        var rig = try MDNSRig.running()
        let types = try #require(DNSName(["_services", "_dns-sd", "_udp", "local"]))
        let sent = try rig.ask([DNSQuestion(types, .ptr)])
        #expect(sent.first?.message.answers == [DNSRecord(types, .pointer(Self.type), lifetime: 4500)])
    }

    /// There is no IPv6 address, and the response says so (6.1).
    @Test func whatIsNotThereIsSaid() throws {
        var rig = try MDNSRig.running()
        let sent = try rig.ask([DNSQuestion(Self.host, .aaaa)])
        #expect(
            sent.first?.message.answers == [
                DNSRecord(
                    Self.host, .other(.nsec, octets("0877696669 70726f76 056c6f63616c 00 00 01 40")), lifetime: 120,
                    flushesCache: true)
            ])
        var other = try MDNSRig.running()
        let instance = try other.ask([DNSQuestion(Self.instance, .a)])
        #expect(instance.first?.message.answers.first?.data.type == .nsec)
    }

    @Test func othersQuestionsAreNotAnswered() throws {
        var rig = try MDNSRig.running()
        let other = try #require(DNSName(["other", "local"]))
        #expect(try rig.ask([DNSQuestion(other, .a), DNSQuestion(Self.type, .srv)]).isEmpty)
        #expect(try rig.ask([DNSQuestion(Self.host, .a, classCode: 3)]).isEmpty)
        // Another operation, a response code, a sender outside this network, a response.
        #expect(try rig.ask([DNSQuestion(Self.host, .a)], flags: 0x2800).isEmpty)
        #expect(try rig.ask([DNSQuestion(Self.host, .a)], flags: 0x0003).isEmpty)
        let far = MDNSPeer(address: HostAddress(192, 168, 1, 2))
        #expect(try rig.ask([DNSQuestion(Self.host, .a)], from: far).isEmpty)
        #expect(try rig.ask([DNSQuestion(Self.host, .a)], flags: 0x8400).isEmpty)
    }

    @Test func whatIsKnownIsNotSaidAgain() throws {
        var rig = try MDNSRig.running()
        var known = Self.pointer
        known.lifetime = 2250
        #expect(try rig.ask([DNSQuestion(Self.type, .ptr)], known: [known]).isEmpty)
        // Known for less than half its life yet (7.1).
        known.lifetime = 2249
        #expect(try rig.ask([DNSQuestion(Self.type, .ptr)], known: [known]).count == 1)
    }

    /// Further known answers come in additional packets (7.2).
    @Test func knownAnswersMayComeLater() throws {
        var rig = try MDNSRig.running()
        var question = DNSMessage(flags: 0x0200)
        question.questions = [DNSQuestion(Self.type, .ptr), DNSQuestion(Self.host, .a)]
        rig.receive(question)
        #expect(try rig.run(for: .milliseconds(300)).isEmpty)
        var more = DNSMessage()
        more.answers = [Self.pointer]
        rig.receive(more, from: MDNSPeer(address: HostAddress(192, 168, 0, 3)))
        rig.receive(more)
        let sent = try rig.run(for: .seconds(1))
        #expect(sent.count == 1)
        #expect((100...200).contains(sent.first?.at ?? 0))
        #expect(sent.first?.message.answers == [Self.address])
    }

    /// An answer that another host has just given to all is not repeated (7.4); one with a shorter lifetime is, and so
    /// is what this host's own multicast brought back.
    @Test(arguments: [(2, 4500, true), (2, 4499, false), (1, 4500, false)] as [(UInt8, UInt32, Bool)])
    func whatAnotherHasSaidIsNotSaidAgain(_ sender: UInt8, _ lifetime: UInt32, _ isSuppressed: Bool) throws {
        var rig = try MDNSRig.running()
        var query = DNSMessage()
        query.questions = [DNSQuestion(Self.type, .ptr)]
        rig.receive(query)
        var answer = DNSMessage(flags: DNSMessage.answer)
        answer.answers = [Self.pointer]
        answer.answers[0].lifetime = lifetime
        rig.receive(answer, from: MDNSPeer(address: HostAddress(192, 168, 0, sender)))
        #expect(try rig.run(for: .seconds(2)).isEmpty == isSuppressed)
    }

    @Test(arguments: [
        ("C0000201", "192.0.2.1"), ("FE8000000000000000000000FE000001", "fe80::fe00:1"),
        ("00000000000000000000000000000000", "::"), ("00000000000000000000000000000001", "::1"),
        ("20010DB8000000000001000000000001", "2001:db8::1:0:0:1"),
        ("20010DB8000100010001000100010001", "2001:db8:1:1:1:1:1:1"),
        ("20010DB8000000010001000100010000", "2001:db8:0:1:1:1:1:0"),
    ])
    func addressesAsText(digits: String, text: String) throws {
        #expect("\(try #require(HostAddress(octets(digits))))" == text)
    }

    @Test func nothingIsToldToAllTwiceInASecond() throws {
        var rig = try MDNSRig.running()
        #expect(try rig.ask([DNSQuestion(Self.host, .a)]).map(\.at) == [0])
        _ = try rig.run(for: .seconds(5))
        rig.receive(
            {
                var query = DNSMessage(); query.questions = [DNSQuestion(Self.host, .a)]; return query
            }())
        _ = try rig.run(for: .milliseconds(100))
        #expect(try rig.ask([DNSQuestion(Self.host, .a)]).map(\.at) == [900])
    }

    /// The unicast bit (5.4): the response goes to the querier alone if the record was multicast within a quarter of
    /// its lifetime.
    @Test func oneIsAnsweredAloneIfHeWants() throws {
        var rig = try MDNSRig.begun()
        _ = try rig.run(for: .seconds(20))
        let question = DNSQuestion(Self.host, .a, wantsUnicast: true)
        #expect(try rig.ask([question]).map(\.to) == [phone])
        _ = try rig.run(for: .seconds(30))
        #expect(try rig.ask([question]).map(\.to) == [.everybody])
    }

    /// Plain DNS from another port (6.7): its identifier and question, short lifetimes, no multicast-only fields.
    @Test func plainDNSIsAnsweredPlainly() throws {
        var rig = try MDNSRig.running()
        let resolver = MDNSPeer(address: HostAddress(192, 168, 0, 2), port: 40_000)
        var question = DNSMessage(identifier: 0x1234, flags: 0x0100)
        question.questions = [DNSQuestion(Self.instance, .srv)]
        rig.receive(question, from: resolver)
        let sent = try rig.run(for: .seconds(2))
        #expect(sent.map(\.to) == [resolver])
        let answer = try #require(sent.first?.message)
        #expect(answer.identifier == 0x1234 && answer.questions == question.questions)
        #expect(answer.answers == [DNSRecord(Self.instance, Self.place.data, lifetime: 10)])
        #expect(answer.additionals == [DNSRecord(Self.host, Self.address.data, lifetime: 10)])
        // No response if there is no record.
        question.questions = [DNSQuestion(Self.host, .aaaa)]
        rig.receive(question, from: resolver)
        #expect(try rig.run(for: .seconds(2)).isEmpty)
    }

    @Test func anothersGoodbyeToItsRecordsIsPutRight() throws {
        var rig = try MDNSRig.running()
        var goodbye = DNSMessage(flags: DNSMessage.answer)
        goodbye.answers = [DNSRecord(Self.host, Self.address.data, lifetime: 0, flushesCache: true)]
        rig.receive(goodbye)
        let sent = try rig.run(for: .seconds(2))
        #expect(sent.map(\.message.answers) == [[Self.address]])
    }

    // MARK: - The end (10.1)

    @Test func saysGoodbye() throws {
        var rig = try MDNSRig.running()
        rig.responder.end()
        let sent = try rig.run(for: .seconds(10))
        #expect(sent.count == 1)
        #expect(sent.first?.message.answers.map(\.lifetime) == [0, 0, 0, 0])
        #expect(
            sent.first?.message.answers.map(\.data) == [Self.pointer, Self.place, Self.text, Self.address].map(\.data))
        #expect(try rig.ask([DNSQuestion(Self.host, .a)]).isEmpty)
    }

    @Test func whoHasNotAnnouncedSaysNoGoodbye() throws {
        var rig = try MDNSRig.begun()
        _ = try rig.run(for: .milliseconds(400))
        rig.responder.end()
        #expect(try rig.run(for: .seconds(10)).isEmpty)
    }

    @Test func isSilentAsIfSwitchedOff() throws {
        var rig = try MDNSRig.running()
        rig.responder.silence()
        #expect(try rig.ask([DNSQuestion(Self.host, .a)]).isEmpty)
    }

    @Test func namesThatAreTooLongAreNotTold() {
        for (instance, text) in [(String(repeating: "a", count: 64), "a"), ("a", String(repeating: "a", count: 256))] {
            #expect(
                MDNSResponder(
                    MDNSHost(name: "a", networks: []),
                    [MDNSService(instance: instance, type: ["_http", "_tcp"], port: 1, text: [text])]) == nil)
        }
    }

    @Test func aFloodOfQuestionsLeadsToFewAnswers() throws {
        var rig = try MDNSRig.running()
        for number in 0..<1000 {
            var query = DNSMessage()
            query.questions = [DNSQuestion(Self.type, .ptr), DNSQuestion(Self.host, .a)]
            rig.receive(query, from: MDNSPeer(address: HostAddress(192, 168, 0, UInt8(number % 250))))
        }
        #expect(try rig.run(for: .seconds(5)).count <= 4)
    }
}

extension DNSName {
    /// For names in the tests, which are valid.
    fileprivate init(trap: Void) { preconditionFailure("no name") }
}
