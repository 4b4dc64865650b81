// SPDX-License-Identifier: Apache-2.0

/// The verifier's side of SPAKE2+ as Matter has it: draft-bar-cfrg-spake2plus-01 on P-256 with SHA-256, without names
/// of the parties.
///
/// The verifier is w0 ‖ L. It proves that the other side knows the passcode, but does not hold it.
public struct SPAKE2PlusVerifier: Sendable {
    /// The octets of a verifier.
    public static let count = 97

    let w0: P256Group.Scalar
    let l: P256Point

    /// The verifier w0 (32 octets) ‖ L (65), as another side stored it.
    ///
    /// - Throws: `invalidLength`, `invalidKey` unless w0 is from 1 to n − 1, `invalidPoint` for L off the curve.
    public init(octets: Span<UInt8>) throws(CryptoError) {
        guard octets.count == SPAKE2PlusVerifier.count else { throw .invalidLength }
        let scalar = octets.extracting(first: 32)
        let point = octets.extracting(last: P256Point.count)
        _ = try P256Group.multiplyGenerator(by: scalar)
        l = try P256PublicKey(point: point).point
        w0 = InlineArray { scalar[$0] }
    }

    /// The verifier of a passcode. It takes the time of `iterations`.
    public init(passcode: UInt32, salt: Span<UInt8>, iterations: Int) throws(CryptoError) {
        var scalars = try SPAKE2PlusScalars(passcode: passcode, salt: salt, iterations: iterations)
        defer { scalars.wipe() }
        w0 = scalars.w0
        l = try P256Group.multiplyGenerator(by: scalars.w1.span)
    }

    /// w0 ‖ L, which allows offline guesses of the passcode: keep it like one.
    public var octets: [UInt8] { w0.indices.map { w0[$0] } + l.octets.indices.map { l.octets[$0] } }

    /// The answer to the prover's share `proverShare`.
    ///
    /// - Parameters:
    ///   - context: the hash of the messages that both sides have sent before.
    ///   - random: the secret y, 32 to 64 random octets.
    /// - Throws: `invalidPoint` for a share off the curve, or if the secret would be the point at infinity.
    public func answer(
        proverShare: Span<UInt8>, context: Span<UInt8>, random: Span<UInt8>
    ) throws(CryptoError) -> SPAKE2PlusAnswer {
        // The shared points are on the stack of the calls below.
        defer { wipeStack() }
        return try answerWithResidue(proverShare: proverShare, context: context, random: random)
    }

    @inline(never)
    private func answerWithResidue(
        proverShare: Span<UInt8>, context: Span<UInt8>, random: Span<UInt8>
    ) throws(CryptoError) -> SPAKE2PlusAnswer {
        let shareOfProver = try P256Point(proverShare)
        var y = try P256Group.scalar(reducing: random)
        defer { SPAKE2PlusScalars.wipe(&y) }
        let share = try P256Group.add(
            P256Group.multiplyGenerator(by: y.span), P256Group.multiply(SPAKE2PlusConstants.n, by: w0.span))
        let unmasked = try P256Group.subtract(
            P256Group.multiply(SPAKE2PlusConstants.m, by: w0.span), from: shareOfProver)
        let schedule = try SPAKE2PlusSchedule(
            context: context, proverShare: shareOfProver, verifierShare: share,
            z: P256Group.multiply(unmasked, by: y.span), v: P256Group.multiply(l, by: y.span), w0: w0.span)
        return SPAKE2PlusAnswer(
            share: share, confirmation: schedule.verifierConfirmation, expected: schedule.proverConfirmation,
            key: schedule.key)
    }
}

/// The verifier's answer to a share: what it sends, and what it knows until the other side confirms.
public struct SPAKE2PlusAnswer: Sendable {
    /// The share pB.
    public let share: P256Point
    /// The confirmation cB.
    public let confirmation: InlineArray<32, UInt8>

    let expected: InlineArray<32, UInt8>
    private var key: InlineArray<16, UInt8>

    init(
        share: P256Point, confirmation: InlineArray<32, UInt8>, expected: InlineArray<32, UInt8>,
        key: InlineArray<16, UInt8>
    ) {
        self.share = share
        self.confirmation = confirmation
        self.expected = expected
        self.key = key
    }

    /// The shared key Ke if `confirmation` is the prover's cA; nil for any other. The comparison takes constant time.
    public func key(confirmedBy confirmation: Span<UInt8>) -> InlineArray<16, UInt8>? {
        constantTimeEqual(expected.span, confirmation) ? key : nil
    }

    /// Overwrites the shared key.
    public mutating func wipe() {
        var span = key.mutableSpan
        wipeSecret(&span)
    }
}
