// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import EventStore
import Reader
import Timekeeping

/// Changes of the policy: pending ones, and failed ones to be repeated. A value.
struct PolicyChanges {
    /// A setting without a waiting command.
    private struct Setting {
        var value: [UInt8]?
        /// The number of pending changes; 0 if the last one failed.
        var underway = 0
    }

    /// The time between a failed change and its repetition.
    static let retryPause = Duration.seconds(5)

    private var settings: [String: Setting] = [:]
    /// True if the stored blacklist may differ from the one in memory.
    private var isBlacklistOverdue = false
    /// The time at which failed changes are repeated; nil without a failed change.
    private(set) var retryAt: Instant?
    /// The fault of the last change; nil if it was stored.
    private(set) var fault: DiskFault?

    /// Notes a request to the store, and returns the token for it.
    mutating func begin(_ request: StorageRequest) -> StoreToken {
        switch request.work {
        case .blacklist(let change):
            if case .replace = change { isBlacklistOverdue = false }
            return .blacklist(request.id)
        case .setting(let name, let value):
            if request.id == nil {
                settings[name] = Setting(value: value, underway: (settings[name]?.underway ?? 0) + 1)
            }
            return .setting(name, request.id)
        default: return request.id.map(StoreToken.command) ?? .unawaited
        }
    }

    /// Handles the answer to a change. A failed change is repeated later, unless a phone waits for it. The exception is
    /// the blacklist: the phone was answered and the list in memory restored, but a disk that failed in the last step
    /// may have stored the change.
    mutating func end(_ token: StoreToken, _ answer: StoreAnswer, at now: Instant) {
        // A refused policy is a separate fault, and accepts no change until it is replaced.
        fault = if case .failed(let fault) = answer { fault } else { nil }
        switch token {
        case .blacklist where fault != nil, .desired where fault != nil: isBlacklistOverdue = true
        case .setting(let name, nil):
            settings[name]?.underway -= 1
            // A later change of it is pending.
            guard settings[name]?.underway == 0 else { return }
            if fault == nil { settings[name] = nil }
        default: return
        }
        if fault != nil { retryAt = now + PolicyChanges.retryPause }
    }

    /// Returns failed changes that are due, with the present blacklist.
    mutating func takeOverdue(at now: Instant, _ blacklist: () -> [BlacklistRow]) -> [StorageRequest] {
        guard let retryAt, retryAt <= now else { return [] }
        self.retryAt = nil
        var requests = settings.filter { $0.value.underway == 0 }.map {
            StorageRequest(id: nil, work: .setting($0.key, $0.value.value))
        }
        if isBlacklistOverdue { requests.append(StorageRequest(id: nil, work: .blacklist(.replace(blacklist())))) }
        return requests
    }
}

extension StorageWork {
    /// The request to the store. `seconds` is the latest time that the clock has shown, since 1970 in UTC: it is kept
    /// in one generation with an addition to the blacklist.
    func storeRequest(at seconds: Int64?) -> StoreRequest {
        switch self {
        case .counters: .counters
        case .events(let query): .events(query)
        case .clearEvents(let event): .append(event)
        case .systemLines(let query): .systemLines(query)
        case .clearSystemLines: .clearSystemLog
        case .blacklist(let change) where change.adds:
            .change(.both(change, PolicyDocument.blacklistAddedAt, PolicyTime.octets(seconds ?? .max)))
        case .blacklist(let change): .change(.blacklist(change))
        case .setting(let name, let value): .change(.setting(name, value))
        // Requests about the clock never reach the store; the caller handles them.
        case .clock: .counters
        }
    }
}

extension StorageAnswer {
    /// The reader's view of the store's answer.
    init(_ answer: StoreAnswer) {
        switch answer {
        case .counters(let counters): self = .counters(counters)
        case .events(let records): self = .events(records)
        case .systemLines(let lines): self = .systemLines(lines)
        case .refused, .failed(.full): self = .failed(.storageFull)
        case .failed: self = .failed(.unavailable)
        case .appended, .done: self = .done
        case .slice: self = .failed(.unavailable)
        case .policy, .policyRefused: self = .failed(.unavailable)
        }
    }
}
