// SPDX-License-Identifier: Apache-2.0

import Contactless
@testable import Credentials
import Crypto
import TestSupport
import Testing
import Timekeeping

/// The store in octets, as its file has them.
@Suite struct AliroStoreOctetsTests {
    /// A store with a listed phone, a phone with a document, keys of both, and an issuer's revocations.
    private static func store() throws -> AliroStore {
        var door = try AliroDoor()
        let issuer = try door.trustIssuer()
        var phone = try door.phone()
        _ = try door.tap(&phone)
        var other = try door.phone(isKnown: false, scalar: AliroDoor.authority)
        other.documents = ["aliro-a": try AliroDocumentMaker(issuer, for: other.point).document]
        other.signals = 1
        #expect(try door.tap(&other).isOpened)
        let point = [UInt8](issuer.publicPoint.octets)
        var ledger = AliroLedger(anchor: point)
        ledger.highestIteration = 9
        ledger.revoked = [sha256([1]), sha256([2])]
        ledger.revocationSigned = 1_795_262_400
        door.store.put(ledger, issuer: point)
        return door.store
    }

    private static func read(_ octets: [UInt8]) throws -> AliroStore { try AliroStore(octets: octets.span) }

    @Test func whatIsWrittenIsRead() throws {
        let store = try Self.store()
        let read = try Self.read(store.octets())
        #expect(read.binding == store.binding && read.credentials == store.credentials)
        #expect(read.anchors == store.anchors && read.ledgers == store.ledgers)
        #expect(read.persistentKeys == store.persistentKeys && read.persistentKeys.count == 2)
        #expect(try read.octets() == store.octets())
    }

    /// No octet can change unnoticed, and no part of the file is a store.
    @Test func damageIsFound() throws {
        let octets = try Self.store().octets()
        for index in octets.indices {
            var damaged = octets
            damaged[index] ^= 0x40
            #expect(throws: AliroStore.Damage.damaged) { try Self.read(damaged) }
        }
        for count in 0..<octets.count {
            #expect(throws: AliroStore.Damage.damaged) { try Self.read(Array(octets.prefix(count))) }
        }
        #expect(throws: AliroStore.Damage.damaged) { try Self.read(octets + [0]) }
    }

    /// A checksum that holds does not make a store of other octets.
    @Test func contentIsChecked() throws {
        let octets = try Self.store().octets().dropLast(32)
        func read(_ content: [UInt8]) throws -> AliroStore { try Self.read(content + sha256(content)) }
        var later = Array(octets)
        later[7] = 2
        #expect(throws: AliroStore.Damage.laterVersion) { try read(later) }
        for index in 8..<octets.count {
            var other = Array(octets)
            other[index] = 0xFF
            // It is refused, or is another store; it never traps.
            _ = try? read(other)
        }
        for count in 8..<octets.count {
            #expect(throws: AliroStore.Damage.damaged) { try read(Array(octets.prefix(count))) }
        }
        #expect(throws: AliroStore.Damage.damaged) { try read(octets + [0]) }
    }

    /// The point of a small private key.
    private static func point(_ number: Int) throws -> [UInt8] {
        let scalar = [UInt8](repeating: 0, count: 30) + [UInt8(number >> 8), UInt8(number & 0xFF)]
        return [UInt8](try P256PrivateKey(scalar).publicPoint.octets)
    }

    /// A list that is longer than the store changes it once.
    @Test func listedPhonesBeyondTheMaximumAreLeftOut() throws {
        var store = try Self.store()
        let phones = try (1...AliroStore.maximumCredentials + 1).map(Self.point)
        let isSet = store.setListed(phones)
        let isSetAgain = store.setListed(phones)
        #expect(isSet && !isSetAgain && store.credentials.count == AliroStore.maximumCredentials)
        #expect(store.credentials.allSatisfy { $0.grant == nil })
    }

    @Test func listedPhonesHaveRoom() throws {
        var store = try Self.store()
        let phones = try (1...3).map(Self.point)
        let offTheCurve = [UInt8](phones[0].dropLast()) + [phones[0][64] ^ 1]
        let isSet = store.setListed(phones + [offTheCurve, []])
        #expect(isSet)
        #expect(store.credentials.filter { $0.grant == nil }.count == 3 && store.persistentPoints.count == 1)
        let isSetAgain = store.setListed(phones)
        #expect(!isSetAgain)
        let isEmptied = store.setListed([])
        #expect(isEmptied && store.credentials.allSatisfy { $0.grant != nil })
    }
}
