// SPDX-License-Identifier: Apache-2.0

public import Crypto

/// The prover's side of SPAKE2+: a commissioner with the passcode.
public struct SPAKE2PlusProver: Sendable {
    /// The share pA.
    public let share: P256Point

    private let scalars: SPAKE2PlusScalars
    private let x: P256Group.Scalar

    /// A prover with the secret x from 32 random octets.
    public init(passcode: UInt32, salt: [UInt8], iterations: Int, random: [UInt8]) throws {
        scalars = try SPAKE2PlusScalars(passcode: passcode, salt: salt.span, iterations: iterations)
        x = try P256Group.scalar(reducing: random.span)
        share = try P256Group.add(
            P256Group.multiplyGenerator(by: x.span), P256Group.multiply(SPAKE2PlusConstants.m, by: scalars.w0.span))
    }

    /// The keys with the verifier's share, whose confirmation the caller compares.
    public func schedule(verifierShare: [UInt8], context: [UInt8]) throws -> SPAKE2PlusSchedule {
        let shareOfVerifier = try P256Point(verifierShare.span)
        let unmasked = try P256Group.subtract(
            P256Group.multiply(SPAKE2PlusConstants.n, by: scalars.w0.span), from: shareOfVerifier)
        return try SPAKE2PlusSchedule(
            context: context.span, proverShare: share, verifierShare: shareOfVerifier,
            z: P256Group.multiply(unmasked, by: x.span), v: P256Group.multiply(unmasked, by: scalars.w1.span),
            w0: scalars.w0.span)
    }
}
