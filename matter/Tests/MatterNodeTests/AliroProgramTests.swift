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
        case .keys(let keys): "keys " + keys.map { "\($0.kind.rawValue)/\($0.index)/\($0.user)" }.joined(separator: " ")
        }
    }

    @Test
    func aConfigurationIsStoredFirst() throws {
        var (rig, controller) = try lock()
        #expect(try controller.invoke(&rig, 1, 0x101, 0x28, AliroPoints.configuration, timed: true) == nil)
        let request = try #require(rig.aliro.first)
        #expect(Self.text(request.update) == "configure \(AliroPoints.one) \(AliroPoints.scalar)")
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
        #expect(rig.node.model.state.users.users.isEmpty && rig.node.model.state.users.keys.isEmpty)
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
        #expect(rig.node.model.state.users.keys.isEmpty)
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
        rig.input { $0.provisionReader(at: $1) }
        #expect(rig.aliro.map { Self.text($0.update) } == ["keys 7/1/1"])
        #expect(try controller.invoke(&rig, 0x3E, 0x0A, "{0=1}") != nil)
        #expect(rig.aliro.map { Self.text($0.update) } == ["keys 7/1/1", "clear", "keys "])
    }
}
