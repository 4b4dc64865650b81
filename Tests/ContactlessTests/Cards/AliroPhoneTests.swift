// SPDX-License-Identifier: Apache-2.0

import Contactless
import Credentials
import Crypto
import TestSupport
import Testing
import Timekeeping

/// The Aliro phone against the reader's transaction, without a fault and with each.
@Suite struct AliroPhoneTests {
    /// 2026-11-28 12:00 UTC.
    private static let moment = Moment(instant: .origin, epochSeconds: 1_795_867_200)

    private var reader: AliroReader
    private var store: AliroStore
    private let key: P256PrivateKey
    private var random = SplitMix64(seed: 1)

    init() throws {
        let identifier = try #require(
            AliroReader.Identifier(group: .init(repeating: 0xA6, count: 16), sub: .init(repeating: 0x56, count: 16)))
        reader = AliroReader(key: try P256PrivateKey.generate(), identifier: identifier)
        store = AliroStore(binding: reader.binding)
        key = try P256PrivateKey.generate()
        let isAdded = store.add(AliroCredential(key.publicKey))
        try #require(isAdded)
    }

    private func phone(_ fault: AliroPhoneFault? = nil) throws -> AliroPhone {
        let point = reader.key.publicPoint.octets
        let trust = try #require(
            AliroPhone.Trust(group: reader.identifier.group, point: try P256PublicKey(point: point.span)))
        return AliroPhone(key, trust: trust, activation: CardActivation(random: (1, 2, 3)), fault: fault)
    }

    private mutating func tap(_ phone: inout AliroPhone) throws -> (evidence: CardEvidence?, outcome: CardOutcome?) {
        var transaction = try AliroTransaction(
            reader: reader, store: store, at: AliroPhoneTests.moment, in: .utc, random: &random)
        let result = run(&transaction, with: &phone)
        for effect in transaction.effects { store.apply(effect) }
        transaction.wipe()
        return result
    }

    @Test("The first tap is standard, the second fast, and neither has a finding")
    mutating func phases() throws {
        var phone = try phone()
        for phase in [AliroPhone.Phase.standard, .fast, .fast] {
            #expect(try tap(&phone).outcome == .concluded)
            #expect(phone.tap.phase == phase)
            #expect(phone.tap.isGranted)
            #expect(phone.findings == [])
        }
    }

    /// A reader tries `desfire` before `aliro`; the class of its native commands has the bit of a chain.
    @Test("A native command of DESFire is unknown, and begins no chain")
    mutating func nativeCommands() throws {
        var phone = try phone()
        #expect(phone.respond(to: [0x90, 0x5A, 0x00, 0x00, 0x03, 0x01, 0x02, 0x03, 0x00]) == [0x6D, 0x00])
        #expect(try tap(&phone).outcome == .concluded)
        #expect(phone.tap.isGranted)
    }

    @Test("A phone that answers in parts of 40 octets goes through")
    mutating func parts() throws {
        var phone = try phone()
        phone.part = 40
        #expect(try tap(&phone).outcome == .concluded)
        #expect(phone.findings == [])
    }

    @Test(
        "A right reader has no finding with any fault, and opens only where it goes on",
        arguments: AliroPhoneFault.all.filter { !$0.needsDocument }.map(\.name))
    mutating func faults(_ name: String) throws {
        let fault = try #require(AliroPhoneFault.named(name))
        var phone = try phone(fault)
        // The first tap of a replay is a right one.
        if name == "replayed-auth1" {
            #expect(try tap(&phone).evidence != nil)
            #expect(!phone.tap.hasFailed)
        }
        let result = try tap(&phone)
        #expect(phone.tap.hasFailed)
        #expect(phone.findings == [], "\(fault.action)")
        switch fault.reaction {
        case .goesOn, .hasOpened: #expect(result.evidence != nil)
        case .refuses, .staysShut, .needsClock: #expect(result.evidence == nil)
        }
    }

    /// A door that trusts the issuer and lists no phone.
    private mutating func trust(_ issuer: P256PrivateKey) throws {
        reader.element = "floor1"
        store = AliroStore(binding: reader.binding)
        for anchor in [AliroAnchor(issuer.publicKey), AliroAnchor(issuer.publicKey, role: .authority)] {
            let isTrusted = store.add(anchor)
            try #require(isTrusted)
        }
    }

    private func issue(_ issuer: P256PrivateKey, iteration: Int? = nil) throws -> AliroIssue {
        try AliroIssue(
            by: issuer, to: [UInt8](key.publicPoint.octets), element: "floor1", iteration: iteration,
            at: AliroPhoneTests.moment.epochSeconds ?? 0)
    }

    /// A phone of another credential with a document of iteration 9.
    private mutating func presentIteration9(_ issuer: P256PrivateKey) throws {
        let other = try P256PrivateKey.generate()
        var phone = AliroPhone(
            other, trust: AliroPhone.Trust(point: reader.key.publicKey), activation: CardActivation(random: (1, 2, 3)))
        try phone.carry(
            AliroIssue(
                by: issuer, to: phone.point, element: "floor1", iteration: 9,
                at: AliroPhoneTests.moment.epochSeconds ?? 0))
        #expect(try tap(&phone).evidence != nil)
    }

    @Test(
        "32 to 55: a right reader refuses each fault of a document, and keeps no key of it",
        arguments: AliroPhoneFault.all.filter(\.needsDocument).map(\.name))
    mutating func documentFaults(_ name: String) throws {
        let fault = try #require(AliroPhoneFault.named(name))
        let issuer = try P256PrivateKey.generate()
        try trust(issuer)
        var phone = try phone()
        try phone.carry(issue(issuer))
        #expect(try tap(&phone).evidence != nil, "a right phone opens")
        #expect(phone.tap.phase == .stepUp && phone.findings == [])
        try trust(issuer)
        if name == "old-iteration" { try presentIteration9(issuer) }
        let before = store.credentials.count
        var failing = try self.phone(fault)
        try failing.carry(issue(issuer))
        try failing.checkFault()
        let result = try tap(&failing)
        #expect(failing.tap.hasFailed && failing.findings == [])
        guard fault.reaction != .goesOn, fault.reaction != .needsClock else {
            #expect(result.evidence != nil && failing.tap.isGranted)
            return
        }
        #expect(result.evidence == nil && !failing.tap.isGranted)
        #expect(store.credentials.count == before, "no key is kept")
        let status = AliroFaultChecks.statuses[name]
        #expect(failing.tap.status == status, "\(failing.tap.status ?? [])")
    }

    @Test("41: without a clock, a document that needs one is refused; a right one opens")
    mutating func clockless() throws {
        let issuer = try P256PrivateKey.generate()
        for (name, isGranted) in [("needs-time", false), (nil, true)] as [(String?, Bool)] {
            try trust(issuer)
            var phone = try phone(name.flatMap(AliroPhoneFault.named))
            try phone.carry(issue(issuer))
            let moment = Moment(instant: .origin, epochSeconds: nil)
            var transaction = try AliroTransaction(reader: reader, store: store, at: moment, in: .utc, random: &random)
            #expect((run(&transaction, with: &phone).evidence != nil) == isGranted)
            #expect(phone.findings == [] && phone.tap.isGranted == isGranted)
        }
    }

    @Test("A fault is not made of a document of another layout, and the phone says so instead of passing it on")
    mutating func misfits() throws {
        let issuer = try P256PrivateKey.generate()
        try trust(issuer)
        let right = try issue(issuer)
        for name in AliroPhoneFault.all.filter(\.needsDocument).map(\.name) {
            var phone = try phone(AliroPhoneFault.named(name))
            phone.wholeDocuments = [0xA0]
            phone.signals = 1
            let needsPlace = [
                "no-document", "no-element", "no-issuer", "other-issuer", "wrong-document", "other-algorithm",
                "wrong-digest", "other-document", "duplicate-key",
            ]
            if needsPlace.contains(name) {
                #expect(throws: AliroFaultMisfit.self, "\(name)") { try phone.checkFault() }
                _ = try tap(&phone)
                #expect(phone.tap.misfit != nil && !phone.tap.hasFailed && phone.findings == [], "\(name)")
            }
        }
        // Signed without the fault: by a document of a file.
        var phone = try phone(AliroPhoneFault.named("expired"))
        phone.documents["aliro-a"] = try right.access.document
        #expect(throws: AliroFaultMisfit.self) { try phone.checkFault() }
        _ = try tap(&phone)
        #expect(phone.tap.misfit != nil && !phone.tap.hasFailed && phone.findings == [])
    }

    @Test("Names are unique, and each fault has its sentence")
    func names() {
        #expect(Set(AliroPhoneFault.all.map(\.name)).count == AliroPhoneFault.all.count)
        #expect(AliroPhoneFault.all.allSatisfy { !$0.action.isEmpty })
        #expect(AliroPhoneFault.named("none") == nil)
    }

    @Test("A reader that is wrong has findings")
    mutating func findings() throws {
        var phone = try phone()
        _ = phone.respond(to: octets("00a4040009a000000909acce550100"), random: &random)
        // Le is missing, then the class is wrong, then an element is.
        _ = phone.respond(to: octets("8080000003410100"), random: &random)
        _ = phone.respond(to: octets("008000000341010000"), random: &random)
        #expect(
            phone.findings == [
                "AUTH0 without Le", "AUTH0 with a missing element, or an element of another length",
                "AUTH0 with another class or parameters",
            ])
    }

    @Test("A reader of another group is refused")
    mutating func otherGroup() throws {
        let point = reader.key.publicPoint.octets
        let trust = try #require(
            AliroPhone.Trust(group: .init(repeating: 1, count: 16), point: try P256PublicKey(point: point.span)))
        var phone = AliroPhone(key, trust: trust, activation: CardActivation(random: (1, 2, 3)))
        #expect(try tap(&phone).evidence == nil)
        #expect(phone.tap.control == [0x00, 0x00])
    }

    @Test("A phone that trusts another reader reports its signature")
    mutating func otherReader() throws {
        let trust = try #require(AliroPhone.Trust(group: nil, point: try P256PrivateKey.generate().publicKey))
        var phone = AliroPhone(key, trust: trust, activation: CardActivation(random: (1, 2, 3)))
        #expect(try tap(&phone).evidence == nil)
        #expect(phone.findings == ["AUTH1 with a signature that is not the reader's"])
    }
}
