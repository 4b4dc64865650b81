// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// The allocation of connections to the clients of the control socket. A value; the time is a parameter.
///
/// A client without requests is dismissed after the idle time, or earlier if a new client needs its place. A new client
/// never displaces a client of a user with fewer places than its own user would then have, so a user who floods the
/// socket displaces no other user's clients.
struct ClientLimiter {
    /// The limits of clients and of idle times.
    struct Limits {
        var clients = ControlLimits.clients
        var subscribers = ControlLimits.subscribers
        /// The time without a request after which a client that is not subscribed is dismissed.
        var idle = ControlLimits.idle
        /// The time after which a client that does not read is dropped.
        var stall = ControlLimits.stall
    }

    /// The result of a new connection.
    enum Entrance: Equatable {
        /// A place is free.
        case free
        /// This client is dismissed in favour of the new one.
        case evicting(Int)
        /// No place is free, and no client may be dismissed.
        case full
    }

    private struct Place {
        var user: UInt32
        /// The time of its connection or of its last request.
        var usedAt: Instant
        var isSubscribed = false
        /// True while an answer is pending or unread.
        var isOwed = false
        /// The time since which it has not read pending data; nil for none.
        var unreadSince: Instant?

        var isIdle: Bool { !isSubscribed && !isOwed }
    }

    let limits: Limits
    private var places: [Int: Place] = [:]

    init(_ limits: Limits = Limits()) { self.limits = limits }

    /// Requests a place for a client of this user; it has one unless the result is `full`.
    mutating func enter(_ client: Int, user: UInt32, at now: Instant) -> Entrance {
        var entrance = Entrance.free
        if places.count >= limits.clients {
            guard let evicted = clientToEvict(for: user) else { return .full }
            places[evicted] = nil
            entrance = .evicting(evicted)
        }
        places[client] = Place(user: user, usedAt: now)
        return entrance
    }

    /// Returns the client to dismiss for a new client of this user: of the users with the most places, the one idle for
    /// longest.
    private func clientToEvict(for user: UInt32) -> Int? {
        var counts: [UInt32: Int] = [user: 1]
        for place in places.values { counts[place.user, default: 0] += 1 }
        let wanted = counts[user, default: 1]
        let candidates = places.filter { $0.value.isIdle && counts[$0.value.user, default: 0] >= wanted }
        return candidates.min { one, other in
            let (first, second) = (counts[one.value.user, default: 0], counts[other.value.user, default: 0])
            if first != second { return first > second }
            return (one.value.usedAt, one.key) < (other.value.usedAt, other.key)
        }?.key
    }

    /// Records a request of the client: any complete line.
    mutating func used(_ client: Int, at now: Instant) { places[client]?.usedAt = now }

    /// Subscribes the client; false if there are too many subscribers.
    mutating func subscribe(_ client: Int) -> Bool {
        guard let place = places[client] else { return false }
        guard place.isSubscribed || places.values.count(where: \.isSubscribed) < limits.subscribers else {
            return false
        }
        places[client]?.isSubscribed = true
        return true
    }

    /// Records the state of the client: an answer pending, data unread, and data read since the last call.
    mutating func update(_ client: Int, awaitsAnswer: Bool, isUnread: Bool, hasRead: Bool, at now: Instant) {
        guard var place = places[client] else { return }
        if place.isOwed, !awaitsAnswer, !isUnread { place.usedAt = now }
        place.isOwed = awaitsAnswer || isUnread
        if !isUnread {
            place.unreadSince = nil
        } else if hasRead || place.unreadSince == nil {
            place.unreadSince = now
        }
        places[client] = place
    }

    /// Removes the client.
    mutating func leave(_ client: Int) { places[client] = nil }

    private func deadline(_ place: Place) -> Instant? {
        if let since = place.unreadSince { return since + limits.stall }
        return place.isIdle ? place.usedAt + limits.idle : nil
    }

    /// The time of the next call of `overdue`; nil for none.
    var nextDeadline: Instant? { places.values.compactMap(deadline).min() }

    /// Returns the clients whose time is over, in order of their numbers. Stalled clients do not read.
    func overdue(at now: Instant) -> [(client: Int, isStalled: Bool)] {
        places.filter { deadline($0.value).map { $0 <= now } ?? false }
            .sorted { $0.key < $1.key }
            .map { ($0.key, $0.value.unreadSince != nil) }
    }
}
