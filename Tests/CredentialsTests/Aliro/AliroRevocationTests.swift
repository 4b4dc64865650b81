// SPDX-License-Identifier: Apache-2.0

import Contactless
@testable import Credentials
import Crypto
import TestSupport
import Testing
import Timekeeping

/// Revocations in documents: they stand whatever becomes of the phone that brings them, and of transactions beside it.
@Suite struct AliroRevocationTests {
    /// A door that trusts an issuer, and the phone that is revoked, which it knows.
    private struct Bench {
        var door: AliroDoor
        let issuer: P256PrivateKey
        var target: AliroPhone

        init() throws {
            door = try AliroDoor()
            issuer = try door.trustIssuer()
            target = try door.phone()
        }

        var isRevoked: Bool { door.store.revokes(target.point) }

        /// A phone that carries a revocation of these phones.
        mutating func courier(
            isKnown: Bool = true, revoking points: [[UInt8]]? = nil, mode: Int = 1,
            signed: String = "2026-11-20T00:00:00Z"
        ) throws -> AliroPhone {
            var courier = try door.phone(isKnown: isKnown, scalar: AliroDoor.authority)
            var maker = try AliroDocumentMaker(issuer, for: nil)
            (maker.type, maker.signed) = ("aliro-r", signed)
            maker.value = Self.element(mode: mode, adding: points ?? [target.point])
            courier.documents["aliro-r"] = try maker.document
            courier.signals = 0b110
            courier.signatureTimes[0x92] = Array(signed.utf8)
            return courier
        }

        static func element(mode: Int, adding points: [[UInt8]]) -> EncodedItem {
            .map([
                (0, 1), (1, .integer(mode)), (2, .array(points.map { .map([(0, .octets(sha256($0)))]) })),
            ])
        }

        /// Adds an access document, which opens nothing without `rule`.
        func addAccess(to phone: inout AliroPhone, rule: Int) throws {
            var maker = try AliroDocumentMaker(issuer, for: phone.point)
            maker.value = .map([(0, 1), (2, .array([.map([(0, .integer(rule))])]))])
            phone.documents["aliro-a"] = try maker.document
            phone.signals = (phone.signals ?? 0b100) | 1
            phone.signatureTimes[0x91] = Array(maker.signed.utf8)
        }
    }

    @Test("A phone that is refused leaves the revocation that it has brought", arguments: [1, 2])
    func refusedCourier(rule: Int) throws {
        var bench = try Bench()
        var courier = try bench.courier(isKnown: false)
        // Rule 1 only locks; by rule 2 the caller refuses.
        try bench.addAccess(to: &courier, rule: rule)
        let tap = try bench.door.tap(&courier, .refused)
        #expect(rule == 1 ? tap.outcome == .refused(.noRight) : tap.decided != nil)
        #expect(!tap.storesKey && !tap.storesCredential && bench.isRevoked)
        #expect(try bench.door.tap(&bench.target).outcome == .refused(.revoked))
    }

    @Test("A phone that is revoked by its own document leaves it")
    func revokedCourier() throws {
        var bench = try Bench()
        let courierPoint = try bench.door.phone(isKnown: false, scalar: AliroDoor.authority).point
        var courier = try bench.courier(revoking: [courierPoint, bench.target.point])
        #expect(try bench.door.tap(&courier).outcome == .refused(.revoked))
        #expect(bench.isRevoked)
    }

    /// The insider's way: a transaction that began before another phone brought his revocation, and ends after it.
    @Test("A document that is verified later takes no revocation back that came meanwhile")
    func overlappingTransactions() throws {
        var bench = try Bench()
        var insider = try bench.door.phone(isKnown: false, scalar: [UInt8](repeating: 7, count: 32))
        try bench.addAccess(to: &insider, rule: 2)
        insider.activate()
        var transaction = try AliroTransaction(
            reader: bench.door.reader, store: bench.door.store, at: bench.door.moment, in: bench.door.zone,
            random: &bench.door.random)
        var step = transaction.start()
        // Another phone revokes both, over Bluetooth LE.
        var courier = try bench.courier(revoking: [insider.point, bench.target.point])
        #expect(try bench.door.tap(&courier).isOpened && bench.isRevoked)
        for _ in 0..<50 {
            guard case .transmit(let command) = step else { break }
            let response = insider.respond(to: command)
            step = transaction.receive(response.span)
        }
        guard case .decide = step else { throw CardRefusal.outOfOrder }
        for effect in transaction.effects { bench.door.store.apply(effect) }
        transaction.wipe()
        #expect(bench.isRevoked && bench.door.store.revokes(insider.point))
        #expect(bench.door.store.revokedCount == 2)
    }

    @Test("A document that is shown again changes nothing, also if its phone is refused each time")
    func repeatedDocument() throws {
        var bench = try Bench()
        var courier = try bench.courier(isKnown: false)
        try bench.addAccess(to: &courier, rule: 1)
        #expect(try bench.door.tap(&courier).effects.count == 1)
        for _ in 0..<3 {
            let tap = try bench.door.tap(&courier)
            #expect(courier.tap.phase == .stepUp && tap.outcome == .refused(.noRight) && tap.effects.isEmpty)
        }
        // One of the same time, and an older one, are no news either.
        var other = try bench.courier(isKnown: false, revoking: [], mode: 0)
        try bench.addAccess(to: &other, rule: 1)
        #expect(try bench.door.tap(&other).effects.isEmpty && bench.isRevoked)
    }

    @Test("Over Bluetooth LE a revocation is due once it is verified, before the phone asks or leaves")
    func overBluetooth() throws {
        for isRevoked in [false, true] {
            var bench = try Bench()
            let point = try bench.door.phone(isKnown: false, scalar: AliroDoor.authority).point
            var courier = try bench.courier(revoking: [bench.target.point] + (isRevoked ? [point] : []))
            courier.signals = 0b010
            var phone = AliroLinkPhone(courier)
            var transaction = try AliroLinkTransaction(
                reader: bench.door.reader, store: bench.door.store, at: bench.door.moment, in: bench.door.zone,
                random: &bench.door.random)
            _ = transaction.start()
            var step = transaction.receive(phone.initiate().span)
            while case .send(let unit) = step, let response = phone.respond(to: unit) {
                step = transaction.receive(response.span)
            }
            if isRevoked {
                #expect(step == .end(.refused(.revoked), last: [0x02, 0x00, 0x00, 0x03, 0x01, 0x01, 0x00]))
            } else {
                _ = transaction.expire()
            }
            let changes = transaction.takeEffects()
            #expect(changes.count == 1 && transaction.takeEffects().isEmpty)
            for change in changes { bench.door.store.apply(change) }
            #expect(bench.isRevoked)
        }
    }

    // MARK: The bound

    /// `count` entries that are no phone's.
    private static func others(_ count: Int, from first: Int = 0) -> [[UInt8]] {
        (first..<first + count).map { [UInt8($0 >> 16), UInt8($0 >> 8 & 0xFF), UInt8($0 & 0xFF)] }
    }

    @Test("With one entry more than are kept every phone is refused, until a newer list fits")
    func overfullLedger() throws {
        var bench = try Bench()
        let point = [UInt8](bench.issuer.publicPoint.octets)
        func change(_ signed: Int64, _ mode: Int, _ points: [[UInt8]]) -> AliroEffect {
            let revocation = AliroRevocation(isReplacing: mode == 0, added: points.map(sha256), removed: [])
            return .issuer(AliroIssuerChange(issuer: point, anchor: point, signed: signed, revocation: revocation))
        }
        let isFilled = bench.door.store.apply(change(1, 0, Self.others(AliroLedger.maximumRevoked)))
        #expect(isFilled && bench.door.store.revokedCount == 4096 && !bench.isRevoked)
        #expect(try bench.door.tap(&bench.target).isOpened)
        let isOverfilled = bench.door.store.apply(change(2, 1, Self.others(1, from: 5000)))
        #expect(isOverfilled && bench.door.store.revokedCount == nil && bench.isRevoked)
        #expect(try bench.door.tap(&bench.target).outcome == .refused(.revoked))
        // The state outlasts a restart, and needs no room.
        let octets = try bench.door.store.octets()
        #expect(octets.count < 2000)
        bench.door.store = try AliroStore(octets: octets.span)
        #expect(bench.door.store.revokedCount == nil && bench.isRevoked)
        // What was dropped is not known: neither a removal nor an older list ends it.
        let areChanged = [change(3, 1, []), change(1, 0, [])].map { bench.door.store.apply($0) }
        #expect(areChanged == [true, false] && bench.isRevoked)
        // A phone that is refused may bring the list that ends it.
        var courier = try bench.courier(revoking: [[1]], mode: 0)
        #expect(try bench.door.tap(&courier).isOpened)
        #expect(bench.door.store.revokedCount == 1)
        #expect(try bench.door.tap(&bench.target).isOpened)
    }

    @Test("An issuer that is trusted again gets its revocations again")
    func issuerThatReturns() throws {
        var bench = try Bench()
        var courier = try bench.courier()
        #expect(try bench.door.tap(&courier).isOpened && bench.isRevoked)
        bench.door.store.remove(anchor: [UInt8](bench.issuer.publicPoint.octets))
        #expect(!bench.isRevoked)
        _ = try bench.door.trustIssuer()
        #expect(try bench.door.tap(&courier).isOpened && bench.isRevoked)
    }

    /// With more issuers than are kept, a further one grants nothing, and nothing is written.
    @Test func furtherIssuerIsRefused() throws {
        var bench = try Bench()
        let anchor = [UInt8](bench.issuer.publicPoint.octets)
        for index in 0..<AliroStore.maximumLedgers {
            bench.door.store.put(AliroLedger(anchor: anchor), issuer: [UInt8(index)])
        }
        var courier = try bench.courier()
        let tap = try bench.door.tap(&courier)
        #expect(tap.outcome == .refused(.document) && tap.effects.isEmpty)
    }
}
