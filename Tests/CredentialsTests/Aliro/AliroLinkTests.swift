// SPDX-License-Identifier: Apache-2.0

import Contactless
@testable import Credentials
import Crypto
import TestSupport
import Testing
import Timekeeping

/// Aliro over Bluetooth LE, from the reader's side: the checks 56 to 65 that a reader has to pass, and faults of
/// phones.
@Suite struct AliroLinkTests {
    /// General error, no named reason.
    private static let failure: [UInt8] = [0x02, 0x00, 0x00, 0x03, 0x01, 0x01, 0x00]
    private static let busy: [UInt8] = [0x02, 0x00, 0x00, 0x02, 0x00, 0x00]

    /// A reader, a phone that it knows, and their transaction.
    private struct Meeting {
        var door: AliroDoor
        var phone: AliroLinkPhone
        var transaction: AliroLinkTransaction
        var now = Instant.origin

        init(isKnown: Bool = true, _ change: (inout AliroDoor, inout AliroLinkPhone) throws -> Void = { _, _ in })
            throws
        {
            door = try AliroDoor()
            phone = AliroLinkPhone(try door.phone(isKnown: isKnown))
            try change(&door, &phone)
            transaction = try AliroLinkTransaction(
                reader: door.reader, store: door.store, at: door.moment, in: door.zone, random: &door.random)
            #expect(transaction.start() == .wait)
        }

        mutating func receive(_ unit: [UInt8]) -> LinkStep {
            transaction.observe(now, isUnlocked: false)
            return transaction.receive(unit.span)
        }

        /// The phone's side from its first message until the reader waits for it, decides or ends.
        mutating func follow(_ first: [UInt8]) throws -> LinkStep {
            var step = receive(first)
            while case .send(let unit) = step {
                guard let response = phone.respond(to: unit) else { return step }
                step = receive(response)
            }
            if case .end(_, let last) = step, !last.isEmpty { _ = phone.respond(to: last) }
            return step
        }

        /// From the first message to the completion.
        mutating func complete(forAction: Bool = true) throws {
            let step = try follow(phone.initiate(forAction: forAction))
            guard case .send = step, phone.notified == [[0x02, 0x03, 0x00, 0x04, 0x00, 0x02, 0x40, 0x00]] else {
                Issue.record("not completed: \(step), \(phone.notified)")
                throw CardRefusal.outOfOrder
            }
        }

        mutating func request(_ action: [UInt8]) throws -> LinkStep {
            try follow(phone.sealed([0x02, 0x04], action) ?? [])
        }
    }

    /// The refusal that a step ends with; nil for another step.
    private func refusal(_ step: LinkStep) -> CardRefusal? {
        if case .end(.refused(let refusal), _) = step { refusal } else { nil }
    }

    // MARK: The checks

    @Test("Check 56: 31 octets, and a new tag for a new address and a new time")
    func advertisement() throws {
        let identifier = try AliroDoor().reader.identifier
        let packet = try #require(AliroAdvertisement(identifier, resolvingKey: [UInt8](repeating: 7, count: 16)))
        let first = try packet.data(address: [0xC1, 2, 3, 4, 5, 6], expiry: 1000)
        let moved = try packet.data(address: [0xC1, 2, 3, 4, 5, 7], expiry: 1000)
        let later = try packet.data(address: [0xC1, 2, 3, 4, 5, 6], expiry: 1450)
        #expect([first, moved, later].allSatisfy { $0.count == 31 })
        #expect(Set([first, moved, later].map { $0.suffix(7) }).count == 3)
        #expect(first.prefix(24) == moved.prefix(24))
        // Bluetooth LE only: a phone does not wait for ranging.
        #expect(first[7] == 0x40)
        // Without a clock.
        #expect(try packet.data(address: [0xC1, 2, 3, 4, 5, 6], expiry: nil)[19..<23] == [0xFF, 0xFF, 0xFF, 0xFF])
        #expect(AliroAdvertisement(identifier, resolvingKey: [1]) == nil)
        #expect(throws: CryptoError.invalidLength) { try packet.data(address: [1], expiry: nil) }
    }

    @Test("Check 57: an unlisted version is not accepted")
    func versions() {
        func accepts(_ value: [UInt8]) -> Bool { AliroLinkTransaction.accepts(version: value.span) }
        #expect(accepts([0x01, 0x00, 0x01, 0x00]) && accepts([0x01, 0x00, 0x01, 0x07]))
        let others: [[UInt8]] = [
            [], [0x01, 0xFF, 0x01, 0x00], [0x00, 0x09, 0x01, 0x00], [0x01, 0x00], [0x01, 0x00, 0x02, 0x00],
            [0x01, 0x00, 0x01, 0x00, 0x00],
        ]
        for value in others {
            #expect(!accepts(value), "\(value)")
        }
    }

    /// The reader uses the first attribute that has an element A5, and skips others.
    @Test func attributesBeforeTheElementAreSkipped() throws {
        var meeting = try Meeting()
        let first = meeting.phone.initiate()
        let unit = AliroLinkPhone.message([0x02, 0x06], [0x07, 0x01, 0xFF] + first[4...])
        guard case .send = meeting.receive(unit) else { throw CardRefusal.outOfOrder }
    }

    /// The phone is informed of the observed state: a lock that did not move is not reported as unlocked.
    @Test func lockThatDidNotMoveIsReported() throws {
        var meeting = try Meeting()
        try meeting.complete()
        _ = try meeting.request(AliroLinkPhone.unlock)
        meeting.transaction.observe(meeting.now, isUnlocked: false)
        guard case .end(.concluded, let last) = meeting.transaction.conclude(.opened) else {
            throw CardRefusal.outOfOrder
        }
        _ = meeting.phone.respond(to: last)
        #expect(meeting.phone.notified.last == [0x02, 0x02, 0x00, 0x04, 0x00, 0x02, 0x06, 0x00])
    }

    @Test(
        "Check 59: no AUTH0 for another expedited version, type or element",
        arguments: [
            "a508800200005c0201ff", "a508800200015c020100", "a504800200005c020100", "a50480020000", "6f00", "",
            "a508800200005c020100a508800200005c020100",
        ]) func initiationWithAnother(_ application: String) throws
    {
        var meeting = try Meeting { _, phone in phone.phone.application = octets(application) }
        let step = try meeting.follow(meeting.phone.initiate())
        #expect(refusal(step) == (application == "a508800200005c0201ff" ? .version : .malformed))
        #expect(meeting.phone.phone.tap.commands.isEmpty && meeting.phone.notified == [Self.failure])
    }

    @Test("Check 60: silence ends the transaction within 3 s, at each message")
    func silence() throws {
        for answered in 0..<3 {
            var meeting = try Meeting()
            var step = meeting.receive(meeting.phone.initiate())
            for _ in 0..<answered {
                guard case .send(let unit) = step, let response = meeting.phone.respond(to: unit) else { break }
                step = meeting.receive(response)
            }
            #expect(meeting.transaction.deadline == .origin + .milliseconds(1500))
            #expect(meeting.transaction.expire() == .end(.refused(.silent), last: Self.failure))
            #expect(meeting.transaction.deadline == nil)
        }
    }

    /// A response after the deadline is not served, although no one has called `expire`.
    @Test func lateResponseIsRefused() throws {
        var meeting = try Meeting()
        guard case .send(let unit) = meeting.receive(meeting.phone.initiate()),
            let response = meeting.phone.respond(to: unit)
        else { throw CardRefusal.outOfOrder }
        meeting.now = meeting.now + .milliseconds(1500)
        #expect(refusal(meeting.receive(response)) == .silent)
    }

    @Test("Check 61: a busy phone has more time, and not without end")
    func busyPhone() throws {
        var meeting = try Meeting()
        guard case .send(let unit) = meeting.receive(meeting.phone.initiate()),
            let response = meeting.phone.respond(to: unit)
        else { throw CardRefusal.outOfOrder }
        meeting.now = meeting.now + .milliseconds(1000)
        #expect(meeting.receive(Self.busy) == .wait)
        #expect(meeting.transaction.deadline == .origin + .milliseconds(2500))
        meeting.now = meeting.now + .milliseconds(1000)
        // An event and the response in one unit.
        guard case .send = meeting.receive(Self.busy + response) else { throw CardRefusal.outOfOrder }
        var step = LinkStep.wait
        for _ in 0..<AliroLinkTransaction.maximumBusyEvents where step == .wait { step = meeting.receive(Self.busy) }
        #expect(refusal(step) == .tooLong)
    }

    @Test("Check 62: a request to unlock is decided, and the phone gets the door's state")
    func unlocking() throws {
        for (decision, state) in [(CardDecision.opened, 0x01), (.handedOn, 0x82)] as [(CardDecision, UInt8)] {
            var meeting = try Meeting()
            try meeting.complete()
            let step = try meeting.request(AliroLinkPhone.unlock)
            meeting.transaction.observe(meeting.now, isUnlocked: decision == .opened ? true : nil)
            #expect(step == .decide(CardEvidence(kind: .aliro, identity: meeting.phone.phone.point)))
            guard case .end(.concluded, let last) = meeting.transaction.conclude(decision) else {
                throw CardRefusal.outOfOrder
            }
            _ = meeting.phone.respond(to: last)
            #expect(meeting.phone.notified.last == [0x02, 0x02, 0x00, 0x04, 0x00, 0x02, 0x06, state])
            #expect(meeting.transaction.effects.count == 1)
        }
    }

    /// The door locks itself: a request to lock moves nothing, and a request to unlock may follow.
    @Test("Check 62: a request to lock gets the door's state")
    func locking() throws {
        var meeting = try Meeting()
        try meeting.complete()
        for isUnlocked in [false, true, nil] {
            meeting.transaction.observe(.origin, isUnlocked: isUnlocked)
            let unit = meeting.phone.sealed([0x02, 0x04], AliroLinkPhone.lock) ?? []
            guard case .send(let answer) = meeting.transaction.receive(unit.span) else { throw CardRefusal.outOfOrder }
            _ = meeting.phone.respond(to: answer)
            let state: UInt8 = isUnlocked.map { $0 ? 0x01 : 0x00 } ?? 0x82
            #expect(meeting.phone.notified.last == [0x02, 0x02, 0x00, 0x04, 0x00, 0x02, 0x00, state])
        }
        guard case .decide = try meeting.request(AliroLinkPhone.unlock) else { throw CardRefusal.outOfOrder }
    }

    @Test("Check 63: ten requests are ten standard phases", arguments: [true, false])
    func neverFast(_ forAction: Bool) throws {
        var door = try AliroDoor()
        var phone = AliroLinkPhone(try door.phone())
        for _ in 0..<10 {
            var meeting = try Meeting {
                $0 = door; $1 = phone
            }
            try meeting.complete(forAction: forAction)
            guard case .decide = try meeting.request(AliroLinkPhone.unlock) else { throw CardRefusal.outOfOrder }
            _ = meeting.transaction.conclude(.opened)
            for effect in meeting.transaction.effects { door.store.apply(effect) }
            #expect(door.store.persistentPoints.count == 1)
            let instructions = meeting.phone.phone.tap.commands.map { $0[1] }
            #expect(instructions == [0x80, 0x81, 0xC9])
            // AUTH0 asks for no cryptogram.
            #expect(meeting.phone.phone.tap.commands[0][5..<8] == [0x41, 0x01, 0x00])
            phone = meeting.phone
        }
    }

    @Test("Check 64: a sealed message that is replayed, changed or out of order ends the transaction")
    func sealedMessages() throws {
        let faults: [(inout AliroLinkPhone, [UInt8]) -> [UInt8]] = [
            { phone, unit in unit.dropLast() + [unit[unit.count - 1] ^ 1] },
            { phone, unit in [0x02, 0x00] + unit[2...] },
            { phone, unit in phone.sealed([0x02, 0x04], AliroLinkPhone.unlock) ?? [] },
            { phone, unit in AliroLinkPhone.message([0x02, 0x04], AliroLinkPhone.unlock) },
            { phone, unit in AliroLinkPhone.message([0x02, 0x04], []) },
        ]
        for (index, fault) in faults.enumerated() {
            var meeting = try Meeting()
            try meeting.complete()
            let unit = meeting.phone.sealed([0x02, 0x04], AliroLinkPhone.unlock) ?? []
            let step = meeting.receive(fault(&meeting.phone, unit))
            #expect(refusal(step) == .proof, "fault \(index)")
            #expect(meeting.transaction.effects.isEmpty)
            // The right one comes too late.
            #expect(refusal(meeting.receive(unit)) == .outOfOrder)
        }
        var meeting = try Meeting()
        try meeting.complete()
        let unit = meeting.phone.sealed([0x02, 0x04], AliroLinkPhone.lock) ?? []
        guard case .send = meeting.receive(unit) else { throw CardRefusal.outOfOrder }
        #expect(refusal(meeting.receive(unit)) == .proof)
    }

    /// Busy events of a phone that has proven nothing keep a transaction for 6 s, and no longer.
    @Test func busyPhoneIsNotServedWithoutEnd() throws {
        var meeting = try Meeting()
        _ = meeting.receive(meeting.phone.initiate())
        for _ in 0..<5 {
            meeting.now = meeting.now + .seconds(1)
            #expect(meeting.receive(Self.busy) == .wait)
        }
        #expect(meeting.transaction.deadline == .origin + .seconds(6))
        meeting.now = .origin + .seconds(6)
        #expect(refusal(meeting.receive(Self.busy)) == .silent)
    }

    /// 450 to 900 s, another one every 450 s, and none without a clock or after 32 bits.
    @Test func tagsEnd() {
        let noon = AliroDoor.noon
        for second in stride(from: noon, to: noon + 1000, by: 7) {
            let expiry = AliroAdvertisement.expiry(at: second).map(Int64.init) ?? 0
            #expect((451...900).contains(expiry - second) && expiry % 450 == 0)
        }
        #expect(AliroAdvertisement.expiry(at: nil) == nil && AliroAdvertisement.expiry(at: -1) == nil)
        #expect(AliroAdvertisement.expiry(at: Int64(UInt32.max)) == nil)
        #expect(AliroAdvertisement.expiry(at: .max) == nil)
    }

    /// A message of the reader that comes back is not one of the phone.
    @Test func reflectedMessageIsRefused() throws {
        var meeting = try Meeting()
        try meeting.complete()
        guard
            case .send(let status) = meeting.receive(
                meeting.phone.sealed([0x02, 0x04], AliroLinkPhone.lock) ?? [])
        else {
            throw CardRefusal.outOfOrder
        }
        #expect(refusal(meeting.receive([0x02, 0x04] + status[2...])) == .proof)
    }

    @Test("Check 65: a general error of the phone ends the transaction")
    func generalError() throws {
        var meeting = try Meeting()
        _ = meeting.receive(meeting.phone.initiate())
        #expect(refusal(meeting.receive(Self.failure)) == .statusWord)
        meeting = try Meeting()
        try meeting.complete()
        let sealed = meeting.phone.sealed([0x02, 0x00], [0x01, 0x01, 0x00]) ?? []
        #expect(refusal(meeting.receive(sealed)) == .statusWord)
    }

    // MARK: Credentials

    /// Authentication alone opens nothing, and stores nothing.
    @Test func withoutARequestNothingOpens() throws {
        var meeting = try Meeting()
        try meeting.complete(forAction: false)
        #expect(meeting.transaction.effects.isEmpty)
        #expect(meeting.transaction.deadline == .origin + .seconds(5))
        let step = meeting.transaction.expire()
        #expect(refusal(step) == .silent)
    }

    @Test func refusedPhoneGetsASealedErrorAndLeavesNoKey() throws {
        var meeting = try Meeting()
        try meeting.complete()
        _ = try meeting.request(AliroLinkPhone.unlock)
        guard case .end(.concluded, let last) = meeting.transaction.conclude(.refused) else {
            throw CardRefusal.outOfOrder
        }
        _ = meeting.phone.respond(to: last)
        #expect(meeting.phone.notified.last == Self.failure)
        #expect(meeting.transaction.effects.isEmpty)
    }

    @Test func unknownPhoneIsRefusedBeforeTheCompletion() throws {
        var meeting = try Meeting(isKnown: false)
        let step = try meeting.follow(meeting.phone.initiate())
        #expect(step == .end(.refused(.unknown), last: Self.failure))
        #expect(meeting.phone.phone.tap.commands.map { $0[1] } == [0x80, 0x81])
    }

    @Test func phoneWithAnotherKeyIsRefused() throws {
        var meeting = try Meeting()
        meeting.phone.phone.changes[.authenticate1] = .otherSigner
        #expect(refusal(try meeting.follow(meeting.phone.initiate())) == .proof)
    }

    @Test func unknownPhoneIsLetInByItsDocument() throws {
        var meeting = try Meeting(isKnown: false) { door, phone in
            let issuer = try door.trustIssuer()
            phone.phone.signals = 1
            phone.phone.signatureTimes[0x91] = Array("2026-01-01T00:00:00Z".utf8)
            phone.phone.documents["aliro-a"] = try AliroDocumentMaker(issuer, for: phone.phone.point).document
        }
        try meeting.complete()
        // The channel is confirmed before the documents.
        #expect(meeting.phone.phone.tap.commands.map { $0[1] }.filter { $0 != 0xC0 } == [0x80, 0x81, 0xC9, 0xC3])
        guard case .decide(let evidence) = try meeting.request(AliroLinkPhone.unlock) else {
            throw CardRefusal.outOfOrder
        }
        #expect(evidence.issuer != nil)
        _ = meeting.transaction.conclude(.opened)
        #expect(meeting.transaction.effects.contains { if case .credential = $0 { true } else { false } })
    }

    @Test func channelIsConfirmed() throws {
        var meeting = try Meeting { _, phone in phone.phone.changes[.exchange] = .plaintext { _ in [0, 2, 0, 1] } }
        #expect(refusal(try meeting.follow(meeting.phone.initiate())) == .statusWord)
    }

    // MARK: Messages

    @Test(arguments: [
        ("", CardRefusal.malformed), ("0206", .malformed), ("02060001", .malformed), ("0207000100", .malformed),
        ("0100000000", .malformed), ("02060000", .malformed), ("0206000401020001", .malformed),
        ("0206000400010000", .malformed), ("02040003000101", .outOfOrder), ("000100029000", .outOfOrder),
        ("0203000400024000", .outOfOrder), ("020000020000020000020000020000020000020000020000020000020000", .tooLong),
    ]) func firstMessage(_ unit: String, _ expected: CardRefusal) throws {
        var meeting = try Meeting()
        #expect(meeting.receive(octets(unit)) == .end(.refused(expected), last: Self.failure))
        #expect(refusal(meeting.receive(meeting.phone.initiate())) == .outOfOrder)
    }

    @Test func tooLongUnitIsRefused() throws {
        var meeting = try Meeting()
        #expect(refusal(meeting.receive([UInt8](repeating: 0, count: 513))) == .tooLong)
    }

    /// Nothing follows a message that the reader answers, in the same unit.
    @Test func messageAfterAnAnsweredOneIsRefused() throws {
        var meeting = try Meeting()
        let first = meeting.phone.initiate()
        #expect(refusal(meeting.receive(first + first)) == .outOfOrder)
        meeting = try Meeting()
        try meeting.complete()
        let unlock = meeting.phone.sealed([0x02, 0x04], AliroLinkPhone.unlock) ?? []
        let second = meeting.phone.sealed([0x02, 0x04], AliroLinkPhone.unlock) ?? []
        #expect(refusal(meeting.receive(unlock + second)) == .outOfOrder)
    }

    @Test(arguments: ["0001", "000102", "00020101", "000101000101", "010101", ""]) func requestWithAnotherAction(
        _ action: String
    ) throws {
        var meeting = try Meeting()
        try meeting.complete()
        #expect(refusal(try meeting.request(octets(action))) == .malformed)
    }

    @Test func callsOutOfOrderEnd() throws {
        var meeting = try Meeting()
        #expect(refusal(meeting.transaction.start()) == .outOfOrder)
        meeting = try Meeting()
        #expect(refusal(meeting.transaction.conclude(.opened)) == .outOfOrder)
        meeting = try Meeting()
        try meeting.complete()
        #expect(refusal(meeting.transaction.conclude(.opened)) == .outOfOrder)
        #expect(meeting.transaction.effects.isEmpty)
    }
}
