// SPDX-License-Identifier: Apache-2.0

import Crypto
import MatterCredentials
import MatterInteraction
import MatterTLV
import Octets
import TestSupport
import Testing
import Timekeeping

@testable import MatterNode
@testable import MatterSession
@testable import MatterTestSupport

/// Aliro of a lock whose program decides: a change is in force when the program has stored it.
struct AliroProgramTests {
    private static var traits: LockTraits {
        var traits = LockTraits()
        traits.hasAliro = true
        traits.asksProgram = true
        return traits
    }

    private static let endpoint = "{0=0 1={0=7 1=1} 2=h\"\(AliroPoints.two)\" 3=null 4=null 5=null}"

    /// A commissioned lock whose program has the first updates.
    private func lock() throws -> (NodeRig, Controller) {
        var (rig, controller) = try NodeRig.commissionedLock(Self.traits)
        #expect(rig.aliro.map { Self.text($0.update) } == ["clear", "keys "])
        rig.aliro = []
        #expect(try controller.read(&rig, 1, 0x101, 0x80) == "null")
        return (rig, controller)
    }

    private static func text(_ update: AliroUpdate) -> String {
        switch update {
        case .configure(let reader, let key):
            "configure \(Hexadecimal.text(reader.verificationKey)) \(Hexadecimal.text(key.octets))"
        case .clear: "clear"
        case .keys(let keys):
            "keys "
                + keys.map { "\($0.kind.rawValue)/\($0.index)/\($0.user)\($0.isGranted ? "*" : "")" }
                .joined(separator: " ")
        }
    }

    @Test
    func aConfigurationIsStoredFirst() throws {
        var (rig, controller) = try lock()
        #expect(try controller.invoke(&rig, 1, 0x101, 0x28, AliroPoints.configuration, timed: true) == nil)
        let request = try #require(rig.aliro.first)
        #expect(Self.text(request.update) == "configure \(AliroPoints.one) \(AliroPoints.scalar)")
        #expect(request.author?.fabric == 1)
        #expect(rig.node.model.state.users.reader == nil)
        var other = controller
        #expect(try other.invoke(&rig, 1, 0x101, 0x29, timed: true) == "status 156")
        rig.input { $0.answer(aliro: request.id, .done, at: $1) }
        #expect(try other.laterOutcome(&rig) == "status 0")
        #expect(try other.read(&rig, 1, 0x101, 0x80) == "h\"\(AliroPoints.one)\"")
        #expect(rig.aliro.count == 1)
        // The private key is in the reader only.
        let stored = try #require(rig.stored)
        #expect(!Hexadecimal.text(stored).contains(AliroPoints.scalar))
    }

    @Test(arguments: [(AliroResult.refused, "{0=1 1=null 2=2}"), (.full, "{0=137 1=null 2=2}")])
    func aRefusedKeyIsNone(result: AliroResult, answer: String) throws {
        var (rig, controller) = try lock()
        #expect(try controller.invoke(&rig, 1, 0x101, 0x22, Self.endpoint, timed: true) == nil)
        let request = try #require(rig.aliro.first)
        #expect(Self.text(request.update) == "keys 7/1/1")
        rig.input { $0.answer(aliro: request.id, result, at: $1) }
        #expect(try controller.laterOutcome(&rig) == answer)
        #expect(rig.node.model.state.users.users.isEmpty && rig.node.model.state.users.credentials.isEmpty)
    }

    /// A late program gets the keys that are in force again.
    @Test
    func aKeyWithoutAnAnswer() throws {
        var (rig, controller) = try lock()
        #expect(try controller.invoke(&rig, 1, 0x101, 0x22, Self.endpoint, timed: true) == nil)
        let request = try #require(rig.aliro.first)
        rig.advance(by: .seconds(5))
        #expect(rig.aliro.map { Self.text($0.update) } == ["keys 7/1/1", "clear", "keys "])
        rig.input { $0.answer(aliro: request.id, .done, at: $1) }
        #expect(rig.node.model.state.users.credentials.isEmpty)
    }

    /// A disabled user's keys leave the reader, as do those of a removed user, and come back with the user's status.
    @Test
    func theStatusOfAUserIsThatOfItsKeys() throws {
        var (rig, controller) = try lock()
        func perform(_ command: UInt32, _ fields: String) throws -> String? {
            #expect(try controller.invoke(&rig, 1, 0x101, command, fields, timed: true) == nil)
            let request = try #require(rig.aliro.last)
            rig.input { $0.answer(aliro: request.id, .done, at: $1) }
            return try controller.laterOutcome(&rig)
        }
        #expect(try perform(0x22, Self.endpoint) == "{0=0 1=1 2=2}")
        #expect(try perform(0x1A, "{0=2 1=1 2=null 3=null 4=3 5=null 6=null}") == "status 0")
        #expect(try perform(0x1A, "{0=2 1=1 2=null 3=null 4=1 5=null 6=null}") == "status 0")
        // A user without access.
        #expect(try perform(0x1A, "{0=2 1=1 2=null 3=null 4=null 5=4 6=null}") == "status 0")
        #expect(try perform(0x1A, "{0=2 1=1 2=null 3=null 4=null 5=0 6=null}") == "status 0")
        #expect(try perform(0x1D, "{0=1}") == "status 0")
        #expect(
            rig.aliro.map { Self.text($0.update) }
                == ["keys 7/1/1", "keys ", "keys 7/1/1", "keys ", "keys 7/1/1", "keys "])
        // A name is no matter of the reader.
        let named = "{0=0 1=1 2=\"Anna\" 3=null 4=1 5=0 6=0}"
        #expect(try controller.invoke(&rig, 1, 0x101, 0x1A, named, timed: true) == "status 0")
        #expect(rig.aliro.count == 6)
    }

    /// The removal of the fabric reaches the reader at once; a reader that was away gets everything again.
    @Test
    func theReaderFollowsAFabricsRemoval() throws {
        var (rig, controller) = try lock()
        #expect(try controller.invoke(&rig, 1, 0x101, 0x28, AliroPoints.configuration, timed: true) == nil)
        rig.input { [id = rig.aliro[0].id] in $0.answer(aliro: id, .done, at: $1) }
        #expect(try controller.laterOutcome(&rig) == "status 0")
        #expect(try controller.invoke(&rig, 1, 0x101, 0x22, Self.endpoint, timed: true) == nil)
        rig.input { [id = rig.aliro[1].id] in $0.answer(aliro: id, .done, at: $1) }
        #expect(try controller.laterOutcome(&rig) == "{0=0 1=1 2=2}")
        rig.aliro = []
        rig.input { $0.provisionReader(holding: Hexadecimal.octets(AliroPoints.one), at: $1) }
        #expect(rig.aliro.map { Self.text($0.update) } == ["keys 7/1/1"])
        #expect(rig.aliro.allSatisfy { $0.author == nil })
        #expect(try controller.invoke(&rig, 0x3E, 0x0A, "{0=1}") != nil)
        #expect(rig.aliro.map { Self.text($0.update) } == ["keys 7/1/1", "clear", "keys "])
    }

    /// A reader that has lost its private key has no configuration: an administrator may set another.
    @Test(arguments: [nil, AliroPoints.two])
    func aReaderWithAnotherKey(point: String?) throws {
        var (rig, controller) = try lock()
        #expect(try controller.invoke(&rig, 1, 0x101, 0x28, AliroPoints.configuration, timed: true) == nil)
        rig.input { [id = rig.aliro[0].id] in $0.answer(aliro: id, .done, at: $1) }
        #expect(try controller.laterOutcome(&rig) == "status 0")
        rig.aliro = []
        rig.input { $0.provisionReader(holding: point.flatMap { Hexadecimal.octets($0) }, at: $1) }
        #expect(rig.aliro.map { Self.text($0.update) } == ["clear", "keys "])
        #expect(try controller.read(&rig, 1, 0x101, 0x80) == "null")
        #expect(try controller.invoke(&rig, 1, 0x101, 0x28, AliroPoints.configuration, timed: true) == nil)
    }

    // MARK: - Documents

    private static func key(_ kind: Int, _ index: Int, _ point: String, user: String = "null") -> String {
        "{0=0 1={0=\(kind) 1=\(index)} 2=h\"\(point)\" 3=\(user) 4=null 5=null}"
    }

    private static func randomPoint() throws -> String {
        let octets = try P256PrivateKey.generate().publicPoint.octets
        return Hexadecimal.text(octets.indices.map { octets[$0] })
    }

    private static func grant(_ point: String, issuer: UInt16 = 1) throws -> MatterOperation {
        .aliroGranted(AliroGrantedKey(point: try #require(Hexadecimal.octets(point)), issuer: issuer))
    }

    /// Adds a key, which the program stores.
    private func add(_ rig: inout NodeRig, _ controller: inout Controller, _ fields: String) throws -> String? {
        #expect(try controller.invoke(&rig, 1, 0x101, 0x22, fields, timed: true) == nil)
        let request = try #require(rig.aliro.last)
        rig.input { $0.answer(aliro: request.id, .done, at: $1) }
        return try controller.laterOutcome(&rig)
    }

    /// A phone that an issuer's document lets in is an evictable key of the issuer's user.
    @Test
    func aDocumentAddsAKey() throws {
        var (rig, controller) = try lock()
        #expect(try add(&rig, &controller, Self.key(6, 1, AliroPoints.one))?.hasPrefix("{0=0 1=1") == true)
        rig.input { [grant = try Self.grant(AliroPoints.two)] in $0.receive(grant, at: $1) }
        #expect(rig.aliro.last.map { Self.text($0.update) } == "keys 6/1/1 7/1/1*")
        #expect(rig.aliro.last?.author == nil)
        #expect(
            try controller.invoke(&rig, 1, 0x101, 0x24, "{0={0=7 1=1}}")
                == "{0=true 1=1 2=1 3=null 4=null 5=h\"\(AliroPoints.two)\"}")
        // LockUserChange: an evictable key was added, by Aliro.
        #expect(try controller.lockEvents(&rig).last == "4 {0=12 1=0 2=10 3=1 4=null 5=null 6=1}")
        let users = rig.node.model.state.users
        try rig.cutPower()
        #expect(rig.node.model.state.users == users && users.credentials.last?.isGranted == true)
    }

    /// A phone that the issuer may not admit: the reader gets its keys again, without it.
    @Test
    func aGrantWithoutItsIssuer() throws {
        var (rig, controller) = try lock()
        #expect(try add(&rig, &controller, Self.key(6, 1, AliroPoints.one))?.hasPrefix("{0=0 1=1") == true)
        for grant in [
            try Self.grant(AliroPoints.two, issuer: 2), try Self.grant(AliroPoints.one),
            try Self.grant(String(AliroPoints.two.dropLast(2)) + "d2"),
        ] {
            rig.aliro = []
            rig.input { $0.receive(grant, at: $1) }
            #expect(rig.aliro.map { Self.text($0.update) }.last == "keys 6/1/1")
        }
        // A disabled user's issuer grants nothing.
        #expect(
            try controller.invoke(&rig, 1, 0x101, 0x1A, "{0=2 1=1 2=null 3=null 4=3 5=null 6=null}", timed: true) == nil
        )
        rig.input { [id = rig.aliro[rig.aliro.count - 1].id] in $0.answer(aliro: id, .done, at: $1) }
        #expect(try controller.laterOutcome(&rig) == "status 0")
        rig.input { [grant = try Self.grant(AliroPoints.two)] in $0.receive(grant, at: $1) }
        #expect(rig.node.model.state.users.credentials.count == 1)
    }

    /// A full table loses the oldest evictable key of the same user; without one nothing is added.
    @Test
    func aFullTable() throws {
        var (rig, controller) = try lock()
        #expect(try add(&rig, &controller, Self.key(6, 1, AliroPoints.one))?.hasPrefix("{0=0 1=1") == true)
        #expect(try add(&rig, &controller, Self.key(8, 1, AliroPoints.two, user: "1"))?.hasPrefix("{0=0") == true)
        for _ in 2...9 {
            rig.input { [grant = try Self.grant(Self.randomPoint())] in $0.receive(grant, at: $1) }
        }
        let full = rig.node.model.state.users.credentials.compactMap(\.key)
        #expect(full.count == 10)
        rig.input { [grant = try Self.grant(AliroPoints.three)] in $0.receive(grant, at: $1) }
        let keys = rig.node.model.state.users.credentials.compactMap(\.key)
        #expect(keys.count == 10 && !keys.contains(full[2]))
        #expect(keys.last?.point == Hexadecimal.octets(AliroPoints.three) && keys.last?.index == full[2].index)
        let events = try controller.lockEvents(&rig)
        #expect(
            Array(events.suffix(2)) == [
                "4 {0=12 1=1 2=10 3=1 4=null 5=null 6=1}", "4 {0=12 1=0 2=10 3=1 4=null 5=null 6=1}",
            ])
        // All evictable keys give way to keys of the administrator.
        for index in 2...9 {
            let evictable = try #require(rig.node.model.state.users.credentials.first { $0.kind == .evictableEndpoint })
            #expect(
                try controller.invoke(&rig, 1, 0x101, 0x26, "{0={0=7 1=\(evictable.index)}}", timed: true) == nil)
            rig.input { [id = rig.aliro[rig.aliro.count - 1].id] in $0.answer(aliro: id, .done, at: $1) }
            #expect(try controller.laterOutcome(&rig) == "status 0")
            let fields = Self.key(8, index, try Self.randomPoint(), user: "1")
            #expect(try add(&rig, &controller, fields)?.hasPrefix("{0=0") == true)
        }
        let fixed = rig.node.model.state.users
        rig.aliro = []
        rig.input { [grant = try Self.grant(Self.randomPoint())] in $0.receive(grant, at: $1) }
        #expect(rig.node.model.state.users == fixed)
        #expect(rig.aliro.last.map { Self.text($0.update).hasPrefix("keys ") } == true)
    }

    /// A grant in the middle of an administrator's change waits for its end.
    @Test
    func aGrantDuringAChange() throws {
        var (rig, controller) = try lock()
        #expect(try add(&rig, &controller, Self.key(6, 1, AliroPoints.one))?.hasPrefix("{0=0 1=1") == true)
        let fields = Self.key(8, 1, AliroPoints.three, user: "1")
        #expect(try controller.invoke(&rig, 1, 0x101, 0x22, fields, timed: true) == nil)
        let request = try #require(rig.aliro.last)
        rig.input { [grant = try Self.grant(AliroPoints.two)] in $0.receive(grant, at: $1) }
        #expect(rig.node.model.state.users.credentials.count == 1)
        rig.input { $0.answer(aliro: request.id, .done, at: $1) }
        #expect(try controller.laterOutcome(&rig)?.hasPrefix("{0=0") == true)
        #expect(rig.aliro.last.map { Self.text($0.update) } == "keys 6/1/1 7/1/1* 8/1/1")
    }
}
