import AccessProtocol
import EventStore
import Reader
import Timekeeping

/// Changes of the policy on their way to the store, and those that could not be kept and are put again. A value.
struct PolicyChanges {
    /// A setting that nobody waits for.
    private struct Setting {
        var value: [UInt8]?
        /// How many changes of it are on their way; at 0 it could not be kept.
        var underway = 0
    }

    /// How long a disk that could not take a change rests before the change is put again.
    static let retryPause = Duration.seconds(5)

    private var settings: [String: Setting] = [:]
    /// Whether the stored blacklist may differ from the one in memory.
    private var isBlacklistBehind = false
    /// When what could not be kept is put again; nil while nothing is behind.
    private(set) var retryAt: Instant?
    /// Why the last change could not be kept; nil if it was.
    private(set) var fault: DiskFault?

    /// Notes a request that is handed to the store; the token to hand it over with.
    mutating func begin(_ request: StorageRequest) -> StoreToken {
        switch request.work {
        case .blacklist(let change):
            if case .replace = change { isBlacklistBehind = false }
            return .blacklist(request.id)
        case .setting(let name, let value):
            if request.id == nil {
                settings[name] = Setting(value: value, underway: (settings[name]?.underway ?? 0) + 1)
            }
            return .setting(name, request.id)
        default: return request.id.map(StoreToken.command) ?? .unawaited
        }
    }

    /// Takes the answer to a change. What could not be kept is put again later. Of what a phone waits for it is the
    /// blacklist alone: the phone has been told, and the list in memory has been taken back, but a disk that failed at
    /// the last step may have the change.
    mutating func end(_ token: StoreToken, _ answer: StoreAnswer, at now: Instant) {
        // A policy that is refused has a fault of its own, and takes no change before it is begun anew.
        fault = if case .failed(let fault) = answer { fault } else { nil }
        switch token {
        case .blacklist where fault != nil: isBlacklistBehind = true
        case .setting(let name, nil):
            settings[name]?.underway -= 1
            // A later one is on its way.
            guard settings[name]?.underway == 0 else { return }
            if fault == nil { settings[name] = nil }
        default: return
        }
        if fault != nil { retryAt = now + PolicyChanges.retryPause }
    }

    /// Gives up what could not be kept, if it is time to put it again; the blacklist as it is in memory then.
    mutating func takeBehind(at now: Instant, _ blacklist: () -> [BlacklistRow]) -> [StorageRequest] {
        guard let retryAt, retryAt <= now else { return [] }
        self.retryAt = nil
        var requests = settings.filter { $0.value.underway == 0 }.map {
            StorageRequest(id: nil, work: .setting($0.key, $0.value.value))
        }
        if isBlacklistBehind { requests.append(StorageRequest(id: nil, work: .blacklist(.replace(blacklist())))) }
        return requests
    }
}

extension StorageWork {
    /// What the store is asked for.
    var storeRequest: StoreRequest {
        switch self {
        case .counters: .counters
        case .events(let query): .events(query)
        case .clearEvents(let event): .append(event)
        case .systemLines(let query): .systemLines(query)
        case .clearSystemLines: .clearSystemLog
        case .blacklist(let change): .change(.blacklist(change))
        case .setting(let name, let value): .change(.setting(name, value))
        // The clock is not the store's: whoever hands a request to the store has taken this one out.
        case .clock: .counters
        }
    }
}

extension StorageAnswer {
    /// What the store's answer says to the reader.
    init(_ answer: StoreAnswer) {
        switch answer {
        case .counters(let counters): self = .counters(counters)
        case .events(let records): self = .events(records)
        case .systemLines(let lines): self = .systemLines(lines)
        case .refused, .failed(.full): self = .failed(.storageFull)
        case .failed: self = .failed(.unavailable)
        case .appended, .done: self = .done
        case .policy, .policyRefused: self = .failed(.unavailable)
        }
    }
}
