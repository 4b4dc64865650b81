// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// The hosts whose PASE attempts lapsed, and the time that each has to wait, so that other hosts get their turn.
///
/// A host that blocks other hosts waits longer each time. A machine with several addresses thereby exhausts its
/// addresses, and leaves time for other hosts.
struct PASELapses: Sendable {
    /// The maximum number of remembered hosts: more addresses than a machine usually has.
    static let limit = 16
    /// The wait after the first lapse.
    static let shortestWait = Duration.seconds(5)
    /// The longest wait: the time of one attempt.
    static let longestWait = PASEAttempt.limit

    private struct Lapse: Sendable {
        let peer: TransportPeer
        let wait: Duration
        let until: Instant
    }

    /// The lapses, oldest first.
    private var lapses: [Lapse] = []

    /// Records a lapse.
    ///
    /// - Parameter isContested: true if other hosts waited for the attempt. The next wait is then twice the last one,
    ///   unless the host was quiet for the longest wait.
    mutating func record(_ peer: TransportPeer, isContested: Bool, at now: Instant) {
        let last = lapses.first { $0.peer.isSameHost(as: peer) }
        var wait = PASELapses.shortestWait
        if let last, isContested, now < last.until + PASELapses.longestWait {
            wait = min(last.wait * 2, PASELapses.longestWait)
        }
        lapses.removeAll { $0.peer.isSameHost(as: peer) }
        if lapses.count >= PASELapses.limit { lapses.removeFirst() }
        lapses.append(Lapse(peer: peer, wait: wait, until: now + wait))
    }

    /// The time that a host has to wait; nil if it can begin now.
    func wait(of peer: TransportPeer, at now: Instant) -> Duration? {
        guard let lapse = lapses.first(where: { $0.peer.isSameHost(as: peer) }), lapse.until > now else { return nil }
        return lapse.until - now
    }
}
