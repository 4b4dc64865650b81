// SPDX-License-Identifier: Apache-2.0

internal import Crypto

/// Octets of a private key, which are wiped when the last reference ends.
public final class LockSecret: Equatable, Sendable {
    /// The octets. Written in deinit only, where no other reference exists.
    public nonisolated(unsafe) private(set) var octets: [UInt8]

    /// Owns these octets.
    public init(_ octets: consuming [UInt8]) { self.octets = octets }

    deinit { wipeSecret(&octets) }

    /// Compares in a time that depends on the lengths only.
    public static func == (left: LockSecret, right: LockSecret) -> Bool {
        let (left, right) = (left.octets, right.octets)
        return constantTimeEqual(left.span, right.span)
    }
}
