import Timekeeping

/// What was asked for with which id, for a while: the same request is carried out once and answered the same.
///
/// Ids belong to the user who sent them, so nobody can learn or take another's.
struct RequestMemory {
    /// Whose request it is.
    struct Key: Hashable {
        var user: UInt32
        var id: String
    }

    /// What became of a request so far.
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

    /// How long a request is remembered: longer than a client tries again.
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
        if entries.count >= RequestMemory.limit { entries = entries.filter { !$0.value.isOver(at: now) } }
        guard entries.count < RequestMemory.limit else { return .full }
        entries[key] = Entry(action: action, answer: nil, since: now)
        return .new
    }

    /// Takes down what it was answered with; it is remembered from now on.
    mutating func answer(_ key: Key, _ answer: ControlAnswer, at now: Instant) {
        entries[key]?.answer = answer
        entries[key]?.since = now
    }
}

extension RequestMemory.Entry {
    /// One that is under way is never over: its answer is still to come.
    fileprivate func isOver(at now: Instant) -> Bool { answer != nil && now - since >= RequestMemory.lifetime }
}
