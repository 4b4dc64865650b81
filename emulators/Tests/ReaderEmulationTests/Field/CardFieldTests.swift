// SPDX-License-Identifier: Apache-2.0

import Contactless
import Credentials
import Crypto
import Emulation
import Octets
import Testing
import Timekeeping

@testable import ReaderEmulation

/// Cards in the field of an emulated reader (PKOC NFC 1.1, Aliro 1.0, docs/protocol/nfc-profile.md, 7).
@Suite struct CardFieldTests {
    private let key: P256PrivateKey
    private let activation = CardActivation(random: (1, 2, 3))

    init() throws { key = try P256PrivateKey.generate() }

    private var point: [UInt8] {
        let octets = key.publicPoint.octets
        return octets.indices.map { octets[$0] }
    }
    private var pkoc: PKOCCard { PKOCCard(key, activation: activation) }

    private func aliro(_ fault: String? = nil) throws -> AliroPhone {
        let reader = try ReaderFieldSettings().aliro
        let trust = try #require(AliroPhone.Trust(group: reader.identifier.group, point: reader.key.publicKey))
        return AliroPhone(key, trust: trust, activation: activation, fault: fault.flatMap(AliroPhoneFault.named))
    }

    private func rig(_ kind: CardKind, _ orders: [String] = []) throws -> FieldRig {
        try FieldRig(orders) {
            $0.kinds = [kind]
            if kind == .desfire {
                $0.desfire = DESFireRig.place()
                $0.cards = [CardEvidence(kind: .desfire, identity: DESFireRig.number)]
            } else if kind != .phone {
                $0.cards = [CardEvidence(kind: kind, identity: point)]
            }
        }
    }

    // MARK: - Right cards

    @Test func aListedCardOpens() throws {
        let rig = try FieldRig { $0.cards = [CardEvidence(kind: .pkoc, identity: point)] }
        rig.touch(pkoc)
        #expect(rig.openings == 1 && rig.rules == [] && rig.violations == [])
        // The phone's application is tried first: the order of the kinds.
        #expect(rig.texts("apdu").first?.hasPrefix("SELECT: 00a4040009f0726561646572640100 -> 6a82") == true)
        #expect(rig.texts("apdu").count == 3 && rig.texts("field-empty").count == 1)
    }

    @Test func anUnlistedCardIsNamedAndCanBeEnrolled() throws {
        let rig = try rig(.pkoc, ["unenrol all"])
        rig.touch(pkoc)
        #expect(rig.openings == 0 && rig.rules == [])
        #expect(rig.texts("card-unlisted") == ["pkoc \(Hexadecimal.text(point)): enrol last lists it"])
        let answer = try rig.type("enrol last")
        rig.touch(pkoc)
        #expect(rig.openings == 1)
        // The credential that the answer shows can be refused.
        let credential = try #require(answer.first?.split(separator: " ").last)
        try rig.type("blacklist \(credential)")
        rig.touch(pkoc)
        #expect(rig.texts("decided").count == 3 && rig.texts("decided").last?.contains("denied") == true)
    }

    @Test func anAliroPhoneOpens() throws {
        let rig = try rig(.aliro)
        let phone = try aliro()
        rig.touch(phone)
        #expect(rig.openings == 1 && rig.rules == [], "\(rig.texts("card-refused"))")
        try rig.type("unenrol all")
        rig.touch(phone)
        #expect(rig.openings == 1 && rig.rules == [] && rig.texts("card-refused").count == 1)
    }

    @Test func aPhoneAsCardOpens() throws {
        let rig = try rig(.phone)
        try RigPhone().touch(rig)
        #expect(rig.openings == 1 && rig.rules == [], "\(rig.texts("apdu"))")
    }

    /// The record of an opening is written in the turn of its card: a slow turn would end as -21 (access profile, 8).
    @Test func aDecisionNeedsNoFurtherInput() throws {
        let rig = try rig(.pkoc)
        rig.step = .milliseconds(1500)
        rig.touch(pkoc, .seconds(9))
        #expect(rig.openings == 1, "\(rig.texts("decided"))")
    }

    @Test func statesOfTheReaderHoldForCards() throws {
        let rig = try rig(.pkoc, ["lockdown on"])
        rig.touch(pkoc)
        #expect(rig.openings == 0 && rig.rules == [] && rig.texts("decided").count == 1)
        try rig.type("modes classic")
        rig.touch(pkoc)
        #expect(rig.openings == 1)
    }

    // MARK: - Wrong cards

    @Test(arguments: [
        ("6A80", "status-word"), ("5A0200009000", "malformed-response"),
    ])
    func aWrongResponseIsAFinding(_ answer: String, _ why: String) throws {
        let rig = try rig(.pkoc)
        let response = try #require(Hexadecimal.octets(answer))
        var card = pkoc
        rig.card = { command, random in
            command[1] == 0x80 ? response : card.respond(to: command, random: &random)
        }
        rig.activate = { card.activate() }
        rig.touch()
        #expect(rig.openings == 0 && rig.rules == ["card-response"])
        #expect(rig.sentences.first?.hasPrefix("answered AUTHENTICATE wrongly: \(why)") == true, "\(rig.sentences)")
    }

    @Test func anAliroPhoneWithAWrongSignatureIsAFinding() throws {
        let rig = try rig(.aliro)
        rig.touch(try aliro("wrong-signature"))
        #expect(rig.openings == 0 && rig.rules == ["card-response"])
    }

    @Test func aCardThatLeavesIsNoFinding() throws {
        let rig = try rig(.pkoc)
        rig.card = { _, _ in nil }
        rig.touch(.seconds(4))
        #expect(rig.openings == 0 && rig.rules == [] && !rig.texts("card-lost").isEmpty)
    }

    // MARK: - Faults

    private static let names = ReaderCardFault.all.map(\.name)

    @Test func eachFaultHasItsName() {
        #expect(Set(CardFieldTests.names).count == CardFieldTests.names.count)
        #expect(AliroReaderFault.all.allSatisfy { CardFieldTests.names.contains($0.name) })
    }

    /// True for a fault that needs a touch before it.
    private func isSecond(_ fault: ReaderCardFault) -> Bool { if case .replay = fault.change { true } else { false } }

    @Test(arguments: ReaderCardFault.all.filter { $0.kind == nil }.map(\.name), ReaderFieldSettings.readable)
    func everyRightCardReactsRightly(_ name: String, _ kind: CardKind) throws {
        try expectRight(name, kind)
    }

    @Test(arguments: ReaderCardFault.all.filter { $0.kind != nil }.map(\.name))
    func aRightCardOfTheKindReactsRightly(_ name: String) throws {
        try expectRight(name, try #require(ReaderCardFault.named(name)?.kind))
    }

    /// A phone that has opened may skip AUTH1 the next time: the reader forgets its key.
    @Test(arguments: ["wrong-signature", "replayed-signature", "reflected-exchange"])
    func aPhoneThatHasOpenedMeetsAFaultOfTheStandardPhase(_ name: String) throws {
        let rig = try rig(.aliro)
        var phone = try aliro()
        rig.activate = { phone.activate() }
        rig.card = { command, random in phone.respond(to: command, random: &random) }
        for _ in 1...2 { rig.touch() }
        #expect(rig.texts("apdu").count { $0.hasPrefix("AUTH1: ") } == 1)
        try rig.type("fault \(name) card")
        rig.touch()
        let fault = try #require(ReaderCardFault.named(name))
        #expect(rig.faults == ["\(name): \(fault.action)"] && rig.rules == [], "\(rig.sentences)")
        rig.touch()
        #expect(rig.faults.count == 1 && rig.rules == [])
    }

    /// The status is repeated behind the opening, and its answer is not the reader's.
    @Test func aRepetitionEndsTheTouch() throws {
        let rig = try rig(.aliro, ["fault repeated-exchange card every"])
        for _ in 1...2 { rig.touch(try aliro()) }
        let exchanges = rig.texts("apdu").filter { $0.hasPrefix("EXCHANGE: ") }
        #expect(exchanges.count == 4 && exchanges[0].prefix(30) == exchanges[1].prefix(30))
        #expect(exchanges[0].hasSuffix("9000") && !exchanges[1].hasSuffix("9000"))
        #expect(rig.faults.count == 2 && rig.texts("decided").count == 2 && rig.rules == [], "\(rig.sentences)")
    }

    @Test func aReplayIsOfATouchBefore() throws {
        let rig = try rig(.aliro)
        let answer = try rig.type("fault replayed-signature card")
        #expect(answer.first?.hasPrefix("the first touch is right; the next touch: the reader sends") == true)
        rig.touch(try aliro())
        #expect(rig.faults.isEmpty && rig.openings == 1)
        rig.touch(try aliro())
        let signatures = rig.texts("apdu").filter { $0.hasPrefix("AUTH1: ") }.map { $0.split(separator: " ")[1] }
        #expect(signatures.count == 2 && signatures[0] == signatures[1] && rig.faults.count == 1)
        // Of the two touches since, one was right.
        #expect(try rig.type("fault replayed-signature card").first?.hasPrefix("the next touch") == true)
    }

    /// The fault shows once, nothing is found, and the next touch opens.
    private func expectRight(_ name: String, _ kind: CardKind) throws {
        let fault = try #require(ReaderCardFault.named(name))
        let rig = try rig(kind, ["fault \(name) card"])
        let first = isSecond(fault) ? 2 : 1
        for touch in 1...first + 1 {
            switch kind {
            case .pkoc: rig.touch(pkoc)
            case .aliro: rig.touch(try aliro())
            case .phone: try RigPhone().touch(rig)
            case .desfire: rig.touch(DESFireRig.card())
            }
            if touch == first { #expect(rig.faults.first == "\(name): \(fault.action)", "\(rig.texts("apdu"))") }
        }
        #expect(rig.rules == [], "\(rig.sentences)\n\(rig.texts("apdu").joined(separator: "\n"))")
        #expect(rig.openings >= 1 && rig.faults.count == 1, "\(rig.texts("apdu").joined(separator: "\n"))")
    }

    @Test(arguments: ReaderCardFault.all.filter { if case .refuses = $0.reaction { true } else { false } }.map(\.name))
    func aCardThatGoesOnIsFound(_ name: String) throws {
        let fault = try #require(ReaderCardFault.named(name))
        // A card that answers every command with success, as far as the fault.
        let rig = try rig(fault.kind ?? .pkoc, ["fault \(name) card"])
        var card = try aliro()
        var desfire = DESFireRig.card()
        if isSecond(fault) { if fault.kind == .desfire { rig.touch(desfire) } else { rig.touch(card) } }
        rig.activate = {
            card.activate()
            desfire.activate()
        }
        rig.card = { command, random in
            if !rig.faults.isEmpty { return fault.kind == .desfire ? [0x91, 0x00] : [0x5A, 0x00, 0x90, 0x00] }
            switch fault.kind {
            case .aliro: return card.respond(to: command, random: &random)
            case .phone:
                return command[1] == 0xA4 ? [0x80, 0x01, 0x01, 0x90, 0x00] : CardFieldTests.handshake
            case .desfire: return desfire.respond(to: command, random: &random)
            default: return [0x5C, 0x02, 0x01, 0x01, 0x90, 0x00]
            }
        }
        rig.touch()
        // The final status follows the opening.
        let isAfterOpening =
            if case .instruction(0xC9) = fault.place { true } else { isSecond(fault) || name == "repeated-read" }
        #expect(
            rig.rules.first == "card-went-on" && rig.openings == (isAfterOpening ? 1 : 0),
            "\(rig.sentences) \(rig.texts("apdu"))")
    }

    /// The message with a phone's handshake, of docs/protocol/nfc-profile.md, 7.2.
    private static let handshake: [UInt8] =
        Hexadecimal.octets("00132E300000120A100FFE0EB6CCFED9DD80AAC04C1886AA629000") ?? []

    @Test func aCardThatGivesUpIsFound() throws {
        let rig = try rig(.pkoc, ["fault late card"])
        var card = pkoc
        rig.activate = { card.activate() }
        rig.card = { command, random in
            command[1] == 0x80 ? [0x69, 0x85] : card.respond(to: command, random: &random)
        }
        rig.touch()
        #expect(rig.rules.contains("card-gave-up") && rig.openings == 0)
    }

    @Test func aFaultStaysOrIsReleased() throws {
        let rig = try rig(.pkoc, ["fault wrong-length card every"])
        for _ in 1...2 { rig.touch(pkoc) }
        #expect(
            rig.openings == 0 && rig.faults.count == 2 && rig.reader.observed.faults.map(\.word) == ["wrong-length"])
        try rig.type("release wrong-length card")
        rig.touch(pkoc)
        #expect(rig.openings == 1 && rig.reader.observed.faults.isEmpty)
        try rig.type("fault late card every")
        #expect(try rig.type("faults").count == 1)
        try rig.type("clear")
        #expect(rig.reader.observed.faults.isEmpty)
        #expect(try rig.type("faults") == ["no faults are to come"])
    }

    // MARK: - Orders

    @Test(arguments: [
        "enrol", "enrol pkoc", "enrol pkoc 04", "enrol desfire", "enrol desfire 0", "enrol phone 00", "unenrol",
        "fault card", "fault nothing card",
        "fault late card twice", "release nothing card",
    ])
    func wrongLinesAreRefused(_ line: String) {
        #expect(throws: CommandFault.self) { try ReaderOrder(line: line) }
    }

    @Test func aReaderWithoutAFieldSaysSo() throws {
        let rig = try ReaderRig()
        #expect(try rig.type("fault late card") == ["this reader has no field: start it with --field unix:PATH"])
    }
}
