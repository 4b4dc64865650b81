// SPDX-License-Identifier: Apache-2.0

import Contactless
import Emulation
import TestSupport
import Testing
import Timekeeping

@testable import ContactlessAir

/// Fields with the cards of other processes, on a virtual clock.
@Suite struct FieldSessionTests {
    private let rig = Rig()
    private let card: CardActivation

    init() throws { card = try CardActivation(identifier: [0x08, 1, 2, 3]) }

    @Test("A card is met by the reader whose field it is in, and by no other")
    func place() throws {
        try rig.session.join("anna", card)
        #expect(try rig.session.move("anna", to: .near(reader: "front", .lasting), at: .origin) == "anna: near front")
        rig.command("4a0100", from: 1)
        #expect(!rig.events().contains(.activated("anna")))
        rig.command("4a0100", from: 0)
        #expect(rig.events().contains(.activated("anna")))
        #expect(try rig.session.move("anna", to: .away, at: .origin) == "anna: away")
        #expect(rig.events() == [.released("anna"), .away("anna")])
    }

    @Test("A card that moves to another field leaves the first")
    func moves() throws {
        try rig.session.join("anna", card)
        _ = try rig.session.move("anna", to: .near(reader: "front", .lasting), at: .origin)
        _ = try rig.session.move("anna", to: .near(reader: "back", .lasting), at: .origin)
        #expect(rig.events() == [.joined("anna"), .near("anna"), .away("anna"), .near("anna")])
        #expect(rig.session.places.map(\.reader) == ["back"])
    }

    @Test("A stay ends after its time")
    func limited() throws {
        try rig.session.join("anna", card)
        _ = try rig.session.move("anna", to: .near(reader: "front", .limited(.seconds(3))), at: .origin)
        #expect(rig.session.deadline == .origin + .seconds(3))
        rig.session.advance(to: .origin + .milliseconds(2999))
        #expect(rig.session.places.map(\.reader) == ["front"])
        rig.session.advance(to: .origin + .seconds(3))
        #expect(rig.session.places.map(\.reader) == [nil])
        #expect(rig.session.deadline == nil)
    }

    @Test("A card leaves in a command, and after one")
    func middle() throws {
        try rig.session.join("anna", card)
        _ = try rig.session.move("anna", to: .near(reader: "front", .during(command: 2)), at: .origin)
        rig.command("4a0100")
        rig.command("400100a4")
        #expect(rig.lines() == [.activated("front"), .command(number: 1, [0x00, 0xA4])])
        rig.session.respond("anna", [0x90, 0x00], number: 1, at: .origin)
        rig.command("400100b0")
        #expect(rig.lines() == [.released])
        #expect(rig.session.places.map(\.reader) == [nil])
        _ = try rig.session.move("anna", to: .near(reader: "front", .after(command: 1)), at: .origin)
        rig.command("4a0100")
        rig.command("400100a4")
        rig.session.respond("anna", [0x90, 0x00], number: 3, at: .origin)
        #expect(rig.session.places.map(\.reader) == [nil])
    }

    @Test("A response without its command has no effect")
    func late() throws {
        try rig.session.join("anna", card)
        rig.session.respond("anna", [0x90, 0x00], number: 1, at: .origin)
        _ = try rig.session.move("anna", to: .near(reader: "front", .lasting), at: .origin)
        rig.command("4a0100")
        rig.command("400100a4")
        _ = rig.session.takeEffects()
        rig.session.respond("anna", [0x90, 0x00], number: 2, at: .origin)
        rig.session.respond("bert", [0x90, 0x00], number: 1, at: .origin)
        #expect(rig.session.takeEffects().isEmpty)
        rig.session.advance(to: .origin + .seconds(1))
        // The chip has reported its time-out.
        _ = rig.session.takeEffects()
        rig.session.respond("anna", [0x90, 0x00], number: 1, at: .origin + .seconds(1))
        #expect(rig.session.takeEffects() == [.event(0, .silence("anna", command: [0x00, 0xA4]))])
    }

    @Test("A process that disconnects takes its card out of the field")
    func parts() throws {
        try rig.session.join("anna", card)
        _ = try rig.session.move("anna", to: .near(reader: "front", .lasting), at: .origin)
        rig.command("4a0100")
        _ = rig.session.takeEffects()
        rig.session.part("anna", at: .origin)
        #expect(rig.events() == [.released("anna"), .away("anna"), .gone("anna")])
        rig.command("4a0100")
        #expect(!rig.events().contains(.activated("anna")))
    }

    @Test("Limits and names")
    func limits() throws {
        try rig.session.join("anna", card)
        #expect(throws: CommandFault.self) { try rig.session.join("anna", card) }
        #expect(throws: CommandFault.self) { try rig.session.move("bert", to: .away, at: .origin) }
        #expect(throws: CommandFault.self) {
            try rig.session.move("anna", to: .near(reader: nil, .lasting), at: .origin)
        }
        #expect(throws: CommandFault.self) {
            try rig.session.move("anna", to: .near(reader: "side", .lasting), at: .origin)
        }
        for number in 1..<FieldSession.cardLimit { try rig.session.join("card-\(number)", card) }
        #expect(throws: CommandFault.self) { try rig.session.join("last", card) }
    }

    @Test(
        "Lines of cards, parsed and written",
        arguments: [
            "card anna id=08010203 type=a sak=20 ats=78807002", "card b id=11223344 type=b sak=20", "near", "away",
            "near front", "near front 3000ms", "near front during 2", "near during 2", "near front after 1",
            "response 7 9000", "ok", "error no such card", "activated front", "command 3 00A40400", "released",
        ])
    func lines(_ text: String) throws {
        #expect(try CardLine(text).text.uppercased() == text.uppercased())
    }

    @Test(
        "Lines that are none",
        arguments: [
            "", "card", "card anna", "card anna id=0801", "card anna id=08010203 id=08010203", "card an/na id=08010203",
            "card anna id=08010203 sak=2020", "card anna id=08010203 type=f", "card anna id=0801020g", "near front 0s",
            "near front during", "near front during 0", "near front since 3", "near a b c d", "away front",
            "response 7", "response -1 9000", "response 7 900", "hello",
        ])
    func faults(_ text: String) {
        #expect(throws: CommandFault.self) { try CardLine(text) }
    }

    @Test("Options of the air")
    func options() throws {
        #expect(try FieldPlan.parse(nfc: [], field: nil) == nil)
        let plan = try FieldPlan.parse(nfc: ["front=pty:/tmp/a", "back=pty:b"], field: "unix:/tmp/f")
        #expect(plan?.readers.map(\.name) == ["front", "back"])
        #expect(plan?.socket == "/tmp/f")
        for (nfc, field) in [
            (["front=pty:/tmp/a"], nil), ([], "unix:/tmp/f"), (["front"], "unix:/tmp/f"),
            (["front=tcp:1"], "unix:/tmp/f"), (["a=pty:x", "a=pty:y"], "unix:/tmp/f"), (["a=pty:"], "unix:/tmp/f"),
            (["a=pty:x"], "/tmp/f"),
        ] as [([String], String?)] {
            #expect(throws: CommandFault.self) { try FieldPlan.parse(nfc: nfc, field: field) }
        }
    }
}

/// Two readers and their fields.
private final class Rig {
    var session = FieldSession(readers: ["front", "back"])

    /// A command of a chip's host in its frame (UM0701-02, 6.2.1).
    func command(_ text: String, from reader: Int = 0, at now: Instant = .origin) {
        let data = [0xD4] + octets(text)
        let sum = data.reduce(0 as UInt8) { $0 &+ $1 }
        let frame = [0x00, 0x00, 0xFF, UInt8(data.count), 0 &- UInt8(data.count)] + data + [0 &- sum, 0x00]
        session.receive(frame.span, from: reader, at: now)
    }

    func events() -> [FieldEvent] {
        session.takeEffects().compactMap { if case .event(_, let event) = $0 { event } else { nil } }
    }

    func lines() -> [CardLine] {
        session.takeEffects().compactMap { if case .card(_, let line) = $0 { line } else { nil } }
    }
}
