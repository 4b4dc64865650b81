import Timekeeping

/// Advertising sets that run at once, on a controller with extended advertising.
///
/// Each set is given its parameters (legacy PDUs), its own address, packet and scan response once; then all are
/// enabled together, without end. A set stops when a phone connects to it (Core 5.4, Vol 4, Part E, 7.7.65.18) and is
/// enabled again. Sets beyond what the controller has are left out, in the order in which they were given.
struct ExtendedAdvertiser {
    private enum Load: Int { case parameters, address, data, scanResponse, complete }

    private struct Entry {
        var set: AdvertisingSet
        var load = Load.parameters
        var air = OnAir.off
        /// A controller that refuses one set may take the others.
        var pause = AdvertisingPause.none
        var backOff = BackOff()
        /// The answer to the enable in flight says nothing about this set.
        var crossed = false
    }

    var wanted: Bool
    /// How many sets the controller has.
    let capacity: Int
    private var entries: [Entry]
    /// Sets that the controller still has and that are not wanted any more.
    private var retired: [(id: UInt8, air: OnAir)] = []
    private var hasGlobalAddress = false
    /// Before advertising that could not be stopped is stopped again.
    private var pause = AdvertisingPause.none
    private var backOff = BackOff()
    /// The controller has refused to enable several sets at once: it may have room for some of them.
    private var isOneByOne = false
    /// A link has ended while the enable was in flight.
    private var linkEndedMeanwhile = false
    private(set) var inFlight: AdvertisingCommand?

    /// An advertiser that is off and knows no set, as after a reset.
    init(sets: [AdvertisingSet], capacity: Int, wanted: Bool) {
        self.capacity = capacity
        self.wanted = wanted
        entries = sets.prefix(max(capacity, 0)).map { Entry(set: $0) }
    }

    /// Takes other sets. A set that only has other octets goes on running.
    mutating func configure(_ sets: [AdvertisingSet]) {
        let served = Array(sets.prefix(max(capacity, 0)))
        let before = entries
        pause = .none
        isOneByOne = false
        for old in before where !served.contains(where: { $0.id == old.set.id }) {
            retired.append((id: old.set.id, air: old.air))
        }
        entries = served.map { set in
            guard var entry = before.first(where: { $0.set.id == set.id }) else {
                var entry = Entry(set: set)
                // An identifier that was given up a moment ago and is back: the controller may still run it.
                if let index = retired.firstIndex(where: { $0.id == set.id }) {
                    entry.air = retired.remove(at: index).air
                }
                return entry
            }
            if entry.set.address != set.address || entry.set.interval != set.interval {
                entry.load = .parameters
            } else if entry.set != set, entry.load.rawValue > Load.data.rawValue {
                entry.load = .data
            }
            if entry.set != set {
                entry.crossed = isInFlight(set.id)
                entry.pause = .none
            }
            entry.set = set
            return entry
        }
    }

    /// Wants advertising, or not; a change ends a pause.
    mutating func want(_ wanted: Bool) {
        guard wanted != self.wanted else { return }
        self.wanted = wanted
        pause = .none
        isOneByOne = false
        for index in entries.indices { entries[index].pause = .none }
    }

    /// The next command; nil if there is none now. It is in flight until `answered`.
    mutating func next(at now: Instant) -> AdvertisingCommand? {
        guard inFlight == nil else { return nil }
        inFlight = command(at: now)
        if case .enable = inFlight { linkEndedMeanwhile = false }
        return inFlight
    }

    private mutating func command(at now: Instant) -> AdvertisingCommand? {
        if !pause.holds(at: now) { pause = .none }
        if pause.end == nil, let command = commandToStop() { return command }
        guard wanted, pause == .none, !entries.isEmpty else { return nil }
        if !hasGlobalAddress { return .randomAddress(entries[0].set.address) }
        for entry in entries where !entry.pause.holds(at: now) {
            let set = entry.set
            switch entry.load {
            case .parameters:
                return .parameters(set: set.id, interval: AdvertisingSet.units(set.sharedInterval(sets: 1)))
            case .address: return .address(set: set.id, set.address)
            case .data: return .data(set: set.id, set.data)
            case .scanResponse: return .scanResponse(set: set.id, set.scanResponse)
            case .complete: continue
            }
        }
        let stopped = entries.filter { $0.air != .on && !$0.pause.holds(at: now) }.map(\.set.id)
        return stopped.isEmpty ? nil : .enable(isOneByOne ? Array(stopped.prefix(1)) : stopped)
    }

    /// What has to end first: sets that nobody wants, all of them if advertising is not wanted, and a set whose
    /// address or interval changes, which is not possible while it runs (7.8.52, 7.8.53).
    private func commandToStop() -> AdvertisingCommand? {
        if !wanted, entries.contains(where: { $0.air != .off }) { return .disable([]) }
        if let set = retired.first { return set.air == .off ? .remove(set: set.id) : .disable([set.id]) }
        let changed = entries.filter { $0.air != .off && $0.load.rawValue <= Load.address.rawValue }.map(\.set.id)
        return changed.isEmpty ? nil : .disable(changed)
    }

    /// The controller's answer to the command in flight.
    mutating func answered(_ status: HCIStatus, at now: Instant, hasLinks: Bool) {
        let command = inFlight
        inFlight = nil
        switch command {
        case nil: break
        case .randomAddress: hasGlobalAddress = true  // refused: the sets have addresses of their own
        case .enable(let ids): enabled(ids, status, at: now, hasLinks: hasLinks)
        case .disable(let ids): disabled(ids, status, at: now)
        case .remove(let id): retired.removeAll { $0.id == id }
        case .parameters(let id, _): loaded(id, .parameters, status, at: now)
        case .address(let id, _): loaded(id, .address, status, at: now)
        case .data(let id, _): loaded(id, .data, status, at: now)
        case .scanResponse(let id, _): loaded(id, .scanResponse, status, at: now)
        case .legacyParameters, .legacyData, .legacyScanResponse, .legacyEnable: break
        }
    }

    private mutating func loaded(_ id: UInt8, _ step: Load, _ status: HCIStatus, at now: Instant) {
        guard let index = entries.firstIndex(where: { $0.set.id == id }) else { return }
        guard !entries[index].crossed else {
            entries[index].crossed = false
            return
        }
        guard status == .success else {
            entries[index].load = .parameters
            entries[index].pause = .until(now + entries[index].backOff.next())
            // A set that cannot be given parameters because it runs must be disabled first.
            if status == .commandDisallowed { entries[index].air = .unknown }
            return
        }
        entries[index].load = Load(rawValue: step.rawValue + 1) ?? .complete
    }

    private mutating func enabled(_ ids: [UInt8], _ status: HCIStatus, at now: Instant, hasLinks: Bool) {
        let refusal = EnableRefusal(status: status, hasLinks: hasLinks, linkEndedMeanwhile: linkEndedMeanwhile)
        // One set too many, or one at fault, and none is enabled: each is asked for alone.
        let isForAll = status != .success && ids.count > 1
        if isForAll { isOneByOne = true }
        for index in entries.indices where ids.contains(entries[index].set.id) {
            if status == .success {
                entries[index].air = entries[index].crossed ? .unknown : .on
                entries[index].backOff.reset()
                entries[index].pause = .none
            } else if !isForAll {
                entries[index].pause = refusal.pause(at: now, backOff: &entries[index].backOff)
                if refusal.asksForReload { entries[index].load = .parameters }
            }
            entries[index].crossed = false
        }
        // A set that was given up while it was being enabled runs now.
        for index in retired.indices where ids.contains(retired[index].id) { retired[index].air = .unknown }
    }

    private mutating func disabled(_ ids: [UInt8], _ status: HCIStatus, at now: Instant) {
        let all = ids.isEmpty
        if status != .success, all {
            pause = .until(now + backOff.next())
            return
        }
        backOff.reset()
        // Refused for single sets: the controller does not know them, so they do not run.
        for index in entries.indices where all || ids.contains(entries[index].set.id) { entries[index].air = .off }
        for index in retired.indices where all || ids.contains(retired[index].id) { retired[index].air = .off }
    }

    /// Advertising Set Terminated: this set has stopped.
    mutating func terminated(_ id: UInt8) {
        guard let index = entries.firstIndex(where: { $0.set.id == id }) else { return }
        entries[index].air = .off
        if isInFlight(id) { entries[index].crossed = true }
    }

    /// A connection came, or failed, and nobody said from which set: any may have stopped.
    mutating func anyMayHaveStopped() {
        for index in entries.indices {
            if entries[index].air == .on { entries[index].air = .unknown }
            if case .enable(let ids) = inFlight, ids.contains(entries[index].set.id) { entries[index].crossed = true }
        }
    }

    /// A link has ended.
    mutating func linkDown() {
        linkEndedMeanwhile = true
        isOneByOne = false
        for index in entries.indices { entries[index].pause.linkEnded() }
    }

    /// When `next` has something to say that it has not now.
    var deadline: Instant? {
        guard inFlight == nil else { return nil }
        if let end = pause.end { return end }
        guard wanted, pause == .none else { return nil }
        return entries.compactMap { $0.load == .complete && $0.air == .on ? nil : $0.pause.end }.min()
    }

    private func isInFlight(_ id: UInt8) -> Bool {
        switch inFlight {
        case .enable(let ids): ids.contains(id)
        case .parameters(let set, _), .address(let set, _), .data(let set, _), .scanResponse(let set, _): set == id
        default: false
        }
    }
}
