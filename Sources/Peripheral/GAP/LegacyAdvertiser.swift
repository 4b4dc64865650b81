// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// Advertising sets in turn on the advertiser of a controller without extended advertising.
///
/// At the end of a turn, the advertiser is disabled, configured with the next set's address, parameters, data and scan
/// response, and enabled. A single set runs continuously. The advertiser stops when a central connects (Core 5.4, Vol
/// 4, Part E, 7.8.9), and is enabled again with its configuration.
struct LegacyAdvertiser {
    private enum Load { case address, parameters, power, data, scanResponse, complete }

    var wanted: Bool
    private(set) var allowsConnections: Bool
    /// The transmit power of the controller; read once, if a set needs it.
    private(set) var power: Int8?
    private var isPowerAsked = false
    /// False after the controller refused connectable advertising while it had links.
    private var hasRoom = true
    private var all: [AdvertisedSet]
    /// The sets that take turns at present.
    private var sets: [AdvertisedSet]
    private var turns = AdvertisingTurns()
    private var load = Load.address
    private var air = OnAir.off
    private var pause = AdvertisingPause.none
    private var backOff = BackOff()
    private(set) var inFlight: AdvertisingCommand?
    /// The turn ends with the disable that is in flight.
    private var turnEnds = false
    /// The answer to the command in flight is obsolete: the sets changed, or a central connected before or after the
    /// enable, which cannot be determined.
    private var crossed = false
    /// A link has ended while the enable was in flight.
    private var linkEndedMeanwhile = false
    /// The set of the next link.
    private var attributed: UInt8?
    /// The verification of the enabled advertiser: address, parameters, then a reload, which restores.
    private(set) var review: AdvertisingReview
    private var isReviewDue = false

    /// A disabled advertiser, as after a reset.
    init(sets: [AdvertisedSet], wanted: Bool, allowsConnections: Bool, restoresOnly: Bool = false) {
        all = sets
        review = AdvertisingReview(count: 3, restoresOnly: restoresOnly)
        self.wanted = wanted
        self.allowsConnections = allowsConnections
        self.sets = []
        self.sets = permitted(sets)
    }

    /// Replaces the sets; the advertiser is configured again if they differ. The turn stays with its set if that
    /// remains.
    mutating func configure(_ sets: [AdvertisedSet]) {
        guard sets != all else { return }
        all = sets
        adopt(permitted(sets))
        pause = .none
    }

    /// Permits or prevents connectable sets.
    mutating func allow(connections: Bool) {
        guard connections != allowsConnections else { return }
        allowsConnections = connections
        let permitted = permitted(all)
        // If none remains, the advertiser retains its configuration.
        if !permitted.isEmpty, permitted != sets { adopt(permitted) }
    }

    private func permitted(_ sets: [AdvertisedSet]) -> [AdvertisedSet] {
        mayConnect ? sets : sets.filter { !$0.isConnectable }
    }

    private var mayConnect: Bool { allowsConnections && hasRoom }

    private mutating func adopt(_ next: [AdvertisedSet]) {
        let current = sets.indices.contains(turns.index) ? sets[turns.index].id : nil
        turns.stay(with: next.firstIndex { $0.id == current }, of: next.count)
        sets = next
        load = .address
        turnEnds = false
        crossed = inFlight != nil && inFlight != .legacyEnable(false)
        if air == .on { air = .unknown }
    }

    /// Enables or disables advertising; enabling ends a pause.
    mutating func setWanted(_ wanted: Bool) {
        if wanted != self.wanted { pause = .none }
        self.wanted = wanted
    }

    /// The next command; nil if none is due. It is in flight until `answered`.
    mutating func next(at now: Instant) -> AdvertisingCommand? {
        guard inFlight == nil else { return nil }
        inFlight = command(at: now)
        if case .legacyEnable(true) = inFlight {
            linkEndedMeanwhile = false
            if current.isConnectable, attributed != current.id { attributed = nil }
        }
        return inFlight
    }

    /// True if a set may be on the air.
    private var isWanted: Bool { wanted && !sets.isEmpty && (mayConnect || !current.isConnectable) }

    /// Precondition: there are sets.
    private var current: AdvertisedSet { sets[turns.index] }

    private mutating func command(at now: Instant) -> AdvertisingCommand? {
        if !pause.holds(at: now) { pause = .none }
        guard isWanted else { return air == .off || pause.end != nil ? nil : .legacyEnable(false) }
        guard pause == .none else { return nil }
        switch air {
        case .unknown: return .legacyEnable(false)
        case .on:
            guard turns.isOver(at: now) else { return reviewCommand() }
            turnEnds = true
            return .legacyEnable(false)
        case .off: if turns.isOver(at: now) { nextTurn() }
        }
        if load == .power, isPowerAsked || !wantsPower { load = .data }
        if load == .scanResponse, current.set.kind == .nonConnectable { load = .complete }
        switch load {
        case .address: return .legacyAddress(set: current.id, current.address)
        case .parameters: return .legacyParameters(current.parameters(sharing: sets.count))
        case .power: return .legacyPower
        case .data: return .legacyData(current.set.filled(current.set.data, power: power))
        case .scanResponse: return .legacyScanResponse(current.set.filled(current.set.scanResponse, power: power))
        case .complete: return .legacyEnable(true)
        }
    }

    /// Schedules the verification of the enabled advertiser.
    mutating func beginReview() { isReviewDue = air == .on }

    /// Schedules the configuration again before the advertiser is enabled: the controller may have lost it.
    mutating func reload() {
        load = .address
        if air == .on { air = .unknown }
    }

    private mutating func reviewCommand() -> AdvertisingCommand? {
        guard isReviewDue else { return nil }
        isReviewDue = false
        switch review.index {
        case 0: return .review(.legacyAddress(set: current.id, current.address))
        case 1: return .review(.legacyParameters(current.parameters(sharing: sets.count)))
        default:
            reload()
            return .legacyEnable(false)
        }
    }

    private mutating func reviewed(_ status: HCIStatus) -> AdvertisingReview.Finding? {
        // Otherwise the advertiser has stopped or changed since, and the answer is about either state.
        guard air == .on, !sets.isEmpty else { return nil }
        let finding = review.answered(status, set: current.id)
        isReviewDue = finding == nil
        return finding
    }

    private var wantsPower: Bool { current.set.fillsTransmitPower || current.set.transmitPower != nil }

    private mutating func nextTurn() {
        turns.next(of: sets.count)
        load = .address
    }

    /// Handles the answer to the command in flight, and returns what a review has shown.
    mutating func answered(
        _ answer: AdvertisingAnswer, at now: Instant, hasLinks: Bool
    ) -> AdvertisingReview.Finding? {
        let command = inFlight
        inFlight = nil
        switch command {
        case .review:
            crossed = false
            return reviewed(answer.status)
        case .legacyEnable(false): disabled(answer.status, at: now)
        case .legacyEnable(true): enabled(answer.status, at: now, hasLinks: hasLinks)
        case .legacyPower:
            // If it is refused or unanswered, the power stays unknown.
            isPowerAsked = true
            power = answer.power
            crossed = false
        case nil: break
        default: loaded(answer.status, at: now)
        }
        return nil
    }

    private mutating func disabled(_ status: HCIStatus, at now: Instant) {
        // A refusal while the advertiser certainly runs is repeated later. Any other refusal means that nothing was
        // enabled.
        if status != .success, air == .on, !turnEnds {
            pause = .until(now + backOff.next())
            return
        }
        air = .off
        guard turnEnds else { return }
        turnEnds = false
        nextTurn()
    }

    private mutating func enabled(_ status: HCIStatus, at now: Instant, hasLinks: Bool) {
        guard status == .success else {
            air = .unknown
            crossed = false
            let refusal = EnableRefusal(status: status, hasLinks: hasLinks, linkEndedMeanwhile: linkEndedMeanwhile)
            pause = refusal.pause(at: now, backOff: &backOff)
            if refusal.asksForReload { load = .address }
            return advertiseNonConnectable()
        }
        guard !crossed else {
            crossed = false
            air = .unknown
            return
        }
        backOff.reset()
        air = .on
        if current.isConnectable { attributed = current.id }
        turns.began(current.set.sharedInterval(sets: sets.count), of: sets.count, at: now)
    }

    /// Continues with non-connectable sets until a link ends, because there is no room for another link.
    private mutating func advertiseNonConnectable() {
        guard case .noRoom(nil) = pause, sets.contains(where: { $0.isConnectable }) else { return }
        let others = sets.filter { !$0.isConnectable }
        guard !others.isEmpty else { return }
        pause = .none
        hasRoom = false
        adopt(others)
    }

    private mutating func loaded(_ status: HCIStatus, at now: Instant) {
        guard !crossed else {
            crossed = false
            return
        }
        guard status == .success else {
            // A refused set must not delay the others.
            turns.next(of: sets.count)
            load = .address
            air = .unknown
            pause = .until(now + backOff.next())
            return
        }
        switch load {
        case .address: load = .parameters
        case .parameters: load = .power
        case .power, .data: load = .scanResponse
        case .scanResponse, .complete: load = .complete
        }
    }

    /// Handles a connection. Returns its set, or nil if that is not certain.
    mutating func linkUp() -> UInt8? {
        if case .legacyEnable(true) = inFlight { crossed = true }
        // A non-connectable set has not stopped, but no event confirms that.
        air = sets.isEmpty || current.isConnectable || air == .off ? .off : .unknown
        return attributed
    }

    /// Handles a failed connection attempt: the state of the advertiser is not known.
    mutating func attemptFailed() {
        if case .legacyEnable(true) = inFlight { crossed = true }
        if air == .on { air = .unknown }
    }

    /// Handles the end of a link.
    mutating func linkDown() {
        linkEndedMeanwhile = true
        pause.linkEnded()
        guard !hasRoom else { return }
        hasRoom = true
        let permitted = permitted(all)
        if permitted != sets { adopt(permitted) }
    }

    /// The state of a set as last shown by the controller; off for a set whose turn it is not.
    func air(ofSet id: UInt8) -> OnAir { sets.indices.contains(turns.index) && current.id == id ? air : .off }

    /// The time at which `next` may return a further command.
    var deadline: Instant? {
        guard inFlight == nil else { return nil }
        guard isWanted else { return air == .off ? nil : pause.end }
        if let end = pause.end { return end }
        return air == .on && pause == .none ? turns.end : nil
    }
}
