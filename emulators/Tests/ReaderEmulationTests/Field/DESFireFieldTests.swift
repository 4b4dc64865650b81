// SPDX-License-Identifier: Apache-2.0

import Contactless
import Credentials
import Octets
import Testing

@testable import ReaderEmulation

/// A DESFire card and the reader's place for it.
enum DESFireRig {
    static let number: [UInt8] = [0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77]
    static let key = [UInt8](0x40..<0x50), uidKey = [UInt8](0x60..<0x70)
    static let system: [UInt8] = [0x4E, 0x58, 0x50]

    static func card(_ change: (inout DESFireContents) -> Void = { _ in }) -> DESFireCard {
        var contents = DESFireContents(number: number, key: key, uid: [0x04, 0x78, 0x2E, 0x21, 0x80, 0x1D, 0x80])
        change(&contents)
        return DESFireCard(contents, activation: CardActivation(random: (1, 2, 3)))
    }

    /// The place that a right card has; nil only for values that no card has.
    static func place(
        _ communication: DESFireCredential.Communication = .full, application: [UInt8] = [0xF5, 0x1B, 0xC0],
        file: UInt8 = 1, keyNumber: UInt8 = 0, isDiversified: Bool = false, hasUIDKey: Bool = false
    ) -> DESFireCredential? {
        guard let key = DESFireCredential.Key(number: keyNumber, octets: key) else { return nil }
        let common = hasUIDKey ? DESFireCredential.Key(number: 1, octets: uidKey) : nil
        return DESFireCredential(
            application: application, file: file, count: number.count, communication: communication, key: key,
            diversification: isDiversified
                ? DESFireCredential.Diversification(system: system, uidKey: common) : nil)
    }
}

/// DESFire cards in the field of an emulated reader (NXP AN12196; docs/operate/desfire.md).
@Suite struct DESFireFieldTests {
    private func rig(_ place: DESFireCredential?, _ orders: [String] = []) throws -> FieldRig {
        try FieldRig(orders) {
            $0.kinds = [.desfire]
            $0.desfire = place
            $0.cards = [CardEvidence(kind: .desfire, identity: DESFireRig.number)]
        }
    }

    // MARK: - Right cards

    @Test(arguments: DESFireContents.Generation.allCases, DESFireCredential.Communication.allCases)
    func aListedCardOpens(
        _ generation: DESFireContents.Generation, _ communication: DESFireCredential.Communication
    ) throws {
        let rig = try rig(DESFireRig.place(communication))
        rig.touch(
            DESFireRig.card {
                $0.generation = generation
                $0.mode = communication == .full ? .full : .mac
            })
        #expect(rig.openings == 1 && rig.rules == [] && rig.violations == [], "\(rig.texts("apdu"))")
        #expect(rig.texts("apdu").first == "SelectApplication: 905a000003c01bf500 -> 9100")
    }

    @Test(arguments: [false, true])
    func aDiversifiedCardOpens(_ hasRandomUID: Bool) throws {
        let rig = try rig(DESFireRig.place(isDiversified: true, hasUIDKey: hasRandomUID))
        rig.touch(
            DESFireRig.card {
                $0.system = DESFireRig.system
                if hasRandomUID { $0.uidKey = (1, DESFireRig.uidKey) }
            })
        #expect(rig.openings == 1 && rig.rules == [], "\(rig.texts("apdu"))")
    }

    /// The other kinds are tried first, and the card knows none of them.
    @Test func aCardIsFoundBehindOtherKinds() throws {
        let rig = try FieldRig {
            $0.kinds = ReaderFieldSettings.readable
            $0.desfire = DESFireRig.place()
        }
        rig.touch(DESFireRig.card())
        #expect(rig.openings == 0 && rig.rules == [])
        #expect(rig.texts("card-unlisted") == ["desfire 0011223344556677: enrol last lists it"])
        try rig.type("enrol last")
        rig.touch(DESFireRig.card())
        #expect(rig.openings == 1)
        try rig.type("unenrol all")
        try rig.type("enrol desfire 0011223344556677")
        rig.touch(DESFireRig.card())
        #expect(rig.texts("decided").count == 3 && rig.rules == [])
    }

    // MARK: - Wrong cards

    /// A card, what the finding says of it, and the reader's word.
    private static let wrong: [(String, String, @Sendable (inout DESFireContents) -> Void)] = [
        ("another key", "AdditionalFrame with the proof with 91ae: it has another key", { $0.key[0] ^= 1 }),
        ("another key number", "AuthenticateEV2First with 9140: it has no key of this number", { $0.keyNumber = 3 }),
        ("a diversified key", "AdditionalFrame with the proof with 91ae: it has another key", { $0.system = [] }),
        ("another file", "ReadData with 91f0: it has no file of this number", { $0.file = 2 }),
        ("a short file", "ReadData with 91be: the file has fewer octets", { $0.number.removeLast() }),
        ("a file in plain", "ReadData with 9100: its MAC or cryptogram is wrong", { $0.mode = .plain }),
        ("a file with MAC", "ReadData with 9100: its MAC or cryptogram is wrong", { $0.mode = .mac }),
        ("another application", "SelectApplication with 91a0: it has no application", { $0.application = [1, 2, 3] }),
    ]

    @Test(arguments: wrong.map(\.0))
    func aWrongCardIsAFindingWithItsCause(_ name: String) throws {
        let (_, sentence, change) = try #require(DESFireFieldTests.wrong.first { $0.0 == name })
        let rig = try rig(DESFireRig.place())
        rig.touch(DESFireRig.card(change))
        #expect(rig.openings == 0 && rig.rules == ["card-response"])
        #expect(rig.sentences.first?.hasPrefix("answered \(sentence)") == true, "\(rig.sentences)")
        #expect(rig.sentences.first?.hasSuffix("; docs/operate/desfire.md") == true)
    }

    @Test func aCardThatHasNotProvenItselfIsAFinding() throws {
        let rig = try rig(DESFireRig.place())
        var card = DESFireRig.card()
        rig.activate = { card.activate() }
        rig.card = { command, random in
            guard ReaderCardFault.isProof(command) else { return card.respond(to: command, random: &random) }
            return [UInt8](repeating: 0x5A, count: 32) + [0x91, 0x00]
        }
        rig.touch()
        #expect(rig.rules == ["card-response"] && rig.openings == 0)
        #expect(rig.sentences.first?.contains("it has not proven its key") == true, "\(rig.sentences)")
    }

    /// A credential that is not listed, and a card without DESFire, are no mistakes.
    @Test func aForeignCardIsNoFinding() throws {
        let rig = try rig(DESFireRig.place())
        rig.card = { _, _ in [0x6E, 0x00] }
        rig.touch()
        #expect(rig.rules == [] && rig.texts("card-refused").count == 1)
    }

    // MARK: - Faults

    /// EV1 has no MAC on commands: those faults wait for another card.
    @Test(arguments: ReaderCardFault.all.filter { $0.kind == nil || $0.kind == .desfire }.map(\.name))
    func aCardOfEV1HasNoFinding(_ name: String) throws {
        let rig = try rig(DESFireRig.place(), ["fault \(name) card"])
        for _ in 1...2 { rig.touch(DESFireRig.card { $0.generation = .ev1 }) }
        let isSealed = ["changed-read", "repeated-read"].contains(name)
        #expect(rig.rules == [] && rig.faults.count == (isSealed ? 0 : 1), "\(rig.sentences)")
    }

    /// GetVersion precedes the authentication, or another authentication does.
    @Test(arguments: ReaderCardFault.all.filter { $0.kind == nil || $0.kind == .desfire }.map(\.name), [false, true])
    func aDiversifiedCardHasNoFinding(_ name: String, _ hasRandomUID: Bool) throws {
        let place = DESFireRig.place(isDiversified: true, hasUIDKey: hasRandomUID)
        let rig = try rig(place, ["fault \(name) card"])
        for _ in 1...3 {
            rig.touch(
                DESFireRig.card {
                    $0.system = DESFireRig.system
                    if hasRandomUID { $0.uidKey = (1, DESFireRig.uidKey) }
                })
        }
        #expect(rig.rules == [] && rig.faults.count == 1 && rig.openings >= 1, "\(rig.sentences)")
    }

    /// The word of each fault is that of the card.
    @Test(arguments: ReaderCardFault.desfire.map(\.name))
    func aRightCardRefusesByTheUsualWord(_ name: String) throws {
        let fault = try #require(ReaderCardFault.named(name))
        guard case .refuses(let word) = fault.reaction else { return }
        let rig = try rig(DESFireRig.place(), ["fault \(name) card"])
        var words: [String] = []
        for _ in 1...2 where rig.faults.isEmpty {
            rig.touch(DESFireRig.card())
            words = rig.texts("apdu").map { String($0.suffix(4)).uppercased() }
        }
        #expect(rig.faults == ["\(name): \(fault.action)"] && words.last == word, "\(rig.texts("apdu"))")
    }

    /// The place of the fault is that of one touch.
    @Test func theNextTouchReadsTheRightPlaceAgain() throws {
        let rig = try rig(DESFireRig.place(), ["fault other-file card every"])
        for _ in 1...2 { rig.touch(DESFireRig.card()) }
        #expect(rig.faults.count == 2 && rig.openings == 0)
        try rig.type("release other-file card")
        rig.touch(DESFireRig.card())
        #expect(rig.openings == 1 && rig.rules == [])
    }

    @Test func withoutAKeyCardsAreRefusedAndNothingIsFound() throws {
        let rig = try rig(nil, ["fault no-proof card", "fault other-file card"])
        rig.touch(DESFireRig.card())
        #expect(rig.openings == 0 && rig.rules == [] && rig.texts("card-refused").count == 1)
    }
}
