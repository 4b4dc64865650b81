// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// Concurrent advertising sets on a controller with extended advertising.
///
/// Each set is configured once with its parameters (legacy PDUs), address, data and scan response; then all are enabled
/// together, without limits. A set stops when a central connects to it (Core 5.4, Vol 4, Part E, 7.7.65.18) and is
/// enabled again. If the controller has too few sets, the first have one each, and the others share the last one in
/// turn: the set whose turn ends is removed, so that the handle still identifies the set that a central connected to.
struct ExtendedAdvertiser {
    private enum Load: Int { case parameters, address, data, scanResponse, complete }

    private struct Entry {
        var set: AdvertisedSet
        /// The number of sets that share this place in turn.
        var sharing: Int
        var load = Load.parameters
        var air = OnAir.off
        /// The transmit power selected by the controller.
        var power: Int8?
        /// A pause per set, because a controller that refuses one set may accept the others.
        var pause = AdvertisingPause.none
        var backOff = BackOff()
        /// The answer to the command in flight is not valid for this set.
        var crossed = false
        /// True if verification of the set is due.
        var isReviewDue = false

        init(_ set: AdvertisedSet, sharing: Int) {
            self.set = set
            self.sharing = sharing
        }
    }

    var wanted: Bool
    private(set) var allowsConnections: Bool
    /// The number of sets of the controller, at least 1.
    let capacity: Int
    private var entries: [Entry] = []
    /// The sets that share the last place; none or at least two.
    private var shared: [AdvertisedSet] = []
    private var turns = AdvertisingTurns()
    /// Removed sets that the controller still has.
    private var retired: [(id: UInt8, air: OnAir)] = []
    private var hasGlobalAddress = false
    /// The pause before advertising that could not be stopped is stopped again.
    private var pause = AdvertisingPause.none
    private var backOff = BackOff()
    /// The controller has refused to enable several sets at once: it may accept some of them.
    private var isOneByOne = false
    /// A link has ended while the enable was in flight.
    private var linkEndedMeanwhile = false
    /// The verification of enabled sets: the address, then enable, which restores. Only connectable sets have an
    /// address that the controller does not let change.
    private(set) var review: AdvertisingReview
    private(set) var inFlight: AdvertisingCommand?

    /// An advertiser without enabled sets, as after a reset.
    init(sets: [AdvertisedSet], capacity: Int, wanted: Bool, allowsConnections: Bool, restoresOnly: Bool = false) {
        self.capacity = max(capacity, 1)
        review = AdvertisingReview(count: 2, restoresOnly: restoresOnly)
        self.wanted = wanted
        self.allowsConnections = allowsConnections
        place(sets)
    }

    /// Replaces the sets. A set with only other data stays enabled.
    mutating func configure(_ sets: [AdvertisedSet]) {
        pause = .none
        isOneByOne = false
        place(sets)
    }

    /// Assigns places to the sets: one each, or the last one in turn.
    private mutating func place(_ sets: [AdvertisedSet]) {
        let owners = sets.count > capacity ? capacity - 1 : sets.count
        let current = shared.isEmpty ? nil : shared[turns.index].id
        shared = Array(sets[owners...])
        turns.stay(with: shared.firstIndex { $0.id == current }, of: shared.count)
        var places = sets.prefix(owners).map { (set: $0, sharing: 1) }
        if !shared.isEmpty { places.append((set: shared[turns.index], sharing: shared.count)) }
        let before = entries
        for old in before where !places.contains(where: { $0.set.id == old.set.id }) {
            retired.append((id: old.set.id, air: old.air))
        }
        entries = places.map { place in
            guard let entry = before.first(where: { $0.set.id == place.set.id }) else {
                return newEntry(place.set, sharing: place.sharing)
            }
            return changed(entry, to: place.set, sharing: place.sharing)
        }
    }

    private mutating func newEntry(_ set: AdvertisedSet, sharing: Int) -> Entry {
        var entry = Entry(set, sharing: sharing)
        // A removed identifier that is used again: the controller may still run it.
        if let index = retired.firstIndex(where: { $0.id == set.id }) { entry.air = retired.remove(at: index).air }
        entry.crossed = isInFlight(set.id)
        return entry
    }

    private func changed(_ entry: Entry, to set: AdvertisedSet, sharing: Int) -> Entry {
        guard entry.set != set || entry.sharing != sharing else { return entry }
        var entry = entry
        let step: Load =
            if entry.set.parameters(sharing: entry.sharing) != set.parameters(sharing: sharing) {
                .parameters
            } else if entry.set.address != set.address {
                .address
            } else if entry.set != set {
                .data
            } else {
                .complete
            }
        if step.rawValue < entry.load.rawValue { entry.load = step }
        entry.crossed = isInFlight(set.id)
        entry.pause = .none
        entry.set = set
        entry.sharing = sharing
        return entry
    }

    /// Enables or disables advertising; a change ends a pause.
    mutating func setWanted(_ wanted: Bool) {
        guard wanted != self.wanted else { return }
        self.wanted = wanted
        endPauses()
    }

    /// Permits or prevents connectable sets.
    mutating func allow(connections: Bool) {
        guard connections != allowsConnections else { return }
        allowsConnections = connections
        endPauses()
    }

    private mutating func endPauses() {
        pause = .none
        isOneByOne = false
        for index in entries.indices { entries[index].pause = .none }
    }

    private func isPermitted(_ set: AdvertisedSet) -> Bool { allowsConnections || !set.isConnectable }

    /// The next command; nil if none is due. It is in flight until `answered`.
    mutating func next(at now: Instant) -> AdvertisingCommand? {
        guard inFlight == nil else { return nil }
        inFlight = command(at: now)
        if case .enable = inFlight { linkEndedMeanwhile = false }
        return inFlight
    }

    private mutating func command(at now: Instant) -> AdvertisingCommand? {
        if !pause.holds(at: now) { pause = .none }
        if wanted, pause == .none { takeTurns(at: now) }
        if pause.end == nil, let command = commandToStop() { return command }
        guard wanted, pause == .none, let first = entries.first else { return nil }
        if !hasGlobalAddress { return .randomAddress(first.set.address) }
        for entry in entries where isPermitted(entry.set) && !entry.pause.holds(at: now) {
            let set = entry.set
            switch entry.load {
            case .parameters: return .parameters(set: set.id, set.parameters(sharing: entry.sharing))
            case .address: return .address(set: set.id, set.address)
            case .data: return .data(set: set.id, set.set.filled(set.set.data, power: entry.power))
            case .scanResponse:
                return .scanResponse(set: set.id, set.set.filled(set.set.scanResponse, power: entry.power))
            case .complete: continue
            }
        }
        let stopped = entries.filter { $0.air != .on && isPermitted($0.set) && !$0.pause.holds(at: now) }.map(\.set.id)
        if !stopped.isEmpty { return .enable(isOneByOne ? Array(stopped.prefix(1)) : stopped) }
        return reviewCommand()
    }

    /// Schedules the verification of each enabled set.
    mutating func beginReview() {
        for index in entries.indices { entries[index].isReviewDue = entries[index].air == .on }
    }

    private mutating func reviewCommand() -> AdvertisingCommand? {
        guard let index = entries.firstIndex(where: { $0.isReviewDue && $0.air == .on && $0.load == .complete }) else {
            return nil
        }
        entries[index].isReviewDue = false
        let entry = entries[index]
        let restores = review.restores || !entry.set.isConnectable
        return .review(restores ? .enable([entry.set.id]) : .address(set: entry.set.id, entry.set.address))
    }

    /// Assigns the shared place to the set whose turn it is.
    private mutating func takeTurns(at now: Instant) {
        guard shared.count > 1, let old = entries.last, shared.contains(where: { isPermitted($0) }),
            turns.isOver(at: now) || !isPermitted(old.set)
        else { return }
        repeat { turns.next(of: shared.count) } while !isPermitted(shared[turns.index])
        guard shared[turns.index].id != old.set.id else {
            // No other set may have the place at present.
            return turns.began(old.set.set.sharedInterval(sets: shared.count), of: shared.count, at: now)
        }
        entries.removeLast()
        retired.append((id: old.set.id, air: old.air))
        entries.append(newEntry(shared[turns.index], sharing: shared.count))
    }

    /// The command to stop sets: removed sets, all sets if advertising is disabled, and a set whose address or
    /// parameters change, which is not possible while it is enabled (7.8.52, 7.8.53).
    private func commandToStop() -> AdvertisingCommand? {
        if !wanted, entries.contains(where: { $0.air != .off }) { return .disable([]) }
        if let set = retired.first { return set.air == .off ? .remove(set: set.id) : .disable([set.id]) }
        let changed = entries.filter {
            $0.air != .off && ($0.load.rawValue <= Load.address.rawValue || !isPermitted($0.set))
        }.map(\.set.id)
        return changed.isEmpty ? nil : .disable(changed)
    }

    /// Handles the answer to the command in flight, and returns what a review has shown.
    mutating func answered(
        _ answer: AdvertisingAnswer, at now: Instant, hasLinks: Bool
    ) -> AdvertisingReview.Finding? {
        let status = answer.status
        let command = inFlight
        inFlight = nil
        if case .review(let command) = command { return reviewed(command, status, at: now, hasLinks: hasLinks) }
        switch command {
        case nil: break
        case .randomAddress: hasGlobalAddress = true  // refused: the sets have addresses of their own
        case .enable(let ids): enabled(ids, status, at: now, hasLinks: hasLinks)
        case .disable(let ids): disabled(ids, status, at: now)
        case .remove(let id): retired.removeAll { $0.id == id }
        case .parameters(let id, _):
            if let index = entries.firstIndex(where: { $0.set.id == id }) { entries[index].power = answer.power }
            loaded(id, .parameters, status, at: now)
        case .address(let id, _): loaded(id, .address, status, at: now)
        case .data(let id, _): loaded(id, .data, status, at: now)
        case .scanResponse(let id, _): loaded(id, .scanResponse, status, at: now)
        case .legacyAddress, .legacyParameters, .legacyPower, .legacyData, .legacyScanResponse, .legacyEnable, .review:
            break
        }
        return nil
    }

    private mutating func reviewed(
        _ command: AdvertisingCommand, _ status: HCIStatus, at now: Instant, hasLinks: Bool
    ) -> AdvertisingReview.Finding? {
        let id: UInt8
        switch command {
        case .address(let set, _): id = set
        case .enable(let sets): id = sets[0]
        default: return nil
        }
        guard let index = entries.firstIndex(where: { $0.set.id == id }) else { return nil }
        let crossed = entries[index].crossed
        entries[index].crossed = false
        // Otherwise the set has stopped or changed since, and the answer is about either state.
        guard !crossed, entries[index].air == .on else { return nil }
        if status == .unknownAdvertisingIdentifier {
            entries[index].air = .off
            entries[index].load = .parameters
            return .unknownSet(id)
        }
        guard case .enable(let ids) = command else {
            let finding = review.answered(status, set: id)
            entries[index].isReviewDue = finding == nil
            return finding
        }
        // Some controllers disallow to enable a set that is enabled.
        guard status != .success, status != .commandDisallowed || hasLinks else { return nil }
        entries[index].air = .unknown
        enabled(ids, status, at: now, hasLinks: hasLinks)
        return nil
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
            // Parameters are disallowed for an enabled set: it must be disabled first.
            if status == .commandDisallowed { entries[index].air = .unknown }
            return passTurn(at: now)
        }
        entries[index].load = Load(rawValue: step.rawValue + 1) ?? .complete
        // A non-connectable set has no scan response, and controllers refuse the command (7.8.55).
        if entries[index].load == .scanResponse, entries[index].set.set.kind == .nonConnectable {
            entries[index].load = .complete
        }
    }

    private mutating func enabled(_ ids: [UInt8], _ status: HCIStatus, at now: Instant, hasLinks: Bool) {
        let refusal = EnableRefusal(status: status, hasLinks: hasLinks, linkEndedMeanwhile: linkEndedMeanwhile)
        // One set too many or one invalid set, and none is enabled: each is enabled alone.
        let isForAll = status != .success && ids.count > 1
        if isForAll { isOneByOne = true }
        for index in entries.indices where ids.contains(entries[index].set.id) {
            if status == .success {
                entries[index].air = entries[index].crossed ? .unknown : .on
                entries[index].backOff.reset()
                entries[index].pause = .none
                let entry = entries[index]
                turns.began(entry.set.set.sharedInterval(sets: entry.sharing), of: entry.sharing, at: now)
            } else if !isForAll {
                entries[index].pause = refusal.pause(at: now, backOff: &entries[index].backOff)
                if refusal.asksForReload { entries[index].load = .parameters }
            }
            entries[index].crossed = false
        }
        // A set that was removed while the enable was in flight is running now.
        for index in retired.indices where ids.contains(retired[index].id) { retired[index].air = .unknown }
        passTurn(at: now)
    }

    /// A refused set in the shared place must not delay the others.
    private mutating func passTurn(at now: Instant) {
        guard let last = entries.last, last.sharing > 1, case .until = last.pause else { return }
        turns.began(last.set.set.sharedInterval(sets: last.sharing), of: last.sharing, at: now)
    }

    private mutating func disabled(_ ids: [UInt8], _ status: HCIStatus, at now: Instant) {
        let all = ids.isEmpty
        if status != .success, all {
            pause = .until(now + backOff.next())
            return
        }
        backOff.reset()
        // A refusal for single sets means that the controller does not have them, so they are stopped.
        for index in entries.indices where all || ids.contains(entries[index].set.id) { entries[index].air = .off }
        for index in retired.indices where all || ids.contains(retired[index].id) { retired[index].air = .off }
    }

    /// Handles Advertising Set Terminated: this set has stopped.
    mutating func terminated(_ id: UInt8) {
        for index in retired.indices where retired[index].id == id { retired[index].air = .off }
        guard let index = entries.firstIndex(where: { $0.set.id == id }) else { return }
        entries[index].air = .off
        if isInFlight(id) { entries[index].crossed = true }
    }

    /// Handles a connection, or a failure, without a known set: any may have stopped.
    mutating func anyMayHaveStopped() {
        for index in entries.indices {
            if entries[index].air == .on { entries[index].air = .unknown }
            switch inFlight {
            case .enable(let ids), .review(.enable(let ids)):
                if ids.contains(entries[index].set.id) { entries[index].crossed = true }
            default: break
            }
        }
    }

    /// Handles the end of a link.
    mutating func linkDown() {
        linkEndedMeanwhile = true
        isOneByOne = false
        for index in entries.indices { entries[index].pause.linkEnded() }
    }

    /// The time at which `next` may return a further command.
    var deadline: Instant? {
        guard inFlight == nil else { return nil }
        if let end = pause.end { return end }
        guard wanted, pause == .none else { return nil }
        var earliest = shared.contains(where: { isPermitted($0) }) ? turns.end : nil
        for entry in entries where entry.load != .complete || entry.air != .on {
            if isPermitted(entry.set), let end = entry.pause.end { earliest = earliest.map { min($0, end) } ?? end }
        }
        return earliest
    }

    /// The state of a set as last shown by the controller; off for a set without a place.
    func air(ofSet id: UInt8) -> OnAir {
        entries.first { $0.set.id == id }?.air ?? retired.first { $0.id == id }?.air ?? .off
    }

    /// The transmit power selected by the controller for a set, if the controller has the set.
    func power(ofSet id: UInt8) -> Int8? { entries.first { $0.set.id == id }?.power }

    private func isInFlight(_ id: UInt8) -> Bool {
        switch inFlight {
        case .enable(let ids): ids.contains(id)
        case .parameters(let set, _), .address(let set, _), .data(let set, _), .scanResponse(let set, _),
            .review(.address(let set, _)):
            set == id
        case .review(.enable(let ids)): ids.contains(id)
        default: false
        }
    }
}
