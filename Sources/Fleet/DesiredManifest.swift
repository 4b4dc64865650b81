// SPDX-License-Identifier: Apache-2.0

public import CBOR

/// The signed half of a desired state: an order `desired` with the digests of the chunks that the state is sent in. The
/// order's counter is the state's version, and rises over all keys.
public struct DesiredManifest: Equatable, Sendable {
    /// The command of the order.
    public static let command = "desired"
    /// The maximum time in seconds from `not-before` to `expires`: a reader that was in storage for a year accepts the
    /// state that is retained at the broker.
    public static let lifeSeconds: UInt64 = 366 * 86_400
    /// The length of a digest in octets: SHA-256.
    public static let digestCount = 32
    private static let chunks = "chunks"

    /// The version.
    public var version: UInt64
    /// The SHA-256 of each chunk, in their order.
    public var digests: [[UInt8]]

    /// The manifest in an order; nil if the order has other arguments, or chunks beyond the limit.
    public init?(_ order: RemoteOrder) {
        guard order.command == DesiredManifest.command, order.arguments.count == 1,
            case .array(let chunks)? = order.arguments[DesiredManifest.chunks],
            (1...FleetLimits.chunksPerState).contains(chunks.count)
        else { return nil }
        digests = []
        for chunk in chunks {
            guard case .octets(let digest) = chunk, digest.count == DesiredManifest.digestCount else { return nil }
            digests.append(digest)
        }
        version = order.counter
    }

    /// The arguments of an order for a state in chunks with these digests.
    public static func arguments(digests: [[UInt8]]) -> [String: CBORValue] {
        [chunks: .array(digests.map { .octets($0) })]
    }
}
