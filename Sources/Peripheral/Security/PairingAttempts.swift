// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// The recent failures of peers and their waiting times (Core 5.4, Vol 3, Part H, 2.3.6).
///
/// A peer that changes its address for each attempt evades the limit without benefit: each attempt has a new passkey.
struct PairingAttempts {
    /// The maximum number of peers; beyond it the entry with the earliest end of its wait is removed.
    static let capacity = 32

    private struct Entry {
        var peer: BluetoothAddress
        var failures: Int
        var closedUntil: Instant
    }

    private var entries: [Entry] = []

    /// True if the peer may pair now.
    func allows(_ peer: BluetoothAddress, at now: Instant) -> Bool {
        guard let entry = entries.first(where: { $0.peer == peer }) else { return true }
        return now >= entry.closedUntil
    }

    /// Records a failure of a pairing that had begun.
    mutating func failed(_ peer: BluetoothAddress, policy: SecurityPolicy, at now: Instant) {
        let index: Int
        if let known = entries.firstIndex(where: { $0.peer == peer }) {
            index = known
        } else {
            if entries.count >= PairingAttempts.capacity,
                let soonest = entries.indices.min(by: { entries[$0].closedUntil < entries[$1].closedUntil })
            {
                entries.remove(at: soonest)
            }
            entries.append(Entry(peer: peer, failures: 0, closedUntil: now))
            index = entries.count - 1
        }
        entries[index].failures += 1
        let doublings = entries[index].failures - max(1, policy.freeAttempts)
        guard doublings >= 0 else { return }
        entries[index].closedUntil = now + wait(doublings, policy)
    }

    /// Removes the failures of a peer after a successful pairing.
    mutating func succeeded(_ peer: BluetoothAddress) {
        entries.removeAll { $0.peer == peer }
    }

    private func wait(_ doublings: Int, _ policy: SecurityPolicy) -> Duration {
        var wait = policy.firstWait
        for _ in 0..<min(doublings, 32) where wait < policy.longestWait { wait += wait }
        return min(wait, policy.longestWait)
    }
}
