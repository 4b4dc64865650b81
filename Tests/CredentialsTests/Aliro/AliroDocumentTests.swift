// SPDX-License-Identifier: Apache-2.0

import Contactless
@testable import Credentials
import Crypto
import TestSupport
import Testing
import Timekeeping

/// The checks of documents, by their numbers: 11 to 18 and 32 to 55.
@Suite struct AliroDocumentTests {
    /// A door that trusts the issuer, and a phone that it does not know.
    private struct Bench {
        var door: AliroDoor
        var phone: AliroPhone
        var maker: AliroDocumentMaker

        init() throws {
            door = try AliroDoor()
            phone = try door.phone(isKnown: false)
            maker = try AliroDocumentMaker(try door.trustIssuer(), for: phone.point)
            phone.signals = 0b101
            phone.signatureTimes[0x91] = Array(maker.signed.utf8)
        }

        mutating func tap() throws -> Tap {
            phone.documents[maker.type] = try maker.document
            return try door.tap(&phone)
        }

        /// A tap that must be refused, and store neither key nor credential.
        mutating func refused(
            _ refusal: CardRefusal = .document, _ location: SourceLocation = #_sourceLocation
        ) throws {
            let tap = try tap()
            #expect(tap.outcome == .refused(refusal), sourceLocation: location)
            #expect(phone.tap.status?.first == 0x00, sourceLocation: location)
            #expect(tap.decided == nil && !tap.storesKey && !tap.storesCredential, sourceLocation: location)
            #expect(door.store.credentials.isEmpty, sourceLocation: location)
        }
    }

    @Test("Check 11: a document by its key identifier; then fast, by the document's rules")
    func byIdentifier() throws {
        var bench = try Bench()
        let tap = try bench.tap()
        #expect(tap.isOpened && tap.storesKey && tap.storesCredential)
        #expect(tap.decided?.issuer == [UInt8](bench.maker.issuer.publicPoint.octets))
        #expect(bench.phone.tap.phase == .stepUp && bench.phone.tap.status == [0x01, 0x01])
        #expect(try bench.tap().isOpened)
        #expect(bench.phone.tap.phase == .fast)
        #expect(bench.door.store.credentials.first?.isEvictable == true)
    }

    @Test("Check 11: without the selection of the step-up application if the phone does not require it")
    func withoutSelection() throws {
        var bench = try Bench()
        bench.phone.signals = 0b001
        #expect(try bench.tap().isOpened)
        #expect(bench.phone.tap.commands.filter { $0[1] == 0xA4 }.count == 1)
    }

    @Test("Checks 12, 13: by a certificate, and by both")
    func byCertificate() throws {
        for both in [false, true] {
            var bench = try Bench()
            let authority = try P256PrivateKey(AliroDoor.authority)
            try bench.door.store.include(AliroAnchor(authority.publicKey, role: .authority))
            if !both {
                bench.maker.issuer = try P256PrivateKey.generate()
                bench.maker.keyIdentifier = nil
            }
            bench.maker.certificate = try AliroDocumentMaker.certificate(of: bench.maker.issuer, by: authority)
            #expect(try bench.tap().isOpened)
            // Without its anchor, the credential and its persistent key are gone.
            let anchor = try #require(bench.door.store.credentials.first?.grant?.anchor)
            bench.door.store.remove(anchor: anchor)
            #expect(bench.door.store.credentials.isEmpty && bench.door.store.persistentPoints.isEmpty)
        }
    }

    @Test("Checks 14, 16, 17: a rule for the action, unknown extensions that are not critical")
    func rules() throws {
        var bench = try Bench()
        bench.maker.value = .map([
            (0, 1), (1, .octets([1, 2])), (2, .array([.map([(0, 3)])])), (4, .array([])),
            (5, .map([(7, .array([.array([0, 1, 1, .octets([9])])]))])),
            (6, .map([(.octets([1, 2, 3]), .array([.array([0, 1, 1, .octets([9])])]))])),
        ])
        #expect(try bench.tap().isOpened)
    }

    /// A schedule of Saturdays from 10:00 for four hours, since 2026-01-03.
    private static let saturdays = EncodedItem.map([
        (0, .integer(1_767_434_400)), (2, .array([14_400, 0b0100000, 2, 1, 0])), (3, 1),
    ])

    private static func element(allow: Int?, deny: Int?, _ schedule: EncodedItem = saturdays) -> EncodedItem {
        var rule: [(EncodedItem, EncodedItem)] = [(0, 2)]
        if let allow { rule.append((1, .integer(allow))) }
        if let deny { rule.append((2, .integer(deny))) }
        return .map([(0, 1), (2, .array([.map(rule)])), (3, .array([schedule]))])
    }

    @Test("Checks 15, 49: an allow-schedule that runs, and one that does not; judged again at the fast tap")
    func allowSchedule() throws {
        var bench = try Bench()
        bench.maker.value = Self.element(allow: 1, deny: nil)
        #expect(try bench.tap().isOpened)
        bench.door.moment = Moment(instant: .origin, epochSeconds: AliroDoor.noon + 86_400)
        let tap = try bench.tap()
        #expect(tap.outcome == .refused(.noRight) && bench.phone.tap.status == [0x00, 0x25])
        var sunday = try Bench()
        sunday.maker.value = Self.element(allow: 1, deny: nil)
        sunday.door.moment = bench.door.moment
        try sunday.refused(.noRight)
    }

    @Test("Check 50: a deny-schedule that runs")
    func denySchedule() throws {
        var bench = try Bench()
        bench.maker.value = Self.element(allow: nil, deny: 1)
        try bench.refused(.noRight)
        bench.door.moment = Moment(instant: .origin, epochSeconds: AliroDoor.noon + 86_400)
        #expect(try bench.tap().isOpened)
    }

    @Test("Check 51: recurrences that are not supported, masks without a schedule, and schedules without a clock")
    func otherSchedules() throws {
        for (schedule, mask, refusal) in [
            (EncodedItem.map([(0, 0), (2, .array([60, 0x81, 8, 1, 1]))]), 1, CardRefusal.noRight),
            (.map([(0, 0), (2, .array([60, 0, 9, 1, 1]))]), 1, .document), (Self.saturdays, 2, .document),
            (.map([(0, 0), (2, .array([60, 0, 1, 0, 0]))]), 1, .document),
        ] as [(EncodedItem, Int, CardRefusal)] {
            var bench = try Bench()
            bench.maker.value = Self.element(allow: mask, deny: nil, schedule)
            try bench.refused(refusal)
        }
        var bench = try Bench()
        bench.maker.value = Self.element(allow: 1, deny: nil)
        bench.door.moment = Moment(instant: .origin, epochSeconds: nil)
        try bench.refused(.noRight)
    }

    @Test("Check 32: neither key identifier nor certificate; an unknown identifier")
    func noIssuer() throws {
        var bench = try Bench()
        bench.maker.keyIdentifier = nil
        try bench.refused()
        bench.maker.keyIdentifier = [1, 2, 3, 4, 5, 6, 7, 8]
        try bench.refused()
    }

    @Test("Checks 33 to 35: a certificate by another authority, expired, for another key, not covering the signature")
    func certificates() throws {
        let authority = try P256PrivateKey(AliroDoor.authority)
        for fault in 0..<5 {
            var bench = try Bench()
            try bench.door.store.include(AliroAnchor(authority.publicKey, role: .authority))
            let (issuer, other) = (bench.maker.issuer, try P256PrivateKey.generate())
            bench.maker.certificate =
                switch fault {
                case 0: try AliroDocumentMaker.certificate(of: issuer, by: other)
                case 1: try AliroDocumentMaker.certificate(of: issuer, by: authority, until: "260601000000Z")
                case 2: try AliroDocumentMaker.certificate(of: issuer, by: authority, from: "260601000000Z")
                case 3: try AliroDocumentMaker.certificate(of: other, by: authority)
                default: Array(try AliroDocumentMaker.certificate(of: issuer, by: authority).dropLast())
                }
            try bench.refused()
        }
    }

    @Test("Checks 36 to 39: signature, digest, expired, too early")
    func contents() throws {
        var bench = try Bench()
        bench.maker.hasWrongSignature = true
        try bench.refused()
        bench = try Bench()
        bench.maker.hasWrongDigest = true
        try bench.refused()
        bench = try Bench()
        bench.maker.validUntil = "2026-11-28T11:59:59Z"
        try bench.refused()
        bench = try Bench()
        bench.maker.validFrom = "2026-11-28T12:00:01Z"
        try bench.refused()
        // The clock was set back.
        bench = try Bench()
        bench.maker.validUntil = "2026-11-28T13:00:00Z"
        bench.door.moment = Moment(
            instant: .origin, epochSeconds: AliroDoor.noon, latestSeconds: AliroDoor.noon + 7200)
        try bench.refused()
    }

    @Test("Check 40: the window of iterations: 1, 9, 3 are accepted, then 1 is refused")
    func iterations() throws {
        var door = try AliroDoor()
        let issuer = try door.trustIssuer()
        for (index, (iteration, isAccepted)) in [(1, true), (9, true), (3, true), (1, false)].enumerated() {
            var phone = try door.phone(isKnown: false, scalar: .init(repeating: UInt8(index + 1), count: 32))
            var maker = try AliroDocumentMaker(issuer, for: phone.point)
            maker.iteration = iteration
            phone.signals = 1
            phone.documents["aliro-a"] = try maker.document
            let tap = try door.tap(&phone)
            #expect(tap.isOpened == isAccepted && tap.storesKey == isAccepted)
        }
        #expect(door.store.ledgers.values.first?.highestIteration == 9)
    }

    @Test("Check 41: a document that needs the time, without a clock; one that does not")
    func time() throws {
        var bench = try Bench()
        bench.door.moment = Moment(instant: .origin, epochSeconds: nil)
        bench.maker.needsTime = true
        try bench.refused()
        bench.maker.needsTime = false
        #expect(try bench.tap().isOpened)
    }

    @Test("Checks 42, 43, 45: no document, no element, another element, another type")
    func missing() throws {
        var bench = try Bench()
        bench.maker.type = "aliro-r"
        try bench.refused()
        #expect(bench.phone.tap.status == [0x00, 0x25])
        bench = try Bench()
        bench.maker.hasElements = false
        try bench.refused()
        bench = try Bench()
        bench.maker.element = "floor1"
        try bench.refused()
        bench.door.reader.element = "floor1"
        #expect(try bench.tap().isOpened)
        bench = try Bench()
        bench.maker.outerType = "aliro-r"
        try bench.refused()
    }

    @Test("Checks 44, 46, 47: another type in the signed object, another device key or none, another element version")
    func otherContents() throws {
        var bench = try Bench()
        bench.maker.signedType = "aliro-r"
        try bench.refused()
        bench = try Bench()
        bench.maker.device = [UInt8](bench.maker.issuer.publicPoint.octets)
        try bench.refused()
        bench.maker.device = nil
        try bench.refused()
        bench = try Bench()
        bench.maker.value = .map([(0, 2)])
        try bench.refused()
        bench.maker.value = .map([])
        try bench.refused()
    }

    @Test("Checks 48, 52, 53: no rule for the action, an unknown rule of the reader, a critical extension")
    func noRight() throws {
        for value in [
            EncodedItem.map([(0, 1), (2, .array([.map([(0, 1)])]))]), .map([(0, 1), (4, .array([7]))]),
            .map([(0, 1), (6, .map([(.octets([1, 2, 3]), .array([.array([1, 1, 1, .octets([])])]))]))]),
        ] {
            var bench = try Bench()
            bench.maker.value = value
            try bench.refused(.noRight)
            #expect(bench.phone.tap.status == [0x00, 0x25])
        }
    }

    @Test("Check 55: duplicate keys, nesting without an end, trailing octets, an empty and a forged response")
    func structure() throws {
        for fault in 0..<5 {
            var bench = try Bench()
            bench.phone.changes[.envelope] = .plaintext { data in
                switch fault {
                case 0: [0xA3, 0x61, 0x31, 0x01, 0x61, 0x31, 0x01, 0x61, 0x33, 0x00]
                case 1: [UInt8](repeating: 0x81, count: 1500)
                case 2: data + [0x00]
                case 3: []
                default: [UInt8](repeating: 0xFF, count: 40)
                }
            }
            try bench.refused()
            #expect(bench.phone.tap.status == [0x00, 0x06])
        }
        var bench = try Bench()
        bench.phone.changes[.envelope] = .data { Array($0.dropLast()) + [$0[$0.count - 1] ^ 1] }
        try bench.refused(.proof)
        #expect(bench.phone.tap.status == [0x00, 0x07])
        bench = try Bench()
        bench.phone.changes[.envelope] = .data { _ in [0x54, 0x00] }
        try bench.refused(.malformed)
    }

    @Test("Check 30: error words in step-up: CONTROL FLOW", arguments: [AliroPhone.Stage.selectStepUp, .envelope])
    func errorWords(_ stage: AliroPhone.Stage) throws {
        var bench = try Bench()
        bench.phone.changes[stage] = .raw([0x6A, 0x82])
        let tap = try bench.tap()
        #expect(tap.outcome == .refused(.statusWord) && tap.effects.isEmpty)
        #expect(bench.phone.tap.control == [0x00, 0x00])
    }

    @Test("Without trusted issuers, no document is requested; the key slot alone asks for none")
    func withoutIssuers() throws {
        var bench = try Bench()
        bench.door.store.remove(anchor: [UInt8](bench.maker.issuer.publicPoint.octets))
        #expect(try bench.tap().outcome == .refused(.unknown))
        #expect(bench.phone.tap.phase != .stepUp)
    }

    @Test("An expired document is replaced by a newer one, in the standard phase")
    func renewal() throws {
        var bench = try Bench()
        bench.maker.validUntil = "2026-11-28T13:00:00Z"
        #expect(try bench.tap().isOpened)
        bench.door.moment = Moment(instant: .origin, epochSeconds: AliroDoor.noon + 7200)
        #expect(try bench.tap().outcome == .refused(.notValidNow))
        bench.maker.validUntil = "2036-01-01T00:00:00Z"
        bench.maker.signed = "2026-11-28T13:30:00Z"
        bench.phone.signatureTimes[0x91] = Array(bench.maker.signed.utf8)
        let tap = try bench.tap()
        #expect(tap.isOpened && tap.storesCredential)
        #expect(try bench.tap().isOpened)
        #expect(bench.phone.tap.phase == .fast)
    }

    private func revocation(_ mode: Int, add: [[UInt8]] = [], remove: [[UInt8]] = [], version: Int = 1) -> EncodedItem {
        func entries(_ points: [[UInt8]]) -> EncodedItem {
            .array(points.map { .map([(0, .octets(sha256($0))), (1, .octets([1]))]) })
        }
        let members: [(EncodedItem, EncodedItem)] = [
            (0, .integer(version)), (1, .integer(mode)), (2, entries(add)), (3, entries(remove)),
        ]
        return .map(members)
    }

    @Test("Checks 18, 68: revocation in six steps: add, remove, replace; also in the fast phase")
    func revocations() throws {
        var bench = try Bench()
        #expect(try bench.tap().isOpened)
        let other: [UInt8] = [4] + [UInt8](repeating: 7, count: 64)
        var courier = try bench.door.phone(scalar: AliroDoor.authority)
        var maker = try AliroDocumentMaker(bench.maker.issuer, for: nil)
        maker.type = "aliro-r"
        let point = bench.phone.point
        let steps: [(value: EncodedItem, revokes: Bool)] = [
            (revocation(0, add: [other]), false), (revocation(1, add: [point]), true),
            (revocation(1, remove: [point]), false), (revocation(0, add: [point, other]), true),
            (revocation(1, add: [point], remove: [point]), false), (revocation(0), false),
        ]
        for (index, step) in steps.enumerated() {
            maker.signed = "2026-11-2\(index)T00:00:00Z"
            maker.value = step.value
            courier.signals = 0b110
            courier.signatureTimes[0x92] = Array(maker.signed.utf8)
            courier.documents["aliro-r"] = try maker.document
            #expect(try bench.door.tap(&courier).isOpened)
            let tap = try bench.tap()
            #expect(tap.isOpened == !step.revokes)
            if step.revokes {
                #expect(bench.phone.tap.phase == .fast && bench.phone.tap.status == [0x00, 0x03])
                #expect(tap.outcome == .refused(.revoked) && tap.evidence?.identity == point)
            }
        }
        #expect(bench.door.store.ledgers.values.first?.revoked.isEmpty == true)
        // The last document again: the phone's time is not newer, and nothing is requested.
        #expect(try bench.door.tap(&courier).isOpened)
        #expect(courier.tap.phase == .fast)
    }

    @Test("Check 18: an older revocation document does not take revocations back")
    func olderRevocation() throws {
        var bench = try Bench()
        #expect(try bench.tap().isOpened)
        var maker = try AliroDocumentMaker(bench.maker.issuer, for: nil)
        maker.type = "aliro-r"
        for (scalar, time, value) in [
            (AliroDoor.authority, "2026-11-20T00:00:00Z", revocation(1, add: [bench.phone.point])),
            (AliroDoor.key, "2026-11-10T00:00:00Z", revocation(0)),
        ] {
            var courier = try bench.door.phone(scalar: scalar)
            maker.signed = time
            maker.value = value
            courier.signals = 2
            courier.signatureTimes[0x92] = Array(time.utf8)
            courier.documents["aliro-r"] = try maker.document
            #expect(try bench.door.tap(&courier).isOpened)
        }
        #expect(try bench.tap().outcome == .refused(.revoked))
    }

    @Test("Checks 42, 54: a revocation document of another version, or promised and not sent, refuses its courier")
    func wrongRevocation() throws {
        for version in [2, nil] {
            var bench = try Bench()
            var courier = try bench.door.phone()
            var maker = try AliroDocumentMaker(bench.maker.issuer, for: nil)
            maker.type = "aliro-r"
            courier.signals = 2
            courier.signatureTimes[0x92] = Array(maker.signed.utf8)
            if let version {
                maker.value = revocation(0, version: version)
                courier.documents["aliro-r"] = try maker.document
            }
            let tap = try bench.door.tap(&courier)
            #expect(tap.outcome == .refused(.document) && !tap.storesKey)
            #expect(courier.tap.status?.first == 0x00)
        }
    }
}
