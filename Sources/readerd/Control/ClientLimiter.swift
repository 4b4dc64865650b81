import Timekeeping

/// The places at the control socket: who has one, for how long without using it, and who gives one up to whom. A value;
/// the time comes in.
///
/// Whoever asks nothing leaves after a while, and before that for a newcomer when all places are taken. Nobody can take
/// a place from a user who has fewer than he would have himself: one who floods the socket displaces his own.
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
        /// There is a place.
        case free
        /// This client has to leave for it.
        case evicting(Int)
        /// All places are taken by clients that keep theirs.
        case full
    }

    private struct Place {
        var user: UInt32
        /// The time of its connection or of its last request.
        var usedAt: Instant
        var isSubscribed = false
        /// An answer is to come, or has not been read.
        var isOwed = false
        /// Since when it has read nothing of what waits for it; nil while nothing does.
        var unreadSince: Instant?

        var isIdle: Bool { !isSubscribed && !isOwed }
    }

    let limits: Limits
    private var places: [Int: Place] = [:]

    init(_ limits: Limits = Limits()) { self.limits = limits }

    /// A client of this user wants a place; unless it is full, it has one from now on.
    mutating func enter(_ client: Int, user: UInt32, at now: Instant) -> Entrance {
        var entrance = Entrance.free
        if places.count >= limits.clients {
            guard let leaver = leaver(for: user) else { return .full }
            places[leaver] = nil
            entrance = .evicting(leaver)
        }
        places[client] = Place(user: user, usedAt: now)
        return entrance
    }

    /// The client that leaves for a newcomer of this user: of those with the most places, the one idle for longest.
    private func leaver(for user: UInt32) -> Int? {
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

    /// The client asked for something: a whole line, whatever was in it.
    mutating func used(_ client: Int, at now: Instant) { places[client]?.usedAt = now }

    /// The client wants to be sent events; false if as many are as may be.
    mutating func subscribe(_ client: Int) -> Bool {
        guard let place = places[client] else { return false }
        guard place.isSubscribed || places.values.count(where: \.isSubscribed) < limits.subscribers else {
            return false
        }
        places[client]?.isSubscribed = true
        return true
    }

    /// How the client is: whether an answer is to come, whether something waits to be read by it, and whether it has
    /// read something since this was told last.
    mutating func note(_ client: Int, awaitsAnswer: Bool, isUnread: Bool, hasRead: Bool, at now: Instant) {
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

    /// The client is gone.
    mutating func leave(_ client: Int) { places[client] = nil }

    private func deadline(_ place: Place) -> Instant? {
        if let since = place.unreadSince { return since + limits.stall }
        return place.isIdle ? place.usedAt + limits.idle : nil
    }

    /// The time of the next call of `overdue`; nil for none.
    var nextDeadline: Instant? { places.values.compactMap(deadline).min() }

    /// The clients whose time is over, in the order of their numbers; stalled ones do not read.
    func overdue(at now: Instant) -> [(client: Int, isStalled: Bool)] {
        places.filter { deadline($0.value).map { $0 <= now } ?? false }
            .sorted { $0.key < $1.key }
            .map { ($0.key, $0.value.unreadSince != nil) }
    }
}
