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

/// PINs of Door Lock (Application Clusters 5.2): credentials of type 1, and orders that need one.
struct PINTests {
    private static var traits: LockTraits {
        var traits = LockTraits()
        traits.hasPINs = true
        return traits
    }

    private static let pin = "135790"
    private static let other = "24680246"

    private static func digits(_ code: String) -> String { "h\"\(Hexadecimal.text(Array(code.utf8)))\"" }

    private static func credential(
        _ index: Int, _ code: String, user: String = "null", operation: Int = 0, kind: String = "null"
    ) -> String { "{0=\(operation) 1={0=1 1=\(index)} 2=\(digits(code)) 3=\(user) 4=null 5=\(kind)}" }

    /// A commissioned lock whose user 1 has the PIN 1.
    private static func lock(_ traits: LockTraits = traits) throws -> (NodeRig, Controller) {
        var (rig, controller) = try NodeRig.commissionedLock(traits)
        #expect(try controller.invoke(&rig, 1, 0x101, 0x22, credential(1, pin), timed: true) == "{0=0 1=1 2=2}")
        return (rig, controller)
    }

    private static func unlock(
        _ rig: inout NodeRig, _ controller: inout Controller, _ code: String?
    ) throws -> String? {
        try controller.invoke(
            &rig, 1, 0x101, 1, code.map { "{0=\(digits($0))}" } ?? "{}", timed: true)
    }

    /// A lock without the option has no feature bit, attribute or type of it, and ignores the field.
    @Test
    func offByDefault() throws {
        var (rig, controller) = try NodeRig.commissionedLock()
        #expect(try controller.read(&rig, 1, 0x101, 0xFFFC) == "0")
        for attribute: UInt32 in [0x12, 0x17, 0x18, 0x30, 0x31, 0x33] {
            #expect(try controller.read(&rig, 1, 0x101, attribute) == "status 134")
        }
        #expect(
            try controller.invoke(&rig, 1, 0x101, 0x22, Self.credential(1, Self.pin), timed: true) == "status 129")
        #expect(try Self.unlock(&rig, &controller, "x") == "status 0")
        #expect(rig.node.model.state.pins == nil && rig.node.model.state.users == LockUsers())
    }

    /// PIN, COTA and USR; with USR there is no SendPINOverTheAir (0x32).
    @Test
    func featuresAndAttributes() throws {
        var (rig, controller) = try NodeRig.commissionedLock(Self.traits)
        #expect(try controller.read(&rig, 1, 0x101, 0xFFFC) == "\(0x181)")
        let values = try [0x11, 0x12, 0x17, 0x18, 0x1B, 0x1C, 0x30, 0x31, 0x33].map {
            try controller.read(&rig, 1, 0x101, $0)
        }
        #expect(values == ["20", "20", "8", "6", "1", "10", "5", "60", "true"])
        for attribute: UInt32 in [0x32, 0x80, 0x87] {
            #expect(try controller.read(&rig, 1, 0x101, attribute) == "status 134")
        }
        #expect(try controller.read(&rig, 1, 0x101, 0xFFF9) == "[0 1 3 26 27 29 34 36 38]")
        #expect(try controller.invoke(&rig, 1, 0x101, 0x28, AliroPoints.configuration, timed: true) == "status 129")
        // 0 is out of range (5.2.9).
        #expect(try controller.write(&rig, 1, 0x101, 0x30, "0") == 0x87)
        #expect(try controller.write(&rig, 1, 0x101, 0x31, "0") == 0x87)
        #expect(try controller.write(&rig, 1, 0x101, 0x12, "21") == 0x88)
    }

    /// Each fault of SetCredential for a PIN; an equal one is DUPLICATE, and its data is shown to no one.
    @Test
    func credentials() throws {
        var (rig, controller) = try Self.lock()
        let cases = [
            (Self.credential(2, Self.pin), 2), (Self.credential(1, Self.other), 3), (Self.credential(2, "12345"), 0x85),
            (Self.credential(2, "123456789"), 0x85), (Self.credential(2, "12345a"), 0x85),
            (Self.credential(0, Self.other), 0x85), (Self.credential(21, Self.other), 0x85),
            (Self.credential(2, Self.other, user: "2"), 1), (Self.credential(2, Self.other, operation: 2), 0x85),
            ("{0=0 1={0=8 1=1} 2=h\"\(AliroPoints.one)\" 3=null 4=null 5=null}", 0x85),
            ("{0=0 1={0=0 1=0} 2=\(Self.digits(Self.other)) 3=null 4=null 5=null}", 0x85),
        ]
        for (fields, status) in cases {
            let answer = try controller.invoke(&rig, 1, 0x101, 0x22, fields, timed: true)
            #expect(answer?.hasPrefix("{0=\(status) 1=null ") == true, "\(fields): \(answer ?? "")")
        }
        #expect(
            try controller.invoke(&rig, 1, 0x101, 0x22, Self.credential(3, Self.other, user: "1"), timed: true)
                == "{0=0 1=null 2=4}")
        #expect(
            try controller.invoke(&rig, 1, 0x101, 0x24, "{0={0=1 1=1}}") == "{0=true 1=1 2=1 3=1 4=3}")
        #expect(
            try controller.invoke(&rig, 1, 0x101, 0x1B, "{0=1}")
                == "{0=1 1=\"\" 2=4294967295 3=1 4=0 5=0 6=[{0=1 1=1} {0=1 1=3}] 7=1 8=1 9=null}")
        // A replaced PIN opens nothing any more.
        let replaced = Self.credential(1, "999999", user: "1", operation: 2)
        #expect(try controller.invoke(&rig, 1, 0x101, 0x22, replaced, timed: true) == "{0=0 1=null 2=2}")
        #expect(try Self.unlock(&rig, &controller, Self.pin) == "status 1")
        #expect(try Self.unlock(&rig, &controller, "999999") == "status 0")
        #expect(try controller.invoke(&rig, 1, 0x101, 0x26, "{0={0=1 1=1}}", timed: true) == "status 0")
        #expect(try Self.unlock(&rig, &controller, "999999") == "status 1")
        #expect(try controller.invoke(&rig, 1, 0x101, 0x26, "{0={0=1 1=65534}}", timed: true) == "status 0")
        #expect(rig.node.model.state.users.users.isEmpty)
        // LockUserChange: the type PIN (6), then the last one with its user.
        #expect(
            try controller.lockEvents(&rig).suffix(2) == [
                "4 {0=6 1=1 2=7 3=1 4=1 5=112233 6=3}", "4 {0=2 1=1 2=7 3=1 4=1 5=112233 6=1}",
            ])
    }

    /// Missing, wrong and right PINs of each order, with their events.
    @Test
    func orders() throws {
        var traits = Self.traits
        traits.hasLatch = true
        var (rig, controller) = try Self.lock(traits)
        #expect(try Self.unlock(&rig, &controller, nil) == "status 1")
        #expect(try Self.unlock(&rig, &controller, "000000") == "status 1")
        #expect(try controller.invoke(&rig, 1, 0x101, 0, timed: true) == "status 1")
        #expect(try controller.invoke(&rig, 1, 0x101, 0x27, timed: true) == "status 1")
        #expect(try controller.invoke(&rig, 1, 0x101, 3, "{0=5}", timed: true) == "status 1")
        #expect(try controller.invoke(&rig, 1, 0x101, 1, "{0=null}", timed: true) == "status 133")
        #expect(rig.node.lockState == .locked && rig.actuations.isEmpty)
        #expect(try Self.unlock(&rig, &controller, Self.pin) == "status 0")
        #expect(rig.node.lockState == .unlatched)
        let pin = Self.digits(Self.pin)
        #expect(try controller.invoke(&rig, 1, 0x101, 0, "{0=\(pin)}", timed: true) == "status 0")
        #expect(try controller.invoke(&rig, 1, 0x101, 0x27, "{0=\(pin)}", timed: true) == "status 0")
        #expect(try controller.invoke(&rig, 1, 0x101, 3, "{0=5 1=\(pin)}", timed: true) == "status 0")
        #expect(
            try controller.lockEvents(&rig).dropFirst(2) == [
                "3 {0=4 1=7 2=1 3=null 4=1 5=112233 6=null}", "3 {0=4 1=7 2=1 3=null 4=1 5=112233 6=null}",
                "3 {0=0 1=7 2=1 3=null 4=1 5=112233 6=null}", "3 {0=1 1=7 2=1 3=null 4=1 5=112233 6=null}",
                "3 {0=4 1=7 2=1 3=null 4=1 5=112233 6=null}",
                "2 {0=4 1=7 2=1 3=1 4=112233 5=[{0=1 1=1}]}", "2 {0=0 1=7 2=1 3=1 4=112233 5=[{0=1 1=1}]}",
                "2 {0=1 1=7 2=1 3=1 4=112233 5=[{0=1 1=1}]}", "2 {0=4 1=7 2=1 3=1 4=112233 5=[{0=1 1=1}]}",
            ])
        #expect(rig.notices.contains(.pinRefused(.unlock, by: MatterAuthor(fabric: 1, node: 112_233), .missing)))
    }

    /// A lockdown refuses before a PIN is compared.
    @Test
    func safetyInputsWin() throws {
        var (rig, controller) = try Self.lock()
        rig.input { $0.receive(.hold(.locked), at: $1) }
        #expect(try Self.unlock(&rig, &controller, Self.pin) == "status 1")
        #expect(try Self.unlock(&rig, &controller, "000000") == "status 1")
        #expect(rig.node.model.state.pins?.wrongCodes == 0 && rig.node.lockState == .locked)
        #expect(try controller.lockEvents(&rig).last == "3 {0=1 1=7 2=3 3=null 4=1 5=112233 6=null}")
    }

    /// A PIN that is not required has to be right all the same.
    @Test
    func withoutTheRequirement() throws {
        var (rig, controller) = try Self.lock()
        #expect(try controller.write(&rig, 1, 0x101, 0x33, "false") == 0)
        try rig.cutPower()
        #expect(rig.node.model.state.pins?.isRequired == false)
        (rig, controller) = try Self.lock()
        #expect(try controller.write(&rig, 1, 0x101, 0x33, "false") == 0)
        #expect(try Self.unlock(&rig, &controller, "000000") == "status 1")
        #expect(rig.node.lockState == .locked)
        #expect(try Self.unlock(&rig, &controller, nil) == "status 0")
        #expect(try controller.lockEvents(&rig).last == "2 {0=1 1=7 2=null 3=1 4=112233 5=null}")
    }

    /// Disabled users and those without access: their PINs count as wrong ones. A remote user's opens.
    @Test
    func typesAndStatesOfUsers() throws {
        var (rig, controller) = try Self.lock()
        func set(_ fields: String) throws {
            #expect(try controller.invoke(&rig, 1, 0x101, 0x1A, fields, timed: true) == "status 0")
        }
        try set("{0=2 1=1 2=null 3=null 4=3 5=null 6=null}")
        #expect(try Self.unlock(&rig, &controller, Self.pin) == "status 1")
        #expect(try controller.lockEvents(&rig).last == "3 {0=1 1=7 2=2 3=1 4=1 5=112233 6=[{0=1 1=1}]}")
        try set("{0=2 1=1 2=null 3=null 4=1 5=4 6=null}")
        #expect(try Self.unlock(&rig, &controller, Self.pin) == "status 1")
        #expect(try controller.lockEvents(&rig).last == "3 {0=1 1=7 2=3 3=1 4=1 5=112233 6=[{0=1 1=1}]}")
        #expect(rig.node.model.state.pins?.wrongCodes == 2 && rig.node.lockState == .locked)
        try set("{0=2 1=1 2=null 3=null 4=1 5=9 6=null}")
        #expect(try Self.unlock(&rig, &controller, Self.pin) == "status 0")
        #expect(rig.node.model.state.pins?.wrongCodes == 0)
    }

    /// Wrong codes in succession disable all PINs, also the right one, and say so; a restart begins the time again.
    @Test
    func wrongCodes() throws {
        var rig = try NodeRig(.test(.lock(Self.traits)))
        var commissioner = try Commissioner()
        var controller = try commissioner.commission(&rig)
        let added = try controller.invoke(&rig, 1, 0x101, 0x22, Self.credential(1, Self.pin), timed: true)
        #expect(added == "{0=0 1=1 2=2}")
        #expect(try controller.write(&rig, 1, 0x101, 0x30, "2") == 0)
        #expect(try Self.unlock(&rig, &controller, "000000") == "status 1")
        #expect(try Self.unlock(&rig, &controller, Self.pin) == "status 0")
        #expect(try Self.unlock(&rig, &controller, "000000") == "status 1")
        // The count outlives a restart, as does the time after the last one.
        try rig.cutPower()
        #expect(rig.node.model.state.pins?.wrongCodes == 1)
        try commissioner.establishCASE(&rig)
        controller = try #require(commissioner.controller)
        #expect(try Self.unlock(&rig, &controller, "000001") == "status 1")
        let events = try controller.lockEvents(&rig)
        #expect(events.suffix(2) == ["0 {0=4}", "3 {0=1 1=7 2=1 3=null 4=1 5=112233 6=null}"])
        #expect(try Self.unlock(&rig, &controller, Self.pin) == "status 1")
        #expect(try controller.lockEvents(&rig).last == "3 {0=1 1=7 2=3 3=null 4=1 5=112233 6=null}")
        rig.advance(by: .seconds(59))
        try rig.cutPower()
        rig.advance(by: .seconds(59))
        try commissioner.establishCASE(&rig)
        controller = try #require(commissioner.controller)
        #expect(try Self.unlock(&rig, &controller, Self.pin) == "status 1")
        rig.advance(by: .seconds(1))
        #expect(try Self.unlock(&rig, &controller, Self.pin) == "status 0")
    }

    /// A lock that starts again without PINs keeps them, and needs none.
    @Test
    func startedWithoutPINs() throws {
        let (rig, _) = try Self.lock()
        #expect(rig.node.unusedPINs == 0)
        let other = try NodeRig(.test(.lock(LockTraits())), restoring: rig.stored)
        #expect(other.node.unusedPINs == 1)
    }

    /// A wrong code is answered when its count is stored.
    @Test
    func theCountIsStoredBeforeTheAnswer() throws {
        var (rig, controller) = try Self.lock()
        rig.storesAtOnce = false
        #expect(try Self.unlock(&rig, &controller, "000000") == nil)
        #expect(!rig.unstored.isEmpty)
        rig.store()
        let (state, _) = try NodeState.restore(try #require(rig.stored))
        #expect(state.pins?.wrongCodes == 1)
    }

    /// The document has neither the digits nor a hash without a salt, and is refused without the salt.
    @Test
    func theStoredForm() throws {
        let (rig, _) = try Self.lock()
        let document = try #require(rig.stored)
        let text = Hexadecimal.text(document)
        #expect(!text.contains(Hexadecimal.text(Array(Self.pin.utf8))))
        var (state, _) = try NodeState.restore(document)
        let pins = try #require(state.pins)
        let verifier = try #require(state.users.credentials.first?.data)
        #expect(pins.salt.count == 16 && pins.verifier(of: Array(Self.pin.utf8)) == verifier)
        let derived = try PBKDF2SHA256.derive(
            password: Array(Self.pin.utf8).span, salt: pins.salt.span, iterations: 10_000, count: 32)
        #expect(derived == verifier)
        state.pins = nil
        let broken = try state.document(events: [])
        #expect(throws: MatterStateError.self) { try NodeState.restore(broken) }
    }

    /// A removed fabric takes its users' PINs; a factory reset takes all, and makes another salt.
    @Test
    func removal() throws {
        var (rig, _) = try Self.lock()
        let salt = try #require(rig.node.model.state.pins).salt
        rig.input { $0.factoryReset(at: $1) }
        #expect(rig.node.model.state.users.credentials.isEmpty)
        #expect(try #require(rig.node.model.state.pins).salt != salt)
    }

    // MARK: - A program that decides

    private static var programTraits: LockTraits {
        var traits = traits
        traits.asksProgram = true
        return traits
    }

    /// A change is in force when the program has recorded it; the order names the user.
    @Test
    func theProgramRecordsFirst() throws {
        var (rig, controller) = try NodeRig.commissionedLock(Self.programTraits)
        rig.input { $0.receive(.lockState(.locked), at: $1) }
        let add = Self.credential(1, Self.pin)
        #expect(try controller.invoke(&rig, 1, 0x101, 0x22, add, timed: true) == nil)
        let request = try #require(rig.pins.last)
        #expect(request.changes == [PINChange(kind: .added, index: 1, user: 1)] && request.author?.fabric == 1)
        #expect(rig.node.model.state.users.credentials.isEmpty)
        rig.input { $0.answer(request.id, isDone: false, at: $1) }
        #expect(try controller.laterOutcome(&rig) == "{0=1 1=null 2=2}")
        #expect(rig.node.model.state.users == LockUsers())
        #expect(try controller.invoke(&rig, 1, 0x101, 0x22, add, timed: true) == nil)
        rig.input { [id = rig.pins[1].id] in $0.answer(id, isDone: true, at: $1) }
        #expect(try controller.laterOutcome(&rig) == "{0=0 1=1 2=2}")
        // A wrong PIN is no order.
        #expect(try Self.unlock(&rig, &controller, "000000") == "status 1")
        #expect(rig.orders.isEmpty)
        #expect(try Self.unlock(&rig, &controller, Self.pin) == nil)
        let order = try #require(rig.orders.last)
        #expect(order.user == 1 && order.action == .unlock)
        rig.input { $0.answer(order.id, isDone: true, at: $1) }
        #expect(try controller.laterOutcome(&rig) == "status 0")
        #expect(try controller.lockEvents(&rig).last == "2 {0=1 1=7 2=1 3=1 4=112233 5=[{0=1 1=1}]}")
        // The door has the last word.
        #expect(try Self.unlock(&rig, &controller, Self.pin) == nil)
        rig.input { [id = rig.orders[1].id] in $0.answer(id, isDone: false, at: $1) }
        #expect(try controller.laterOutcome(&rig) == "status 1")
        #expect(try controller.lockEvents(&rig).last == "3 {0=1 1=7 2=3 3=1 4=1 5=112233 6=[{0=1 1=1}]}")
        // A user who is disabled has no PIN in force; a replaced PIN is two changes.
        #expect(
            try controller.invoke(
                &rig, 1, 0x101, 0x22, Self.credential(1, Self.other, user: "1", operation: 2), timed: true) == nil)
        #expect(
            rig.pins.last?.changes == [
                PINChange(kind: .removed, index: 1, user: 1), PINChange(kind: .added, index: 1, user: 1),
            ])
        rig.input { [id = rig.pins[2].id] in $0.answer(id, isDone: true, at: $1) }
        #expect(try controller.laterOutcome(&rig) == "{0=0 1=null 2=2}")
        let disable = "{0=2 1=1 2=null 3=null 4=3 5=null 6=null}"
        #expect(try controller.invoke(&rig, 1, 0x101, 0x1A, disable, timed: true) == nil)
        #expect(rig.pins.last?.changes == [PINChange(kind: .removed, index: 1, user: 1)])
        // No answer is a refusal.
        rig.advance(by: .seconds(1))
        #expect(rig.drain(to: controller.peer).count == 1)
        rig.advance(by: .seconds(4))
        #expect(try controller.laterOutcome(&rig) == "status 1")
        #expect(rig.node.model.state.users.users.first?.isEnabled == true)
    }

    /// A user with both: the reader stores its keys, then the PINs are recorded; a refusal brings the keys back.
    @Test
    func aUserWithAKeyAndAPIN() throws {
        var traits = Self.programTraits
        traits.hasAliro = true
        var (rig, controller) = try NodeRig.commissionedLock(traits)
        #expect(try controller.read(&rig, 1, 0x101, 0xFFFC) == "\(0x2181)")
        let key = "{0=0 1={0=8 1=1} 2=h\"\(AliroPoints.two)\" 3=null 4=null 5=null}"
        #expect(try controller.invoke(&rig, 1, 0x101, 0x22, key, timed: true) == nil)
        rig.input { [id = rig.aliro[rig.aliro.count - 1].id] in $0.answer(aliro: id, .done, at: $1) }
        #expect(try controller.laterOutcome(&rig) == "{0=0 1=1 2=2}")
        #expect(
            try controller.invoke(&rig, 1, 0x101, 0x22, Self.credential(4, Self.pin, user: "1"), timed: true) == nil)
        rig.input { [id = rig.pins[0].id] in $0.answer(id, isDone: true, at: $1) }
        #expect(try controller.laterOutcome(&rig) == "{0=0 1=null 2=5}")
        // What verifies the PIN is no data for a node.
        #expect(
            try controller.invoke(&rig, 1, 0x101, 0x24, "{0={0=1 1=4}}") == "{0=true 1=1 2=1 3=1 4=null 5=null}")
        func clear(recording isDone: Bool) throws -> String? {
            #expect(try controller.invoke(&rig, 1, 0x101, 0x1D, "{0=1}", timed: true) == nil)
            let (keys, pins) = (rig.aliro.count, rig.pins.count)
            rig.input { [id = rig.aliro[keys - 1].id] in $0.answer(aliro: id, .done, at: $1) }
            #expect(rig.pins.count == pins + 1)
            #expect(rig.pins.last?.changes == [PINChange(kind: .removed, index: 4, user: 1)])
            rig.input { [id = rig.pins[pins].id] in $0.answer(id, isDone: isDone, at: $1) }
            return try controller.laterOutcome(&rig)
        }
        #expect(try clear(recording: false) == "status 1")
        #expect(rig.node.model.state.users.credentials.count == 2)
        guard case .keys(let restored) = rig.aliro[rig.aliro.count - 1].update else {
            Issue.record("the reader has no keys again")
            return
        }
        #expect(restored.map(\.index) == [1])
        #expect(try clear(recording: true) == "status 0")
        #expect(rig.node.model.state.users.users.isEmpty)
    }
}
