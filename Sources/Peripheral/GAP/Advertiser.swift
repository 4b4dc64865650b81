import Timekeeping

/// Advertising as the device wants it, on whichever kind of controller there is.
struct Advertiser {
    private enum Kind {
        /// No controller has been started.
        case absent
        case legacy(LegacyAdvertiser)
        case extended(ExtendedAdvertiser)
    }

    /// What the device wants, whatever the controller does.
    private(set) var wanted = true
    /// The sets that a controller can take at all.
    private(set) var sets: [AdvertisingSet] = []
    private var kind = Kind.absent

    /// The controller has been reset and is up: nothing runs on it.
    mutating func started(extended: Bool, capacity: Int) {
        kind =
            extended
            ? .extended(ExtendedAdvertiser(sets: sets, capacity: capacity, wanted: wanted))
            : .legacy(LegacyAdvertiser(sets: sets, wanted: wanted))
    }

    /// The controller is gone.
    mutating func stopped() { kind = .absent }

    /// Takes other sets; those that no controller could take are left out: an identifier above 0xEF or used twice,
    /// more than 31 octets.
    mutating func configure(_ all: [AdvertisingSet]) {
        sets = []
        for set in all where set.isServable && !sets.contains(where: { $0.id == set.id }) { sets.append(set) }
        let sets = self.sets
        update({ $0.configure(sets) }, { $0.configure(sets) })
    }

    /// Wants advertising, or not.
    mutating func want(_ wanted: Bool) {
        self.wanted = wanted
        update({ $0.want(wanted) }, { $0.want(wanted) })
    }

    /// How many of `sets` are served; all of them while no controller has been started.
    var servedCount: Int {
        if case .extended(let advertiser) = kind { return min(sets.count, advertiser.capacity) }
        return sets.count
    }

    /// The next command, in flight until `answered`.
    mutating func next(at now: Instant) -> AdvertisingCommand? {
        var command: AdvertisingCommand?
        update({ command = $0.next(at: now) }, { command = $0.next(at: now) })
        return command
    }

    /// The answer to the command in flight.
    mutating func answered(_ status: HCIStatus, at now: Instant, hasLinks: Bool) {
        update(
            { $0.answered(status, at: now, hasLinks: hasLinks) }, { $0.answered(status, at: now, hasLinks: hasLinks) })
    }

    /// Whether the controller says by an event which set a link belongs to.
    var namesSets: Bool {
        if case .extended = kind { return true }
        return false
    }

    /// A phone has connected: the set it belongs to, as far as the legacy advertiser knows.
    mutating func linkUp() -> UInt8? {
        var set: UInt8?
        update({ set = $0.linkUp() }, { _ in })
        return set
    }

    /// Advertising Set Terminated.
    mutating func terminated(_ set: UInt8) { update({ _ in }, { $0.terminated(set) }) }

    /// A connection came without a set, or failed.
    mutating func anyMayHaveStopped() { update({ $0.attemptFailed() }, { $0.anyMayHaveStopped() }) }

    /// A link has ended: there may be room to advertise again.
    mutating func linkDown() { update({ $0.linkDown() }, { $0.linkDown() }) }

    /// When `next` has something to say that it has not now.
    var deadline: Instant? {
        switch kind {
        case .absent: nil
        case .legacy(let advertiser): advertiser.deadline
        case .extended(let advertiser): advertiser.deadline
        }
    }

    private mutating func update(
        _ legacy: (inout LegacyAdvertiser) -> Void, _ extended: (inout ExtendedAdvertiser) -> Void
    ) {
        switch kind {
        case .absent: break
        case .legacy(var advertiser):
            kind = .absent
            legacy(&advertiser)
            kind = .legacy(advertiser)
        case .extended(var advertiser):
            kind = .absent
            extended(&advertiser)
            kind = .extended(advertiser)
        }
    }
}
