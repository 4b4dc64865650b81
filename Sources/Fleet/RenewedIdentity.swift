// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// The choice between the own identity's files, which may have been renewed, and the previous identity in memory, which
/// is used until the renewed one has connected.
public struct RenewedIdentity<Stamp: Equatable & Sendable>: Sendable {
    /// An identity for an attempt.
    public enum Choice: Sendable {
        /// Read the files.
        case files
        /// Use the identity of the last connection.
        case former
    }

    /// The time after which renewed files that failed are tried again, unless they change earlier.
    public static var retryAfter: Duration { .seconds(6 * 3600) }

    /// The stamp of the files at the last connection.
    private var serving: Stamp?
    private var tried: Stamp?
    private var failed: Stamp?
    private var retryAt = Instant.origin

    /// Creates a choice before the first connection.
    public init() {}

    /// True if the files differ from the identity in use, and are due for an attempt.
    public func isRenewed(_ files: Stamp, at now: Instant) -> Bool {
        serving != nil && files != serving && (files != failed || retryAt <= now)
    }

    /// Begins an attempt, and returns the identity to use.
    public mutating func begin(_ files: Stamp, at now: Instant) -> Choice {
        guard serving == nil || isRenewed(files, at: now) else {
            tried = serving
            return .former
        }
        tried = files
        return .files
    }

    /// Records that the attempt has connected.
    public mutating func connect() {
        if tried != serving { failed = nil }
        serving = tried
    }

    /// Records that the attempt has failed, or that its files cannot be read. A network failure is not held against the
    /// files.
    ///
    /// - Returns: true if the renewed files have failed, and the previous identity is used again.
    public mutating func fail(_ fault: LinkFault, at now: Instant) -> Bool {
        guard serving != nil, tried != serving, fault.isOfIdentity else { return false }
        (failed, retryAt) = (tried, now + RenewedIdentity.retryAfter)
        return true
    }
}
