// SPDX-License-Identifier: Apache-2.0

/// The counters received from a peer (Core 4.6.5): the greatest, and the received ones among the 32 before it.
struct ReceptionWindow: Sendable {
    /// The number of remembered counters before the greatest.
    static let size: UInt32 = 32

    private var greatest: UInt32?
    /// Bit n: the counter n + 1 before the greatest was received.
    private var received: UInt32 = 0

    /// Accepts a counter of a secure session once. Counters do not wrap; those before the window count as received.
    mutating func acceptSecured(_ counter: UInt32) -> Bool {
        guard let greatest else {
            self.greatest = counter
            return true
        }
        if counter > greatest {
            advance(to: counter, by: counter - greatest)
            return true
        }
        return acceptEarlier(by: greatest - counter) ?? false
    }

    /// Accepts a counter of the unsecured session. Counters wrap, and a counter outside the window begins a new window:
    /// the peer has restarted.
    mutating func acceptUnsecured(_ counter: UInt32) -> Bool {
        guard let greatest else {
            self.greatest = counter
            return true
        }
        let ahead = counter &- greatest
        if ahead != 0, ahead < 1 << 31 {
            advance(to: counter, by: ahead)
            return true
        }
        if let isNew = acceptEarlier(by: greatest &- counter) { return isNew }
        self.greatest = counter
        received = 0
        return true
    }

    private mutating func advance(to counter: UInt32, by distance: UInt32) {
        greatest = counter
        // The previous greatest is bit `distance - 1` of the new window; a smart shift empties it beyond 32.
        received = received << distance | 1 << (distance - 1)
    }

    /// Nil if the counter `distance` before the greatest is before the window.
    private mutating func acceptEarlier(by distance: UInt32) -> Bool? {
        guard distance > 0 else { return false }
        guard distance <= ReceptionWindow.size else { return nil }
        let bit: UInt32 = 1 << (distance - 1)
        defer { received |= bit }
        return received & bit == 0
    }
}
