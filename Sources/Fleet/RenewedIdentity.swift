// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// The choice between the files of the own identity, which may have been renewed, and the former identity, which is in
/// memory: the former serves until the renewed one has connected.
public struct RenewedIdentity<Stamp: Equatable & Sendable>: Sendable {
    /// An identity for an attempt.
    public enum Choice: Sendable {
        /// Read the files.
        case files
        /// Use the one that has connected last.
        case former
    }

    /// The time after which renewed files that did not serve are tried again, unless they change before.
    public static var retryAfter: Duration { .seconds(6 * 3600) }

    /// The files as they were when they connected.
    private var serving: Stamp?
    private var tried: Stamp?
    private var failed: Stamp?
    private var retryAt = Instant.origin

    /// Nothing has connected yet.
    public init() {}

    /// True if other files than those that serve are worth an attempt.
    public func isRenewed(_ files: Stamp, at now: Instant) -> Bool {
        serving != nil && files != serving && (files != failed || retryAt <= now)
    }

    /// An attempt begins.
    public mutating func begin(_ files: Stamp, at now: Instant) -> Choice {
        guard serving == nil || isRenewed(files, at: now) else {
            tried = serving
            return .former
        }
        tried = files
        return .files
    }

    /// The attempt has led to a connection.
    public mutating func connect() {
        if tried != serving { failed = nil }
        serving = tried
    }

    /// The attempt has failed, or its files cannot be read. A network that is down says nothing about the files.
    ///
    /// - Returns: true if renewed files do not serve, and the former identity is used from now on.
    public mutating func fail(_ fault: LinkFault, at now: Instant) -> Bool {
        guard serving != nil, tried != serving, fault.isOfIdentity else { return false }
        (failed, retryAt) = (tried, now + RenewedIdentity.retryAfter)
        return true
    }
}
