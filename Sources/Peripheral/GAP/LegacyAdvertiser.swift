import Timekeeping

/// Advertising sets taken in turn on the one advertiser of a controller without extended advertising.
///
/// Each set stays for two advertising events, then the advertiser is disabled, given the next set's address,
/// parameters, packet and scan response, and enabled. One set alone is left running. The advertiser stops by itself
/// when a phone connects (Core 5.4, Vol 4, Part E, 7.8.9), and is enabled again with what it has. The turn goes on
/// meanwhile, so that phones which connect to one set all the time do not keep the others off the air.
struct LegacyAdvertiser {
    /// Advertising events of one set before the next one's turn.
    static let dwellEvents = 2

    private enum Load { case address, parameters, data, scanResponse, complete }

    var wanted: Bool
    private var sets: [AdvertisingSet]
    private var turn = 0
    private var load = Load.address
    private var air = OnAir.off
    /// When the set has had its time; nil until it is first on the air, and for a set alone.
    private var turnEnd: Instant?
    private var pause = AdvertisingPause.none
    private var backOff = BackOff()
    private(set) var inFlight: AdvertisingCommand?
    /// The turn ends with the disable that is in flight.
    private var turnEnds = false
    /// Something came while a command was in flight that makes its answer worthless: other sets, or a phone that
    /// connected before or after the enable, nobody knows.
    private var crossed = false
    /// A link has ended while the enable was in flight.
    private var linkEndedMeanwhile = false
    /// The set that a link belongs to which comes now.
    private var attributed: UInt8?

    /// An advertiser that is off, as after a reset.
    init(sets: [AdvertisingSet], wanted: Bool) {
        self.sets = sets
        self.wanted = wanted
    }

    /// Takes other sets; the advertiser is loaded anew if they differ.
    mutating func configure(_ sets: [AdvertisingSet]) {
        guard sets != self.sets else { return }
        self.sets = sets
        turn = 0
        turnEnd = nil
        load = .address
        turnEnds = false
        pause = .none
        crossed = inFlight != nil && inFlight != .legacyEnable(false)
        if air == .on { air = .unknown }
    }

    /// Wants advertising, or not; wanting it anew ends a pause.
    mutating func want(_ wanted: Bool) {
        if wanted != self.wanted { pause = .none }
        self.wanted = wanted
    }

    /// The next command; nil if there is none now. It is in flight until `answered`.
    mutating func next(at now: Instant) -> AdvertisingCommand? {
        guard inFlight == nil else { return nil }
        inFlight = command(at: now)
        if case .legacyEnable(true) = inFlight {
            linkEndedMeanwhile = false
            if attributed != sets[turn].id { attributed = nil }
        }
        return inFlight
    }

    private mutating func command(at now: Instant) -> AdvertisingCommand? {
        if !pause.holds(at: now) { pause = .none }
        guard wanted, !sets.isEmpty else { return air == .off || pause.end != nil ? nil : .legacyEnable(false) }
        guard pause == .none else { return nil }
        switch air {
        case .unknown: return .legacyEnable(false)
        case .on:
            guard turnIsOver(at: now) else { return nil }
            turnEnds = true
            return .legacyEnable(false)
        case .off: if turnIsOver(at: now) { nextTurn() }
        }
        let set = sets[turn]
        switch load {
        case .address: return .randomAddress(set.address)
        case .parameters:
            return .legacyParameters(interval: AdvertisingSet.units(set.sharedInterval(sets: sets.count)))
        case .data: return .legacyData(set.data)
        case .scanResponse: return .legacyScanResponse(set.scanResponse)
        case .complete: return .legacyEnable(true)
        }
    }

    private func turnIsOver(at now: Instant) -> Bool { turnEnd.map { now >= $0 } ?? false }

    private mutating func nextTurn() {
        turn = (turn + 1) % max(sets.count, 1)
        turnEnd = nil
        load = .address
    }

    /// The controller's answer to the command in flight.
    mutating func answered(_ status: HCIStatus, at now: Instant, hasLinks: Bool) {
        let command = inFlight
        inFlight = nil
        switch command {
        case .legacyEnable(false): disabled(status, at: now)
        case .legacyEnable(true): enabled(status, at: now, hasLinks: hasLinks)
        case nil: break
        default: loaded(status, at: now)
        }
    }

    private mutating func disabled(_ status: HCIStatus, at now: Instant) {
        // Refused while it runs for sure: it will be asked again. Refused otherwise: there was nothing to disable.
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
            return
        }
        guard !crossed else {
            crossed = false
            air = .unknown
            return
        }
        backOff.reset()
        air = .on
        attributed = sets[turn].id
        guard sets.count > 1, turnEnd == nil else { return }
        turnEnd = now + sets[turn].sharedInterval(sets: sets.count) * LegacyAdvertiser.dwellEvents
    }

    private mutating func loaded(_ status: HCIStatus, at now: Instant) {
        guard !crossed else {
            crossed = false
            return
        }
        guard status == .success else {
            load = .address
            air = .unknown
            pause = .until(now + backOff.next())
            return
        }
        switch load {
        case .address: load = .parameters
        case .parameters: load = .data
        case .data: load = .scanResponse
        case .scanResponse, .complete: load = .complete
        }
    }

    /// A phone has connected: the set it belongs to, or nil if that is not certain.
    mutating func linkUp() -> UInt8? {
        if case .legacyEnable(true) = inFlight { crossed = true }
        air = .off
        return attributed
    }

    /// A connection attempt has failed: what the advertiser does now is not known.
    mutating func attemptFailed() {
        if case .legacyEnable(true) = inFlight { crossed = true }
        if air == .on { air = .unknown }
    }

    /// A link has ended.
    mutating func linkDown() {
        linkEndedMeanwhile = true
        pause.linkEnded()
    }

    /// When `next` has something to say that it has not now.
    var deadline: Instant? {
        guard inFlight == nil else { return nil }
        guard wanted, !sets.isEmpty else { return air == .off ? nil : pause.end }
        if let end = pause.end { return end }
        return air == .on && pause == .none ? turnEnd : nil
    }
}
