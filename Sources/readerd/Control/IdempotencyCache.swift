import Timekeeping

/// Requests with an id are carried out once: for a while, the same request gets the same answer.
///
/// Ids belong to the user who sent them, so nobody can learn or take another's.
struct IdempotencyCache {
    /// Whose request it is.
    struct Key: Hashable {
        var user: UInt32
        var id: String
    }

    /// The state of a request.
    enum State: Equatable {
        /// It has not been asked for before, and is now taken down.
        case new
        /// It is under way: the answer comes later.
        case underWay
        /// It was answered with this.
        case answered(ControlAnswer)
        /// The id was used for something else.
        case other
        /// So many requests are remembered that there is no room.
        case full
    }

    fileprivate struct Entry {
        var action: ControlRequest.Action
        var answer: ControlAnswer?
        var since: Instant
    }

    /// The lifetime of an answer: beyond a client's last retry.
    static let lifetime = Duration.seconds(60)
    /// How many are remembered. When there is no room a request is refused: one that is forgotten early might happen
    /// twice.
    static let limit = 256

    private var entries: [Key: Entry] = [:]

    /// Takes down that this is asked for, and says whether it has been before.
    mutating func ask(_ key: Key, _ action: ControlRequest.Action, at now: Instant) -> State {
        if let entry = entries[key], !entry.isOver(at: now) {
            guard entry.action == action else { return .other }
            return entry.answer.map { .answered($0) } ?? .underWay
        }
        if entries.count >= IdempotencyCache.limit { entries = entries.filter { !$0.value.isOver(at: now) } }
        guard entries.count < IdempotencyCache.limit else { return .full }
        entries[key] = Entry(action: action, answer: nil, since: now)
        return .new
    }

    /// Takes down what it was answered with; it is remembered from now on.
    mutating func answer(_ key: Key, _ answer: ControlAnswer, at now: Instant) {
        entries[key]?.answer = answer
        entries[key]?.since = now
    }
}

extension IdempotencyCache.Entry {
    /// One that is under way is never over: its answer is still to come.
    fileprivate func isOver(at now: Instant) -> Bool { answer != nil && now - since >= IdempotencyCache.lifetime }
}
