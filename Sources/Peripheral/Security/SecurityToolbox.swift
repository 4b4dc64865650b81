// SPDX-License-Identifier: Apache-2.0

public import Crypto
import Octets

/// The cryptographic functions of the Security Manager (Core 5.4, Vol 3, Part H, 2.2).
///
/// All numbers are most significant octet first. The functions throw only errors of libcrypto.
public enum SecurityToolbox {
    /// e: AES-128 of one block (2.2.1).
    public static func e(_ key: Value128, _ plaintext: Value128) throws(CryptoError) -> Value128 {
        Value128(try AES128Block.encrypt(plaintext.octets.span, key: key.octets.span))
    }

    /// AES-CMAC (2.2.5).
    public static func cmac(_ key: Value128, _ message: Span<UInt8>) throws(CryptoError) -> Value128 {
        Value128(try AES128CMAC.authenticate(key: key.octets.span, message))
    }

    /// ah: the hash of a resolvable private address; `prand` and the result have 24 bits (2.2.2).
    public static func ah(_ irk: Value128, _ prand: UInt32) throws(CryptoError) -> UInt32 {
        var block = Value128.zero
        for index in 0..<3 { block.octets[15 - index] = UInt8(truncatingIfNeeded: prand >> UInt32(index * 8)) }
        let hash = try e(irk, block)
        return UInt32(hash.octets[13]) << 16 | UInt32(hash.octets[14]) << 8 | UInt32(hash.octets[15])
    }

    /// c1: the confirm value of legacy pairing (2.2.3). `request` and `response` are the two PDUs as sent.
    public static func c1(
        _ key: Value128, _ random: Value128, request: PairingFeatures, response: PairingFeatures,
        initiator: BluetoothAddress, responder: BluetoothAddress
    ) throws(CryptoError) -> Value128 {
        // p1 = pres ‖ preq ‖ rat' ‖ iat', p2 = padding ‖ ia ‖ ra.
        var first: [UInt8] = []
        response.append(mostSignificantFirstTo: &first, code: .pairingResponse)
        request.append(mostSignificantFirstTo: &first, code: .pairingRequest)
        first.append(responder.isRandom ? 1 : 0)
        first.append(initiator.isRandom ? 1 : 0)
        var second: [UInt8] = [0, 0, 0, 0]
        initiator.append(mostSignificantFirstTo: &second)
        responder.append(mostSignificantFirstTo: &second)
        return try e(key, exclusiveOr(try e(key, exclusiveOr(random, first)), second))
    }

    /// s1: the short-term key of legacy pairing (2.2.4), from the responder's and the initiator's random numbers.
    public static func s1(
        _ key: Value128, responder: Value128, initiator: Value128
    ) throws(CryptoError) -> Value128 {
        var joined = Value128.zero
        for index in 0..<8 {
            joined.octets[index] = responder.octets[index + 8]
            joined.octets[index + 8] = initiator.octets[index + 8]
        }
        return try e(key, joined)
    }

    /// f4: the confirm value of Secure Connections (2.2.6).
    public static func f4(
        _ u: Value256, _ v: Value256, _ x: Value128, _ z: UInt8
    ) throws(CryptoError) -> Value128 {
        var message: [UInt8] = []
        message.reserveCapacity(65)
        message.append(u.octets.span)
        message.append(v.octets.span)
        message.append(z)
        return try cmac(x, message.span)
    }

    /// The result of f5.
    public struct Keys: Equatable, Sendable {
        /// The key of the check values (MacKey).
        public var macKey: Value128
        /// The long-term key before it is shortened to the encryption key size.
        public var longTermKey: Value128
    }

    private static let f5Salt = Value128([
        0x6C, 0x88, 0x83, 0x91, 0xAA, 0xF5, 0xA5, 0x38, 0x60, 0x37, 0x0B, 0xDB, 0x5A, 0x60, 0x83, 0xBE,
    ])

    /// f5: the keys of Secure Connections from the shared key (2.2.7).
    public static func f5(
        _ w: Value256, _ n1: Value128, _ n2: Value128, _ a1: BluetoothAddress, _ a2: BluetoothAddress
    ) throws(CryptoError) -> Keys {
        let t = try cmac(f5Salt, w.octets.span)
        // Counter ‖ keyID "btle" ‖ N1 ‖ N2 ‖ A1 ‖ A2 ‖ Length 256.
        var message: [UInt8] = [0, 0x62, 0x74, 0x6C, 0x65]
        message.reserveCapacity(53)
        message.append(n1.octets.span)
        message.append(n2.octets.span)
        a1.append(typedMostSignificantFirstTo: &message)
        a2.append(typedMostSignificantFirstTo: &message)
        message.append(bigEndian: 0x0100)
        let macKey = try cmac(t, message.span)
        message[0] = 1
        return Keys(macKey: macKey, longTermKey: try cmac(t, message.span))
    }

    /// f6: the check value of Secure Connections (2.2.8). `capability` belongs to the side of `n1` and `a1`.
    public static func f6(
        _ w: Value128, _ n1: Value128, _ n2: Value128, _ r: Value128, capability: PairingFeatures,
        _ a1: BluetoothAddress, _ a2: BluetoothAddress
    ) throws(CryptoError) -> Value128 {
        var message: [UInt8] = []
        message.reserveCapacity(65)
        message.append(n1.octets.span)
        message.append(n2.octets.span)
        message.append(r.octets.span)
        message.append(capability.requirements.rawValue)
        message.append(capability.hasOutOfBandData ? 1 : 0)
        message.append(capability.ioCapability.rawValue)
        a1.append(typedMostSignificantFirstTo: &message)
        a2.append(typedMostSignificantFirstTo: &message)
        return try cmac(w, message.span)
    }

    /// g2: the number for numeric comparison; both sides show its last six decimal digits (2.2.9, 2.3.5.6.2).
    public static func g2(
        _ u: Value256, _ v: Value256, _ x: Value128, _ y: Value128
    ) throws(CryptoError) -> UInt32 {
        var message: [UInt8] = []
        message.reserveCapacity(80)
        message.append(u.octets.span)
        message.append(v.octets.span)
        message.append(y.octets.span)
        let tag = try cmac(x, message.span)
        var number: UInt32 = 0
        for index in 12..<16 { number = number << 8 | UInt32(tag.octets[index]) }
        return number
    }

    /// h6: a key derived from a key and a four-octet key identifier (2.2.10).
    ///
    /// With `h7` it derives keys of the other transport, which this Security Manager never does.
    public static func h6(_ w: Value128, keyID: SecurityValue<4>) throws(CryptoError) -> Value128 {
        try cmac(w, keyID.octets.span)
    }

    /// h7: a key derived from a key and a salt (2.2.11).
    public static func h7(salt: Value128, _ w: Value128) throws(CryptoError) -> Value128 {
        try cmac(salt, w.octets.span)
    }

    private static func exclusiveOr(_ value: Value128, _ octets: [UInt8]) -> Value128 {
        var result = value
        for index in 0..<min(16, octets.count) { result.octets[index] ^= octets[index] }
        return result
    }
}

extension BluetoothAddress {
    /// True if the address is random, including an identity resolved by the controller.
    var isRandom: Bool { kind == .random || kind == .randomIdentity }

    /// Appends the 48 bits, most significant octet first.
    func append(mostSignificantFirstTo buffer: inout [UInt8]) {
        for shift in stride(from: UInt64(40), through: 0, by: -8) {
            buffer.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    /// Appends the 56 bits of f5 and f6: the kind in the first octet, then the address.
    func append(typedMostSignificantFirstTo buffer: inout [UInt8]) {
        buffer.append(isRandom ? 1 : 0)
        append(mostSignificantFirstTo: &buffer)
    }
}
