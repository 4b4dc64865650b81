// SPDX-License-Identifier: Apache-2.0

/// The scalars w0 and w1 of a passcode.
public struct SPAKE2PlusScalars: Sendable {
    /// The first scalar, which both sides hold.
    public private(set) var w0: P256Group.Scalar
    /// The second scalar, which the prover alone holds.
    public private(set) var w1: P256Group.Scalar

    /// The scalars from 80 octets of PBKDF2 over the passcode, least significant octet first.
    public init(passcode: UInt32, salt: Span<UInt8>, iterations: Int) throws(CryptoError) {
        let password = InlineArray<4, UInt8> { UInt8(truncatingIfNeeded: passcode >> (8 * UInt32($0))) }
        var wide = try PBKDF2SHA256.derive(password: password.span, salt: salt, iterations: iterations, count: 80)
        defer { wipeSecret(&wide) }
        w0 = try P256Group.scalar(reducing: wide.span.extracting(first: 40))
        w1 = try P256Group.scalar(reducing: wide.span.extracting(last: 40))
    }

    /// Overwrites both scalars.
    public mutating func wipe() {
        SPAKE2PlusScalars.wipe(&w0)
        SPAKE2PlusScalars.wipe(&w1)
    }

    static func wipe<let count: Int>(_ octets: inout InlineArray<count, UInt8>) {
        var span = octets.mutableSpan
        wipeSecret(&span)
    }
}

/// The points of SPAKE2+ on P-256 with unknown discrete logarithms.
public enum SPAKE2PlusConstants {
    /// Masks the prover's share.
    public static let m = P256Point(trusted: [
        0x04, 0x88, 0x6E, 0x2F, 0x97, 0xAC, 0xE4, 0x6E, 0x55, 0xBA, 0x9D, 0xD7, 0x24, 0x25, 0x79, 0xF2, 0x99,
        0x3B, 0x64, 0xE1, 0x6E, 0xF3, 0xDC, 0xAB, 0x95, 0xAF, 0xD4, 0x97, 0x33, 0x3D, 0x8F, 0xA1, 0x2F,
        0x5F, 0xF3, 0x55, 0x16, 0x3E, 0x43, 0xCE, 0x22, 0x4E, 0x0B, 0x0E, 0x65, 0xFF, 0x02, 0xAC, 0x8E,
        0x5C, 0x7B, 0xE0, 0x94, 0x19, 0xC7, 0x85, 0xE0, 0xCA, 0x54, 0x7D, 0x55, 0xA1, 0x2E, 0x2D, 0x20,
    ])
    /// Masks the verifier's share.
    public static let n = P256Point(trusted: [
        0x04, 0xD8, 0xBB, 0xD6, 0xC6, 0x39, 0xC6, 0x29, 0x37, 0xB0, 0x4D, 0x99, 0x7F, 0x38, 0xC3, 0x77, 0x07,
        0x19, 0xC6, 0x29, 0xD7, 0x01, 0x4D, 0x49, 0xA2, 0x4B, 0x4F, 0x98, 0xBA, 0xA1, 0x29, 0x2B, 0x49,
        0x07, 0xD6, 0x0A, 0xA6, 0xBF, 0xAD, 0xE4, 0x50, 0x08, 0xA6, 0x36, 0x33, 0x7F, 0x51, 0x68, 0xC6,
        0x4D, 0x9B, 0xD3, 0x60, 0x34, 0x80, 0x8C, 0xD5, 0x64, 0x49, 0x0B, 0x1E, 0x65, 0x6E, 0xDB, 0xE7,
    ])
}

/// The keys of both sides from the transcript of an exchange.
public struct SPAKE2PlusSchedule: Sendable {
    /// The prover's confirmation cA.
    public let proverConfirmation: InlineArray<32, UInt8>
    /// The verifier's confirmation cB.
    public let verifierConfirmation: InlineArray<32, UInt8>
    /// The shared key Ke.
    public let key: InlineArray<16, UInt8>

    /// Hashes the transcript, derives the confirmation keys, and wipes both.
    public init(
        context: Span<UInt8>, proverShare: P256Point, verifierShare: P256Point, z: P256Point, v: P256Point,
        w0: Span<UInt8>
    ) throws(CryptoError) {
        var transcript: [UInt8] = []
        defer { wipeSecret(&transcript) }
        transcript.reserveCapacity(640)
        SPAKE2PlusSchedule.append(context, to: &transcript)
        for _ in 0..<2 { SPAKE2PlusSchedule.append(Span(), to: &transcript) }  // no names of the parties
        for point in [SPAKE2PlusConstants.m, SPAKE2PlusConstants.n, proverShare, verifierShare, z, v] {
            SPAKE2PlusSchedule.append(point.octets.span, to: &transcript)
        }
        SPAKE2PlusSchedule.append(w0, to: &transcript)
        var hash = try SHA256.hash(transcript.span)
        defer { SPAKE2PlusScalars.wipe(&hash) }
        let label = Array("ConfirmationKeys".utf8)
        let confirmationInput = hash.span.extracting(first: 16)
        var confirmationKeys: InlineArray<32, UInt8> = try HKDFSHA256.derive(
            inputKey: confirmationInput, salt: Span(), info: label.span)
        defer { SPAKE2PlusScalars.wipe(&confirmationKeys) }
        let keys = confirmationKeys.span
        proverConfirmation = try HMACSHA256.authenticate(
            key: keys.extracting(first: 16), verifierShare.octets.span, Span())
        verifierConfirmation = try HMACSHA256.authenticate(
            key: keys.extracting(last: 16), proverShare.octets.span, Span())
        key = InlineArray { hash[16 + $0] }
    }

    /// Appends the length in 8 octets, least significant first, and the element.
    private static func append(_ element: Span<UInt8>, to transcript: inout [UInt8]) {
        for shift in 0..<8 { transcript.append(UInt8(truncatingIfNeeded: element.count >> (8 * shift))) }
        for index in element.indices { transcript.append(element[index]) }
    }
}
