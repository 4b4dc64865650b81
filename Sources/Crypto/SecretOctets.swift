// SPDX-License-Identifier: Apache-2.0

import CCrypto

/// Octets that are secret, which are overwritten when the last reference ends.
///
/// Give it the only reference to its array: of an array that another variable has as well, a copy is overwritten.
public final class SecretOctets: Equatable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The octets. Written in deinit only, where no other reference exists.
    public nonisolated(unsafe) private(set) var octets: [UInt8]

    /// Owns these octets.
    public init(_ octets: consuming [UInt8]) { self.octets = octets }

    deinit { wipeSecret(&octets) }

    /// Compares in a time that depends on the lengths only.
    public static func == (left: SecretOctets, right: SecretOctets) -> Bool {
        let (left, right) = (left.octets, right.octets)
        return constantTimeEqual(left.span, right.span)
    }

    /// The length only.
    public var description: String { "(\(octets.count) octets)" }
    /// The length only.
    public var customMirror: Mirror { Mirror(self, children: ["count": octets.count]) }
}

/// Returns true if `a` and `b` are equal. The time depends only on the lengths, which are not secret.
public func constantTimeEqual(_ a: Span<UInt8>, _ b: Span<UInt8>) -> Bool {
    guard a.count == b.count else { return false }
    return a.withUnsafeBufferPointer { a in
        b.withUnsafeBufferPointer { b in
            readerd_crypto_equal(a.baseAddress, b.baseAddress, a.count) == 1
        }
    }
}

/// Overwrites `octets` with zeros, even if the optimizer sees no further use.
///
/// It affects this copy only, not copies made before.
public func wipeSecret(_ octets: inout MutableSpan<UInt8>) {
    octets.withUnsafeMutableBufferPointer { readerd_crypto_wipe($0.baseAddress, $0.count) }
}

/// Overwrites `octets` with zeros and empties it, keeping its capacity. A buffer shared with another array is not
/// affected: a copy is overwritten then.
public func wipeSecret(_ octets: inout [UInt8]) {
    var span = octets.mutableSpan
    wipeSecret(&span)
    octets.removeAll(keepingCapacity: true)
}

/// Overwrites the stack area of returned calls, 128 KiB: passing values with secrets leaves copies there that cannot be
/// addressed. It does not cover calls inlined into the caller.
public func wipeStack() { readerd_crypto_wipe_stack() }

/// Overwrites the first 32 KiB of the stack area of returned calls. `wipeStack` has to follow.
///
/// Calls until then have gaps in their frames, in which what was there before stays, and `wipeStack` begins below them.
public func wipeNearStack() { readerd_crypto_wipe_near_stack() }
