// SPDX-License-Identifier: Apache-2.0

import Contactless
@testable import Credentials
import Crypto
import TestSupport
import Testing
import Timekeeping

/// The checks of a reader over NFC, by their numbers: 1 to 31.
@Suite struct AliroNFCTests {
    private func certificate(padded: Bool = false) throws -> AliroReaderCertificate {
        let vector = AliroVector.certified
        var octets = vector.input("compressed_certificate")
        if padded {
            // Names and a serial number of the maximum length, and a long signature: more than one block. The phone of
            // the tests does not verify it.
            let fields =
                AliroWire.element(0x80, .init(repeating: 0x55, count: 20))
                + AliroWire.element(0x81, .init(repeating: 0x61, count: 32))
                + AliroWire.element(0x82, Array("20200102000000Z".utf8))
                + AliroWire.element(0x83, Array("20360102000000Z".utf8))
                + AliroWire.element(0x84, .init(repeating: 0x62, count: 32))
                + AliroWire.element(0x85, [0] + vector.input("reader_public_key"))
                + AliroWire.element(0x86, .init(repeating: 0, count: 73))
            octets = AliroWire.element(0x30, AliroWire.element(0x04, [0, 0]) + AliroWire.element(0x30, fields))
        }
        return try AliroReaderCertificate(octets, authority: P256PublicKey(vector.input("reader_ca_public_key")))
    }

    @Test("Check 1: standard phase without a certificate")
    func standard() throws {
        var door = try AliroDoor()
        var phone = try door.phone()
        let tap = try door.tap(&phone)
        #expect(tap.isOpened)
        #expect(tap.decided == CardEvidence(kind: .aliro, identity: phone.point))
        #expect(phone.tap.status == [0x01, 0x01])
        #expect(phone.findings == [])
        #expect(tap.storesKey && !tap.storesCredential)
    }

    @Test(
        "Checks 2 to 5: certificate in LOAD CERT or AUTH1, in one block and chained", arguments: [false, true],
        [AliroReaderCertificate.Delivery.loading, .authentication])
    func certificates(_ isChained: Bool, _ delivery: AliroReaderCertificate.Delivery) throws {
        var door = try AliroDoor()
        var certificate = try certificate(padded: isChained)
        certificate.delivery = delivery
        try door.reader.present(certificate)
        door.store.bind(to: door.reader.binding)
        var phone = try door.phone()
        phone.verifiesReader = false
        #expect(try door.tap(&phone).isOpened)
        #expect(phone.certificate == certificate.octets)
        let chained = phone.tap.commands.filter { $0[0] == 0x90 }
        #expect(chained.allSatisfy { $0.count == 5 + 255 })
        #expect(chained.isEmpty == (!isChained && delivery == .loading))
    }

    @Test("A certificate for another key is refused")
    func otherCertificate() throws {
        let identifier = try #require(AliroReader.Identifier(group: AliroDoor.group, sub: AliroDoor.sub))
        var reader = AliroReader(key: try P256PrivateKey.generate(), identifier: identifier)
        let certificate = try certificate()
        #expect(throws: CardRefusal.key) { try reader.present(certificate) }
    }

    @Test("Check 6: a key slot is requested and used")
    func keySlots() throws {
        var door = try AliroDoor()
        door.reader.keyRequest = .keySlot
        var phone = try door.phone()
        #expect(try door.tap(&phone).decided?.identity == phone.point)
        #expect(AliroCredential(phone.key.publicKey).keySlot.map { hex($0) } == "fb7e8dcbbddbfdc9")
        var stranger = try door.phone(isKnown: false, scalar: AliroDoor.issuer)
        #expect(try door.tap(&stranger).outcome == .refused(.unknown))
        #expect(stranger.tap.status == [0x00, 0x01])
    }

    @Test("Check 7: the first tap is standard, the second fast")
    func fast() throws {
        var door = try AliroDoor()
        var phone = try door.phone()
        #expect(try door.tap(&phone).isOpened)
        #expect(phone.tap.phase != .fast)
        let tap = try door.tap(&phone)
        #expect(tap.isOpened && tap.effects.isEmpty)
        #expect(phone.tap.phase == .fast)
        #expect(phone.tap.commands.count == 3)
        #expect(phone.tap.status == [0x01, 0x01])
    }

    @Test("Check 8: with all persistent keys in use, the last phone is fast, and the oldest is standard again")
    func fullStore() throws {
        var door = try AliroDoor()
        var oldest = try door.phone()
        #expect(try door.tap(&oldest).isOpened)
        for index in 0..<AliroStore.maximumPersistentKeys - 1 {
            let key = try P256PrivateKey([UInt8](repeating: 0, count: 30) + [1, UInt8(index)])
            let point = [UInt8](key.publicPoint.octets)
            try door.store.include(AliroCredential(key.publicKey))
            let persistent = SecretOctets([UInt8](repeating: UInt8(index), count: 32))
            door.store.apply(.persistentKey(persistent, of: point, revocationSeen: nil))
        }
        #expect(try door.tap(&oldest).isOpened)
        #expect(oldest.tap.phase == .fast)
        var last = try door.phone(scalar: AliroDoor.issuer)
        #expect(try door.tap(&last).isOpened)
        #expect(door.store.persistentPoints.count == AliroStore.maximumPersistentKeys)
        #expect(try door.tap(&last).isOpened)
        #expect(last.tap.phase == .fast)
        #expect(try door.tap(&oldest).isOpened)
        #expect(oldest.tap.phase != .fast)
    }

    @Test("Check 19: no common version: CONTROL FLOW 00/27")
    func versions() throws {
        var door = try AliroDoor()
        var phone = try door.phone()
        phone.application = octets("a508800200005c020009")
        #expect(try door.tap(&phone).outcome == .refused(.version))
        #expect(phone.tap.control == [0x00, 0x27])
        phone.application = octets("a50a800200005c0402000100")
        #expect(try door.tap(&phone).isOpened)
    }

    @Test("Checks 20, 22: unknown tags in AUTH0 and AUTH1 are skipped")
    func unknownTags() throws {
        var door = try AliroDoor()
        var phone = try door.phone()
        phone.changes[.authenticate0] = .data { $0 + [0xCF, 0x01, 0xAA] }
        phone.changes[.authenticate1] = .plaintext { [0x9F, 0x50, 0x01, 0xAA] + $0 }
        #expect(try door.tap(&phone).isOpened)
    }

    @Test(
        "Checks 21, 27, 28: AUTH0 with a wrong length, an unasked cryptogram, a point off the curve, nothing",
        arguments: [
            (0, CardRefusal.malformed), (1, .malformed), (2, .key), (3, .malformed), (4, .malformed), (5, .malformed),
        ])
    func wrongAuthentication0(_ fault: Int, _ refusal: CardRefusal) throws {
        var door = try AliroDoor()
        var phone = try door.phone()
        phone.changes[.authenticate0] = .data { data in
            switch fault {
            case 0: [0x86, 0x40] + data[2..<66]
            case 1: data + AliroWire.element(0x9D, .init(repeating: 1, count: 64))
            case 2: Array(data.dropLast()) + [data[66] ^ 1]
            case 3: []
            case 4: data + data
            default: Array(data.dropLast())
            }
        }
        let tap = try door.tap(&phone)
        #expect(tap.outcome == .refused(refusal))
        #expect(phone.tap.control == [0x00, 0x00])
        #expect(tap.effects.isEmpty && tap.decided == nil)
    }

    @Test("Check 27: the requested cryptogram is missing")
    func missingCryptogram() throws {
        var door = try AliroDoor()
        var phone = try door.phone()
        #expect(try door.tap(&phone).isOpened)
        phone.changes[.authenticate0] = .data { Array($0.prefix(67)) }
        #expect(try door.tap(&phone).outcome == .refused(.malformed))
        #expect(phone.tap.control == [0x00, 0x00])
    }

    @Test(
        "Checks 23, 24, 26: AUTH1 with wrong values, signature, or kind of key",
        arguments: [
            (0, CardRefusal.malformed, 0x06), (1, .proof, 0x04), (2, .malformed, 0x22), (3, .malformed, 0x23),
            (4, .malformed, 0x06), (5, .malformed, 0x06), (6, .key, 0x06), (7, .malformed, 0x06),
        ] as [(Int, CardRefusal, UInt8)])
    func wrongAuthentication1(_ fault: Int, _ refusal: CardRefusal, _ status: UInt8) throws {
        var door = try AliroDoor()
        var phone = try door.phone()
        phone.changes[.authenticate1] = .plaintext { data in
            // 5A (67 octets), 9E (66), 5E (4).
            switch fault {
            case 0: AliroWire.element(0x4E, .init(repeating: 0, count: 8)) + data[67...]
            case 1: Array(data[..<100]) + [data[100] ^ 1] + data[101...]
            case 2: Array(data[67...])
            case 3: Array(data[..<67] + data[133...])
            case 4: Array(data[..<133])
            case 5: data + AliroWire.element(0x91, .init(repeating: 0x20, count: 20))
            case 6: Array(data[..<66]) + [data[66] ^ 1] + data[67...]
            default: data + AliroWire.element(0x5E, [0, 0])
            }
        }
        let tap = try door.tap(&phone)
        #expect(tap.outcome == .refused(refusal))
        #expect(phone.tap.status == [0x00, status])
        #expect(tap.effects.isEmpty && tap.decided == nil)
    }

    @Test("Check 25: a changed ciphertext: 97 0007")
    func changedCiphertext() throws {
        var door = try AliroDoor()
        var phone = try door.phone()
        phone.changes[.authenticate1] = .data { [$0[0] ^ 1] + $0[1...] }
        let tap = try door.tap(&phone)
        #expect(tap.outcome == .refused(.proof))
        #expect(phone.tap.status == [0x00, 0x07])
        #expect(tap.effects.isEmpty && tap.evidence == nil)
    }

    @Test(
        "Check 29: SELECT with an odd version list, another type, another application, truncated",
        arguments: ["a507800200005c0101", "a508800200015c020100", "a504800200", "a5048002000000", "a506 5c020100"])
    func wrongSelection(_ application: String) throws {
        var door = try AliroDoor()
        var phone = try door.phone()
        phone.application = octets(application)
        #expect(try door.tap(&phone).outcome == .refused(.malformed))
        #expect(phone.tap.control == [0x00, 0x00])
        phone = try door.phone()
        phone.changes[.select] = .data { Array($0[..<10]) + [0x02] + $0[11...] }
        #expect(try door.tap(&phone).outcome == .refused(.malformed))
    }

    @Test("Check 29: no such application: the next kind of card is tried")
    func absent() throws {
        var door = try AliroDoor()
        var phone = try door.phone()
        phone.changes[.select] = .raw([0x6A, 0x82])
        #expect(try door.tap(&phone).outcome == .absent)
        #expect(phone.tap.commands.count == 1)
    }

    @Test(
        "Check 30: error words at each command: CONTROL FLOW, and no effects",
        arguments: [AliroPhone.Stage.select, .authenticate0, .certificate, .authenticate1])
    func errorWords(_ stage: AliroPhone.Stage) throws {
        var door = try AliroDoor()
        try door.reader.present(certificate())
        door.store.bind(to: door.reader.binding)
        for word in [[0x69, 0x82], [0x6A, 0x80], [0x6D, 0x00], [0x64, 0x00], [0x90, 0x01]] as [[UInt8]] {
            var phone = try door.phone()
            phone.changes[stage] = .raw(word)
            let tap = try door.tap(&phone)
            #expect(tap.outcome == .refused(.statusWord))
            #expect(phone.tap.control == [0x00, 0x00])
            #expect(tap.effects.isEmpty && tap.decided == nil)
        }
    }

    @Test("Check 30: an error word or status at EXCHANGE stores no key")
    func errorAtExchange() throws {
        var door = try AliroDoor()
        var phone = try door.phone()
        phone.changes[.exchange] = .raw([0x69, 0x82])
        var tap = try door.tap(&phone)
        #expect(tap.isOpened && tap.effects.isEmpty)
        #expect(phone.tap.control == [0x00, 0x00])
        phone = try door.phone()
        phone.changes[.exchange] = .plaintext { _ in [0x00, 0x02, 0xFF, 0xFF] }
        tap = try door.tap(&phone)
        #expect(tap.isOpened && tap.effects.isEmpty)
        // iPhones do not respond to GET RESPONSE after the final status.
        phone = try door.phone()
        phone.changes[.exchange] = .raw([0x61, 0x14])
        tap = try door.tap(&phone)
        #expect(tap.isOpened && tap.storesKey)
        #expect(phone.tap.commands.last?[1] == 0xC9)
    }

    @Test("Check 31: 61xx without an end, 4,096 octets, a short response")
    func endless() throws {
        for word in [[0x61, 0x00], [1, 2, 3, 0x61, 0x10]] as [[UInt8]] {
            var door = try AliroDoor()
            var transaction = try AliroTransaction(
                reader: door.reader, store: door.store, at: door.moment, in: .utc, random: &door.random)
            var step = transaction.start()
            var count = 0
            while case .transmit(let command) = step, command[1] != 0x3C, count < 1000 {
                step = transaction.receive(word.span)
                count += 1
            }
            #expect(count <= AliroExchange.maximumContinuations + 1)
            let good: [UInt8] = [0x90, 0x00]
            step = transaction.receive(good.span)
            #expect(step == .end(.refused(.tooLong)))
        }
        var door = try AliroDoor()
        var phone = try door.phone()
        phone.changes[.authenticate0] = .data { _ in [UInt8](repeating: 0, count: 4096) }
        #expect(try door.tap(&phone).outcome == .refused(.tooLong))
        phone = try door.phone()
        phone.changes[.authenticate1] = .raw([0x90])
        #expect(try door.tap(&phone).outcome == .refused(.malformed))
    }

    @Test("Check 31: a card that leaves in any step leaves nothing behind; calls out of order end the transaction")
    func leaving() throws {
        var door = try AliroDoor()
        var phone = try door.phone()
        #expect(try door.tap(&phone).isOpened)
        let count = phone.tap.commands.count
        for limit in 0...count {
            var transaction = try AliroTransaction(
                reader: door.reader, store: door.store, at: door.moment, in: .utc, random: &door.random)
            phone.activate()
            var step = transaction.start()
            for _ in 0..<limit {
                if case .transmit(let command) = step {
                    let response = phone.respond(to: command)
                    step = transaction.receive(response.span)
                }
                if case .decide = step { step = transaction.conclude(.refused) }
            }
            transaction.wipe()
            #expect(transaction.effects.isEmpty)
            let word: [UInt8] = [0x90, 0x00]
            let steps = [transaction.start(), transaction.conclude(.opened), transaction.receive(word.span)]
            #expect(steps.allSatisfy { $0 == .end(.refused(.outOfOrder)) })
        }
    }

    @Test("The caller's refusal: 97 0025, and nothing is stored")
    func refused() throws {
        var door = try AliroDoor()
        var phone = try door.phone()
        let tap = try door.tap(&phone, .refused)
        #expect(tap.outcome == .concluded && tap.effects.isEmpty)
        #expect(phone.tap.status == [0x00, 0x25])
    }

    @Test("A door about which a panel decides: 97 0182, the state is unknown")
    func handedOn() throws {
        var door = try AliroDoor()
        var phone = try door.phone()
        let tap = try door.tap(&phone, .handedOn)
        #expect(tap.outcome == .concluded && !tap.effects.isEmpty)
        #expect(phone.tap.status == [0x01, 0x82])
    }

    @Test("An unknown, an expired, and a credential that is not valid yet")
    func standing() throws {
        var door = try AliroDoor()
        var phone = try door.phone(isKnown: false)
        var tap = try door.tap(&phone)
        #expect(tap.outcome == .refused(.unknown) && tap.decided == nil)
        #expect(tap.evidence?.identity == phone.point)
        #expect(phone.tap.status == [0x00, 0x01])
        for (from, until) in [(nil, AliroDoor.noon - 1), (AliroDoor.noon + 1, nil)] as [(Int64?, Int64?)] {
            var credential = AliroCredential(phone.key.publicKey)
            (credential.validFrom, credential.validUntil) = (from, until)
            try door.store.include(credential)
            tap = try door.tap(&phone)
            #expect(tap.outcome == .refused(.notValidNow) && tap.effects.isEmpty)
            #expect(phone.tap.status == [0x00, 0x02])
        }
        door.moment = Moment(instant: .origin, epochSeconds: nil)
        #expect(try door.tap(&phone).outcome == .refused(.notValidNow))
    }

    @Test("The ECP frame without its CRC_A, and for a phone that has to authenticate its user")
    func polling() throws {
        let door = try AliroDoor()
        #expect(hex(AliroECP.frame(door.reader.identifier)) == "6a02cb0206204220a656fb93b8b06b85")
        #expect(AliroECP.frame(door.reader.identifier, isAuthenticated: true)[2] == 0x8B)
    }
}
