// SPDX-License-Identifier: Apache-2.0

import Contactless
@testable import Credentials
import Crypto
import TestSupport
import Testing
import Timekeeping

/// The checks 66 to 75: replays, reflections, and the life of persistent keys.
@Suite struct AliroAttackTests {
    @Test("Check 66: the responses of an earlier transaction fail")
    func replay() throws {
        var door = try AliroDoor()
        door.reader.isFastOffered = false
        var phone = try door.phone()
        var recorded: [[UInt8]] = []
        var responses: [[UInt8]] = []
        for isReplay in [false, true] {
            phone.activate()
            var transaction = try AliroTransaction(
                reader: door.reader, store: door.store, at: door.moment, in: .utc, random: &door.random)
            var step = transaction.start()
            var outcome: CardOutcome?
            while outcome == nil {
                switch step {
                case .transmit(let command):
                    responses.append(phone.respond(to: command))
                    let response =
                        isReplay && recorded.count > responses.count - 1
                        ? recorded[responses.count - 1] : responses[responses.count - 1]
                    step = transaction.receive(response.span)
                case .decide: step = transaction.conclude(.opened)
                case .end(let result): outcome = result
                }
            }
            #expect(outcome == (isReplay ? .refused(.proof) : .concluded))
            #expect(transaction.effects.isEmpty == isReplay)
            recorded = responses
            responses = []
        }
    }

    @Test("Check 67: a message of the reader does not open as the phone's")
    func reflection() throws {
        let key = [UInt8](repeating: 7, count: 32)
        var channel = AliroChannel(readerKey: key, deviceKey: key)
        let sealed = try channel.seal([1, 2, 3])
        #expect(throws: CryptoError.notAuthentic) { try channel.open(sealed.span) }
        #expect(sealed.count == 3 + AES256GCM.tagCount)
    }

    @Test("Check 75: the counter advances after a message that does not open, and ends")
    func counters() throws {
        let key = [UInt8](repeating: 7, count: 32)
        var (reader, phone) = (
            AliroChannel(readerKey: key, deviceKey: key), AliroPhoneChannel(reader: key, phone: key)
        )
        let first = phone.seal([1])
        let second = phone.seal([2])
        let wrong = [first[0] ^ 1] + first[1...]
        #expect(throws: CryptoError.notAuthentic) { try reader.open(wrong.span) }
        #expect(throws: CryptoError.notAuthentic) { try reader.open(first.span) }
        let third = phone.seal([3])
        #expect(try reader.open(third.span) == [3])
        #expect(throws: CryptoError.notAuthentic) { try reader.open(second.span) }
        var sealing = 0
        while (try? reader.seal([])) != nil { sealing += 1 }
        #expect(sealing == 0xFFFE)
    }

    @Test("Check 69: persistent keys end with the credential, the reader's key or identifier, and everything")
    func erasure() throws {
        var door = try AliroDoor()
        var phone = try door.phone()
        let identifier = door.reader.identifier
        for change in 0..<4 {
            door.store.bind(to: door.reader.binding)
            try door.store.include(AliroCredential(phone.key.publicKey))
            #expect(try door.tap(&phone).isOpened)
            #expect(door.store.persistentPoints == [phone.point])
            switch change {
            case 0: door.store.remove(credential: phone.point)
            case 1: door.store.bind(to: AliroReader(key: try P256PrivateKey.generate(), identifier: identifier).binding)
            case 2:
                let other = try #require(
                    AliroReader.Identifier(group: identifier.group, sub: .init(repeating: 1, count: 16)))
                door.store.bind(to: AliroReader(key: door.reader.key, identifier: other).binding)
            default: door.store.erase()
            }
            #expect(door.store.persistentPoints.isEmpty)
        }
        // A key of a credential that is not there is not kept.
        let key = SecretOctets([UInt8](repeating: 1, count: 32))
        door.store.apply(.persistentKey(key, of: phone.point, revocationSeen: nil))
        #expect(door.store.persistentPoints.isEmpty)
    }

    @Test("Check 69: a store of another reader is no basis for the fast phase")
    func otherBinding() throws {
        var door = try AliroDoor()
        var phone = try door.phone()
        #expect(try door.tap(&phone).isOpened)
        let store = door.store
        door = try AliroDoor(sub: .init(repeating: 2, count: 16))
        door.store = store
        #expect(try door.tap(&phone).outcome == .refused(.unavailable))
        #expect(phone.tap.commands.isEmpty)
        door.store.bind(to: door.reader.binding)
        #expect(try door.tap(&phone).isOpened)
        #expect(phone.tap.commands[1][7] == 0)
    }

    @Test("Check 70: two doors of a group: fast at the second needs a standard tap there")
    func twoDoors() throws {
        var first = try AliroDoor()
        var second = try AliroDoor(sub: .init(repeating: 2, count: 16))
        var phone = try first.phone()
        _ = try second.phone()
        #expect(try first.tap(&phone).isOpened)
        #expect(try second.tap(&phone).isOpened)
        #expect(phone.tap.phase != .fast)
        #expect(try second.tap(&phone).isOpened)
        #expect(phone.tap.phase == .fast)
        #expect(try first.tap(&phone).isOpened)
        #expect(phone.tap.phase == .fast)
    }

    @Test("Check 71: after a cryptogram that does not open, the standard phase with the same flags and ephemeral keys")
    func fallback() throws {
        var door = try AliroDoor()
        var phone = try door.phone()
        #expect(try door.tap(&phone).isOpened)
        phone.persistentKeys = [:]
        let tap = try door.tap(&phone)
        #expect(tap.isOpened && tap.storesKey)
        #expect(phone.tap.commands[1][7] == 1)
        #expect(phone.tap.commands.map { $0[1] } == [0xA4, 0x80, 0x81, 0xC9])
        #expect(try door.tap(&phone).isOpened)
        #expect(phone.tap.phase == .fast)
    }

    @Test("Checks 72, 73: vendor data in AUTH0's response, A5 with B3 and 7F66: standard, then fast")
    func vendorData() throws {
        var door = try AliroDoor()
        var phone = try door.phone()
        phone.vendorData = AliroWire.element(0xB2, [0x30, 0x05, 0x04, 0x03, 1, 2, 3])
        phone.application = AliroWire.element(
            0xA5,
            AliroWire.element(0x80, [0, 0]) + AliroWire.element(0x5C, [1, 0]) + octets("7f6608020200ff02020100")
                + AliroWire.element(0xB3, [1, 2, 3]))
        #expect(try door.tap(&phone).isOpened)
        #expect(try door.tap(&phone).isOpened)
        #expect(phone.tap.phase == .fast)
    }

    @Test("Check 74: two phones in turn, each with its own transaction")
    func twoPhones() throws {
        var door = try AliroDoor()
        var phones = [try door.phone(), try door.phone(scalar: AliroDoor.issuer)]
        for round in 0..<3 {
            for index in phones.indices {
                let tap = try door.tap(&phones[index])
                #expect(tap.decided?.identity == phones[index].point)
                #expect((phones[index].tap.phase == .fast) == (round > 0))
            }
        }
    }

    @Test("A phone of another group refuses, and a phone that expects another reader does not open")
    func otherGroup() throws {
        var door = try AliroDoor()
        var phone = try door.phone()
        phone.trust = AliroPhone.Trust(point: try P256PrivateKey(AliroDoor.issuer).publicKey)
        #expect(try door.tap(&phone).outcome == .refused(.statusWord))
        #expect(phone.findings == ["AUTH1 with a signature that is not the reader's"])
        // A phone that does not verify it has other keys.
        phone.verifiesReader = false
        #expect(try door.tap(&phone).outcome == .refused(.proof))
        phone.changes[.authenticate1] = .raw([0x6A, 0x88])
        #expect(try door.tap(&phone).outcome == .refused(.statusWord))
    }

    @Test("Limits of the store: credentials from documents replace evictable ones, and no others")
    func limits() throws {
        var door = try AliroDoor()
        let issuer = try door.trustIssuer()
        let anchor = [UInt8](issuer.publicPoint.octets)
        let grant = CardGrant(
            issuer: anchor, anchor: anchor, signed: 0, validFrom: 0, validUntil: .max, needsTime: false,
            element: [0xA1, 0, 1])
        func point(_ index: Int) -> [UInt8] { [4, UInt8(index >> 8), UInt8(index & 0xFF)] }
        for index in 0..<AliroStore.maximumCredentials {
            try door.store.include(AliroCredential(point: point(index), grant: grant))
        }
        let key = try P256PrivateKey(AliroDoor.phone).publicKey
        let isAdded = door.store.add(AliroCredential(key))
        #expect(isAdded && door.store.credential(point(0)) == nil, "the administrator's")
        try door.store.include(AliroCredential(point: point(1000), grant: grant))
        #expect(door.store.credential(point(1)) == nil)
        #expect(door.store.credentials.count == AliroStore.maximumCredentials)
        let stranger = CardGrant(
            issuer: [1], anchor: [1], signed: 0, validFrom: 0, validUntil: .max, needsTime: false,
            element: grant.element)
        door.store.apply(.credential(AliroCredential(point: point(2000), grant: stranger)))
        #expect(door.store.credential(point(2000)) == nil)
        door.store.remove(credential: point(1))
        try door.store.include(AliroCredential(key))
        let own = [UInt8](key.point.octets)
        door.store.apply(.credential(AliroCredential(point: own, grant: grant)))
        #expect(door.store.credential(own)?.grant == nil)
        for index in 1..<AliroStore.maximumAnchors {
            let key = try P256PrivateKey(.init(repeating: UInt8(index), count: 32))
            try door.store.include(AliroAnchor(key.publicKey))
        }
        let isTrusted = door.store.add(AliroAnchor(key))
        #expect(!isTrusted)
    }
}
