// SPDX-License-Identifier: Apache-2.0

import Crypto

/// The out-of-band data of one side of LE Secure Connections, transferred as a code or by NFC (Core 5.4, Vol 3, Part H,
/// 2.3.5.6.4). `random` is secret: only intended peers may obtain it.
public struct OutOfBandData: Equatable, Sendable {
    /// C, the commitment to the public key.
    public var confirm: Value128
    /// r, the random value.
    public var random: Value128

    /// The data with these two values.
    public init(confirm: Value128, random: Value128) {
        self.confirm = confirm
        self.random = random
    }
}

/// Out-of-band data received from a central.
public enum PeerOutOfBandData: Equatable, Sendable {
    /// For Secure Connections.
    case secureConnections(OutOfBandData)
    /// For legacy pairing: the temporary key, 128 secret random bits (2.3.5.4).
    case legacy(temporaryKey: Value128)

    /// True if it applies to a pairing of this type.
    func serves(secureConnections: Bool) -> Bool {
        switch self {
        case .secureConnections: secureConnections
        case .legacy: !secureConnections
        }
    }
}

/// This side's out-of-band data with the key it belongs to. Pairings use that key as long as the data is published.
struct LocalOutOfBand {
    let key: P256PrivateKey
    let random: Value128

    /// The data to publish.
    func data() throws(CryptoError) -> OutOfBandData {
        let x = key.publicPoint.coordinates.x
        return OutOfBandData(confirm: try SecurityToolbox.f4(x, x, random, 0), random: random)
    }
}

extension P256Point {
    /// The coordinates of the point.
    var coordinates: (x: Value256, y: Value256) {
        (
            Value256(InlineArray { octets[1 + $0] }),
            Value256(InlineArray { octets[33 + $0] })
        )
    }
}

extension P256PrivateKey {
    /// The maximum number of draws of a scalar; each draw fails with a probability of 2⁻³².
    private static let draws = 8

    /// A key from random octets; nil if every draw fails, which means that the source of randomness is broken.
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
