// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Crypto
import Peripheral
import Testing

/// Every entry of `Vectors/smp_vectors.json`, byte for byte.
@Suite struct SecurityToolboxTests {
    struct Vectors: Decodable {
        struct Entry: Decodable {
            var function: String
            var source: String
            var input: [String: Field]
            var output: [String: Field]

            /// A text of the input or the output.
            subscript(_ name: String) -> String { (input[name] ?? output[name])?.text ?? "" }
            /// A number of the input.
            func number(_ name: String) -> Int { input[name]?.number ?? -1 }
        }
        enum Field: Decodable {
            case text(String)
            case number(Int)
            case truth(Bool)

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let truth = try? container.decode(Bool.self) {
                    self = .truth(truth)
                } else if let number = try? container.decode(Int.self) {
                    self = .number(number)
                } else {
                    self = .text(try container.decode(String.self))
                }
            }

            var text: String? { if case .text(let text) = self { text } else { nil } }
            var number: Int? { if case .number(let number) = self { number } else { nil } }
            var truth: Bool? { if case .truth(let truth) = self { truth } else { nil } }
        }
        var vectors: [Entry]
    }

    @Test("All vectors of the file, and none is passed over")
    func all() throws {
        let vectors = try SecurityFacts.read("smp_vectors.json", as: Vectors.self).vectors
        var tried = 0
        for vector in vectors {
            let faults = try faults(of: vector)
            #expect(faults == [], "\(vector.function), \(vector.source)")
            tried += 1
        }
        #expect(tried == 32)
    }

    /// The differences from the vector; the name of its function if it is not implemented.
    private func faults(of vector: Vectors.Entry) throws -> [String] {
        var faults: [String] = []
        func expect(_ actual: String, _ name: String) {
            if actual != vector[name] || actual.isEmpty { faults.append("\(name): \(actual)") }
        }
        switch vector.function {
        case "e (AES-128)":
            expect(
                try SecurityToolbox.e(Value128(hex: vector["key"]), Value128(hex: vector["plaintext"])).hex,
                "ciphertext")
        case "AES-CMAC":
            let message = octets(vector["message"])
            expect(try SecurityToolbox.cmac(Value128(hex: vector["key"]), message.span).hex, "mac")
        case "c1": expect(try c1(vector).hex, "c1")
        case "s1":
            let key = try SecurityToolbox.s1(
                Value128(hex: vector["k"]), responder: Value128(hex: vector["r1"]),
                initiator: Value128(hex: vector["r2"]))
            expect(key.hex, "s1")
        case "ah":
            let key = Value128(hex: vector["irk"])
            let prand = try #require(UInt32(vector["prand"], radix: 16))
            let hash = try SecurityToolbox.ah(key, prand)
            expect(SecurityValue<3>(InlineArray { UInt8(truncatingIfNeeded: hash >> UInt32(16 - 8 * $0)) }).hex, "hash")
            let address = BluetoothAddress(.random, vector["rpa"])
            if !IdentityResolution.resolves(address, with: key) { faults.append("rpa") }
            if try IdentityResolution.privateAddress(resolvingKey: key, bits: prand) != address {
                faults.append("made")
            }
        case "P-256 DHKey":
            for (own, peer) in [("a", "b"), ("b", "a")] {
                let key = try P256PrivateKey(scalar: octets(vector["private_\(own)"]).span)
                let x = vector["public_\(peer)_x"]
                let y = vector["public_\(peer)_y"]
                let secret = try key.sharedSecret(with: octets("04" + x + y).span)
                expect(Value256(secret).hex, "dhkey")
            }
        case "debug key":
            let key = try P256PrivateKey(scalar: octets(vector["private"]).span)
            let point = key.publicPoint.octets
            if hex(point.indices.map { point[$0] }) != "04" + vector["public_x"] + vector["public_y"] {
                faults.append("public")
            }
        case "P-256 public key validation":
            let isValid =
                (try? P256PublicKey(point: octets("04" + vector["public_x"] + vector["public_y"]).span)) != nil
            if isValid != vector.output["valid"]?.truth { faults.append("valid: \(isValid)") }
        case "f4", "f5", "f6", "g2": try secureConnections(vector, expect)
        case "h6":
            expect(try SecurityToolbox.h6(Value128(hex: vector["w"]), keyID: .init(hex: vector["key_id"])).hex, "h6")
        case "h7":
            expect(try SecurityToolbox.h7(salt: Value128(hex: vector["salt"]), Value128(hex: vector["w"])).hex, "h7")
        case "LTK -> BR/EDR link key (CTKD)":
            // Only the toolbox is tried: the Security Manager never does this.
            let key = Value128(hex: vector["ltk"])
            let temporary = SecurityValue<4>(InlineArray(Array("tmp1".utf8)))
            let link = SecurityValue<4>(InlineArray(Array("lebr".utf8)))
            expect(try SecurityToolbox.h6(SecurityToolbox.h6(key, keyID: temporary), keyID: link).hex, "ct2_0")
            let salted = try SecurityToolbox.h7(salt: Value128(hex: "746d7031"), key)
            expect(try SecurityToolbox.h6(salted, keyID: link).hex, "ct2_1")
        case "ATT signature": expect(try signature(vector), "signature_wire")
        case "GATT database hash":
            let message = octets(vector["message"])
            let hash = try SecurityToolbox.cmac(.zero, message.span)
            expect(hash.hex, "aes_cmac")
            expect(hash.wire, "value_little_endian")
        default: faults.append("nothing computes \(vector.function)")
        }
        return faults
    }

    private func secureConnections(_ vector: Vectors.Entry, _ expect: (String, String) -> Void) throws {
        let a1 = typedAddress(vector["a1"])
        let a2 = typedAddress(vector["a2"])
        switch vector.function {
        case "f4":
            let z = try #require(octets(vector["z"]).first)
            let value = try SecurityToolbox.f4(
                Value256(hex: vector["u"]), Value256(hex: vector["v"]), Value128(hex: vector["x"]), z)
            expect(value.hex, "f4")
        case "f5":
            let keys = try SecurityToolbox.f5(
                Value256(hex: vector["w"]), Value128(hex: vector["n1"]), Value128(hex: vector["n2"]), a1, a2)
            expect(keys.macKey.hex, "mac_key")
            expect(keys.longTermKey.hex, "ltk")
        case "f6":
            let io = octets(vector["io_cap"])
            let capability = PairingFeatures(
                ioCapability: try #require(IOCapability(rawValue: io[2])), hasOutOfBandData: io[1] == 1,
                requirements: AuthenticationRequirements(rawValue: io[0]), initiatorKeys: [], responderKeys: [])
            let value = try SecurityToolbox.f6(
                Value128(hex: vector["w"]), Value128(hex: vector["n1"]), Value128(hex: vector["n2"]),
                Value128(hex: vector["r"]), capability: capability, a1, a2)
            expect(value.hex, "f6")
        default:
            let value = try SecurityToolbox.g2(
                Value256(hex: vector["u"]), Value256(hex: vector["v"]), Value128(hex: vector["x"]),
                Value128(hex: vector["y"]))
            expect(String(value, radix: 16), "g2")
            expect(String(value % 1_000_000), "six_digits")
        }
    }

    private func typedAddress(_ hex: String) -> BluetoothAddress {
        BluetoothAddress(hex.hasPrefix("01") ? .random : .public, String(hex.dropFirst(2)))
    }

    private func c1(_ vector: Vectors.Entry) throws -> Value128 {
        // Printed most significant octet first, so the code is the last octet.
        func features(_ hex: String) throws -> PairingFeatures {
            switch try SecurityPDU(octets(hex).reversed()) {
            case .pairingRequest(let features), .pairingResponse(let features): features
            default: throw SecurityPDU.ParseError.reserved
            }
        }
        return try SecurityToolbox.c1(
            Value128(hex: vector["k"]), Value128(hex: vector["r"]), request: features(vector["preq"]),
            response: features(vector["pres"]),
            initiator: BluetoothAddress(vector.number("iat") == 1 ? .random : .public, vector["ia"]),
            responder: BluetoothAddress(vector.number("rat") == 1 ? .random : .public, vector["ra"]))
    }

    /// The signature of Core 5.4, Vol 3, Part C, 10.4.1: the counter and the eight high octets of the CMAC over the
    /// message with it, all of it turned round.
    private func signature(_ vector: Vectors.Entry) throws -> String {
        let counter = UInt32(vector.number("counter"))
        let counterOctets = (0..<4).map { UInt8(truncatingIfNeeded: counter >> UInt32($0 * 8)) }
        let message = Array((octets(vector["message_wire"]) + counterOctets).reversed())
        let tag = try SecurityToolbox.cmac(Value128(wire: vector["csrk_wire"]), message.span)
        return hex(counterOctets) + hex((0..<8).map { tag.octets[7 - $0] })
    }

    @Test("Values compare by content and never show it")
    func values() {
        let value = Value128(hex: "000102030405060708090a0b0c0d0e0f")
        #expect(value.hex == "000102030405060708090a0b0c0d0e0f" && value.wire == "0f0e0d0c0b0a09080706050403020100")
        #expect(value != .zero && Value128.zero.isZero && !value.isZero)
        var dumped = ""
        dump(value, to: &dumped)
        #expect("\(value)" == "128 bits" && !dumped.contains("14") && !dumped.contains("octets"))
        #expect(Value128(mostSignificantFirst: [1, 2, 3].span) == nil)
        #expect(Value128(leastSignificantFirst: [UInt8](repeating: 0, count: 17).span) == nil)
    }

    @Test("A private address resolves with its key only, whatever the random part, and never has a forbidden one")
    func privateAddresses() throws {
        let key = Value128(hex: "ec0234a357c8ad05341010a60a397d9b")
        for bits: UInt32 in [0, 1, 0x3F_FFFF, 0xFFFF_FFFF, 0x12_3456] {
            let address = try IdentityResolution.privateAddress(resolvingKey: key, bits: bits)
            #expect(address.value >> 46 == 1)
            #expect(address.value >> 24 & 0x3F_FFFF != 0 && address.value >> 24 & 0x3F_FFFF != 0x3F_FFFF)
            #expect(IdentityResolution.resolves(address, with: key))
            #expect(!IdentityResolution.resolves(address, with: Value128(hex: "01")))
            #expect(!IdentityResolution.resolves(BluetoothAddress(kind: .public, value: address.value), with: key))
        }
    }
}

extension InlineArray where Element == UInt8 {
    /// A copy of the first octets of an array that has enough.
    init(_ octets: [UInt8]) {
        self.init { octets[$0] }
    }
}
