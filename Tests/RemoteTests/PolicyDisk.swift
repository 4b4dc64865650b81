// SPDX-License-Identifier: Apache-2.0

import Crypto
import Reader
import Testing

@testable import Remote

/// The policy of a reader on a simulated disk: two copies and their witness, written in this order, and the generation
/// that the event log states.
struct PolicyDisk {
    /// The writes of a change: two copies, and the witness.
    static let writes = 3

    private let key: AuditKey
    private(set) var copies: [[UInt8]]
    private(set) var count: [UInt8]
    /// The newest generation that the event log states; nobody puts the log back here.
    private(set) var logged: UInt64
    /// The policy as the writer knows it.
    private var document = PolicyDocument(generation: 1)

    init() throws {
        key = try #require(AuditKey([UInt8](repeating: 7, count: AuditKey.count)))
        let policy = try SealedPolicy(document, key: key)
        (copies, count) = ([policy.octets, policy.octets], try PolicyCount(policy).octets(key: key))
        logged = document.generation
    }

    /// Keeps the setting of the orders. After fewer than all `writes` the power is gone.
    mutating func keep(_ octets: [UInt8], writes: Int = writes) throws {
        try document.apply(.setting(RemoteOrders.setting, octets))
        try write(writes)
    }

    private mutating func write(_ writes: Int) throws {
        let policy = try SealedPolicy(document, key: key)
        for copy in copies.indices where copy < writes { copies[copy] = policy.octets }
        guard writes == PolicyDisk.writes else { return }
        count = try PolicyCount(policy).octets(key: key)
        logged = document.generation
    }

    /// Puts an older copy of the policy back, with its witness or without.
    mutating func putBack(_ older: PolicyDisk, withCount: Bool) {
        copies = older.copies
        if withCount { count = older.count }
    }

    /// Reads the policy at a start. Returns nil for one that is refused.
    mutating func load() throws -> PolicyDocument? {
        guard case .known(let policy, let isWhole) = found.verdict(logged: logged) else { return nil }
        document = policy.document
        if !isWhole { try write(PolicyDisk.writes) }
        return document
    }

    /// The policy in force, by what is on the disk alone; nil for one that is refused.
    var inForce: PolicyDocument? {
        guard case .known(let policy, _) = found.verdict(logged: logged) else { return nil }
        return policy.document
    }

    /// The policy of the first copy, whatever else is on the disk.
    var firstCopy: PolicyDocument? { SealedPolicy(copies[0], key: key)?.document }

    /// An operator begins an empty policy.
    mutating func begin() throws {
        document = PolicyDocument(generation: max(found.highestGeneration, logged) + 1)
        try write(PolicyDisk.writes)
    }

    private var found: FoundPolicy {
        FoundPolicy(
            copies: copies.map { SealedPolicy($0, key: key).map(FoundPolicy.Copy.sound) ?? .damaged },
            count: PolicyCount(count, key: key).map(FoundPolicy.Count.sound) ?? .damaged)
    }
}
