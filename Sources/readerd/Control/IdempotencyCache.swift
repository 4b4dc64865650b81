// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// The answers to recent requests with an id, so that a repeated request is carried out once and gets the same answer.
///
/// Ids are separate for each user, so that no user can learn or use another's, nor take its room.
struct IdempotencyCache {
    /// The id of a request and the user who sent it.
    struct Key: Hashable {
        var user: UInt32
        var id: String
    }

    /// The state of a request.
    enum State: Equatable {
        /// New, and stored now.
        case new
        /// Not answered yet.
        case underWay
        /// Answered.
        case answered(ControlAnswer)
        /// The id was used for a different request.
        case other
        /// The cache is full.
        case full
    }

    fileprivate struct Entry {
        var action: ControlRequest.Action
        var answer: ControlAnswer?
        var since: Instant
    }

    /// The lifetime of an answer: longer than a client's last retry.
    static let lifetime = Duration.seconds(60)
    /// The maximum number of a user's entries. A request beyond it is refused, since an entry removed early might be
    /// carried out twice.
    static let limit = 256
    /// The maximum number of users with entries, more than a device has; all of them together take less than 4 MB.
    static let users = 64

    private var entries: [UInt32: [String: Entry]] = [:]

    /// Stores the request if it is new, and returns its state.
    mutating func state(of key: Key, _ action: ControlRequest.Action, at now: Instant) -> State {
        if let entry = entry(key, at: now) {
            guard entry.action == action else { return .other }
            return entry.answer.map { .answered($0) } ?? .underWay
        }
        if entries[key.user, default: [:]].count >= IdempotencyCache.limit {
            entries[key.user] = entries[key.user]?.filter { !$0.value.isOver(at: now) }
        }
        if entries[key.user] == nil, entries.count >= IdempotencyCache.users {
            entries = entries.filter { !$0.value.values.allSatisfy { $0.isOver(at: now) } }
        }
        guard entries[key.user].map({ $0.count < IdempotencyCache.limit }) ?? (entries.count < IdempotencyCache.users)
        else { return .full }
        entries[key.user, default: [:]][key.id] = Entry(action: action, answer: nil, since: now)
        return .new
    }

    /// True if the request of this key is under way or was answered.
    func has(_ key: Key, at now: Instant) -> Bool { entry(key, at: now) != nil }

    private func entry(_ key: Key, at now: Instant) -> Entry? {
        entries[key.user]?[key.id].flatMap { $0.isOver(at: now) ? nil : $0 }
    }

    /// Stores the answer; its lifetime begins now.
    mutating func answer(_ key: Key, _ answer: ControlAnswer, at now: Instant) {
        entries[key.user]?[key.id]?.answer = answer
        entries[key.user]?[key.id]?.since = now
    }
}

extension IdempotencyCache.Entry {
    /// An unanswered request never expires.
    fileprivate func isOver(at now: Instant) -> Bool { answer != nil && now - since >= IdempotencyCache.lifetime }
}
