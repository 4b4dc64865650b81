// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// The hosts whose PASE attempts lapsed, and how long each waits, so that others come in turn.
///
/// A host that holds attempts back from others waits longer each time: one machine with several addresses uses them
/// up, and leaves time for the rest.
struct PASELapses: Sendable {
    /// The hosts that are remembered: more addresses than a machine has by itself.
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

    /// The oldest first.
    private var lapses: [Lapse] = []

    /// Notes a lapse.
    ///
    /// - Parameter isContested: others waited for the attempt: the next wait is twice the last one, unless the host was
    ///   quiet for the longest wait.
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

    /// The time that a host has to wait; nil for none.
    func wait(of peer: TransportPeer, at now: Instant) -> Duration? {
        guard let lapse = lapses.first(where: { $0.peer.isSameHost(as: peer) }), lapse.until > now else { return nil }
        return lapse.until - now
    }
}
