import Crypto

/// What a side of LE Secure Connections gives out on another way than the air, as a code or over NFC (Core 5.4, Vol 3,
/// Part H, 2.3.5.6.4). `random` is secret to all but those who are meant to pair.
public struct OutOfBandData: Equatable, Sendable {
    /// C: binds the data to the public key.
    public var confirm: Value128
    /// r.
    public var random: Value128

    /// The data with these two values.
    public init(confirm: Value128, random: Value128) {
        self.confirm = confirm
        self.random = random
    }
}

/// What came of a central on another way.
public enum PeerOutOfBandData: Equatable, Sendable {
    /// For Secure Connections.
    case secureConnections(OutOfBandData)
    /// For legacy pairing: the temporary key, 128 bits that nobody else knows (2.3.5.4).
    case legacy(temporaryKey: Value128)

    /// Whether it is of use in such a pairing.
    func serves(secureConnections: Bool) -> Bool {
        switch self {
        case .secureConnections: secureConnections
        case .legacy: !secureConnections
        }
    }
}

/// This side's own out-of-band data with the key that it belongs to. While it is given out, pairings use that key.
struct LocalOutOfBand {
    let key: P256PrivateKey
    let random: Value128

    init(key: P256PrivateKey, random: Value128) {
        self.key = key
        self.random = random
    }

    /// What is given out.
    func data() throws(CryptoError) -> OutOfBandData {
        let x = key.publicPoint.coordinates.x
        return OutOfBandData(confirm: try SecurityToolbox.f4(x, x, random, 0), random: random)
    }
}

extension P256Point {
    /// The two numbers of the point.
    var coordinates: (x: Value256, y: Value256) {
        (
            Value256(InlineArray { octets[1 + $0] }),
            Value256(InlineArray { octets[33 + $0] })
        )
    }
}

extension P256PrivateKey {
    /// How often a scalar is drawn before the source of randomness is taken for broken: each draw fails with 2⁻³².
    private static let draws = 8

    /// A key made of random octets; nil if they never give one.
    static func draw(from random: inout any RandomSource) -> P256PrivateKey? {
        for _ in 0..<draws {
            var scalar = Value256(from: &random)
            let key = try? P256PrivateKey(scalar: scalar.octets.span)
            var octets = scalar.octets.mutableSpan
            wipeSecret(&octets)
            if let key { return key }
        }
        return nil
    }
}
