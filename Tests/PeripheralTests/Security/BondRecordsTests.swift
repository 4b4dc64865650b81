// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Crypto
import Testing

@testable import Peripheral

/// The encoding of bonds.
@Suite struct BondRecordsTests {
    private static let identity = BluetoothAddress(.random, "c0c1c2c3c4c5")
    private static let own = Value128(hex: "0f0e0d0c0b0a09080706050403020100")

    private static var samples: BondRecords {
        let first = Bond(
            identity: identity, resolvingKey: nil, longTermKey: Value128(hex: "11"), keySize: 16,
            isAuthenticated: false,
            isSecureConnections: true)
        let second = Bond(
            identity: BluetoothAddress(.public, "0a0b0c0d0e0f"), resolvingKey: Value128(hex: "33"),
            longTermKey: Value128(hex: "22"),
            diversifier: LTKIdentifier(diversifier: 0x2474, random: 0x0123_4567_89AB_CDEF), keySize: 7,
            isAuthenticated: true, isSecureConnections: false)
        return BondRecords(
            resolvingKey: own, bonds: [first, second],
            clientStates: [
                .init(identity: identity, device: 3, octets: [0xAA, 0xBB]),
                .init(
                    identity: identity, device: 0, octets: []),
            ])
    }

    private func parsed(_ octets: [UInt8]) throws -> BondRecords { try BondRecords(octets.span) }

    /// The octets with a valid digest.
    private func sealed(_ octets: [UInt8]) throws -> [UInt8] {
        let digest = try SHA256.hash(octets.span)
        return octets + digest.indices.map { digest[$0] }
    }

    @Test func octets() throws {
        let zero15 = String(repeating: "00", count: 15)
        let expected =
            "7065726970686572616c20626f6e6473" + "01" + "000102030405060708090a0b0c0d0e0f" + "0200"
            + "01c5c4c3c2c1c0" + "02" + "10" + "0000" + "0000000000000000" + "11" + zero15
            + "000f0e0d0c0b0a" + "05" + "07" + "7424" + "efcdab8967452301" + "22" + zero15 + "33" + zero15
            + "0200" + "01c5c4c3c2c1c0" + "03" + "0200" + "aabb" + "01c5c4c3c2c1c0" + "00" + "0000"
        let encoded = try BondRecordsTests.samples.encoded()
        #expect(hex(encoded.dropLast(32)) == expected)
        #expect(try encoded == sealed(TestSupport.octets(expected)))
        #expect(try parsed(encoded) == BondRecordsTests.samples)
        let empty = BondRecords(resolvingKey: BondRecordsTests.own)
        #expect(try parsed(empty.encoded()) == empty)
    }

    @Test("Cut at every length, with one octet more, and with every bit turned: never taken")
    func damage() throws {
        let whole = try BondRecordsTests.samples.encoded()
        for count in 0..<whole.count {
            let short = Array(whole.prefix(count))
            #expect(throws: count < 17 ? BondRecordsError.foreign : .damaged) { try parsed(short) }
        }
        #expect(throws: BondRecordsError.damaged) { try parsed(whole + [0]) }
        for bit in 0..<whole.count * 8 {
            var turned = whole
            turned[bit / 8] ^= 1 << (bit % 8)
            let expected: BondRecordsError =
                bit < 128 ? .foreign : bit < 136 ? .unknownVersion(turned[16]) : .damaged
            #expect(throws: expected) { try parsed(turned) }
        }
    }

    @Test("Cut at every length, or longer, with a digest that fits")
    func wrongLength() throws {
        let whole = Array(try BondRecordsTests.samples.encoded().dropLast(32))
        for count in 17..<whole.count {
            let short = try sealed(Array(whole.prefix(count)))
            #expect(throws: BondRecordsError.self) { try parsed(short) }
        }
        let long = try sealed(whole + [0])
        #expect(throws: BondRecordsError.invalid(offset: whole.count, "trailing octets")) {
            try parsed(long)
        }
    }

    @Test("What could not have been written, with a digest that fits")
    func impossible() throws {
        let zero15 = [UInt8](repeating: 0, count: 15)
        let head = BondRecords.mark + [1, 9] + zero15
        let bond = TestSupport.octets("01c5c4c3c2c1c0" + "02" + "10" + "0000" + "0000000000000000" + "11") + zero15
        func changed(_ index: Int, _ octet: UInt8) -> [UInt8] {
            var changed = bond
            changed[index] = octet
            return changed
        }
        let state = TestSupport.octets("01c5c4c3c2c1c0" + "00" + "0000")
        let faults: [(parts: [[UInt8]], what: String)] = [
            ([BondRecords.mark, [1, 0], zero15, [0, 0, 0, 0]], "key is zero"),
            ([head, [1, 0], changed(6, 0x40), [0, 0]], "not an identity address"),
            ([head, [1, 0], changed(0, 0x02), [0, 0]], "not an identity address"),
            ([head, [1, 0], changed(7, 0x08), [0, 0]], "unknown flag"),
            ([head, [1, 0], changed(8, 6), [0, 0]], "key size not 7 to 16 octets"),
            ([head, [1, 0], changed(8, 17), [0, 0]], "key size not 7 to 16 octets"),
            ([head, [1, 0], changed(19, 0), [0, 0]], "key is zero"),
            ([head, [2, 0], bond, bond, [0, 0]], "two bonds of one identity"),
            ([head, [1, 1], bond, [0, 0]], "more than 256 bonds"),
            ([head, [1, 0], bond, [17, 0]], "too many client states"),
            ([head, [1, 0], bond, [2, 0], state, state], "two client states of one bond"),
            ([head, [1, 0], bond, [1, 0, 0], Array(state.dropFirst())], "client state without a bond"),
            ([head, [1, 0], bond, [1, 0], Array(state.dropLast(2)), [1, 0x20]], "client state too long"),
        ]
        for (parts, what) in faults {
            let sealed = try sealed(Array(parts.joined()))
            let error = #expect(throws: BondRecordsError.self) { try parsed(sealed) }
            guard case .invalid(_, let said) = error else {
                Issue.record("\(what): \(String(describing: error))")
                continue
            }
            #expect(said == what)
        }
    }

    @Test("No key shows")
    func secrecy() {
        var dumped = ""
        dump(BondRecordsTests.samples, to: &dumped)
        #expect("\(BondRecordsTests.samples)" == "2 bonds" && !dumped.contains("esolvingKey"))
    }
}
