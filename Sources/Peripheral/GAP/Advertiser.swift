import Timekeeping

/// Advertising as the device wants it, on whichever kind of controller there is.
struct Advertiser {
    private enum Kind {
        /// No controller has been started.
        case absent
        case legacy(LegacyAdvertiser)
        case extended(ExtendedAdvertiser)
    }

    /// The request of the device, independent of the state of the controller.
    private(set) var wanted = true
    /// The sets that a controller can take at all.
    private(set) var sets: [AdvertisingSet] = []
    private var addresses: OwnAddresses
    private var all: [AdvertisingSet] = []
    private var isConnectable = true
    private var isPoolFull = false
    private var kind = Kind.absent
    private(set) var onAir = OnAirAddresses()

    /// An advertiser without sets, that makes private addresses anew each `rotation`.
    init(rotation: Duration) { addresses = OwnAddresses(rotation: rotation) }

    /// The controller has been reset and is up: nothing runs on it.
    mutating func started(extended: Bool, capacity: Int, at now: Instant) {
        _ = addresses.refresh(sets, at: now)
        onAir = OnAirAddresses()
        let advertised = addresses.advertised(sets)
        kind =
            extended
            ? .extended(
                ExtendedAdvertiser(
                    sets: advertised, capacity: capacity, wanted: wanted, allowsConnections: allowsConnections))
            : .legacy(LegacyAdvertiser(sets: advertised, wanted: wanted, allowsConnections: allowsConnections))
    }

    /// The controller is gone.
    mutating func stopped() { kind = .absent }

    /// Takes other sets; those that no controller could take are left out: with a fault, an identifier used twice, or
    /// an address that the host cannot make.
    mutating func configure(_ all: [AdvertisingSet]) {
        self.all = all
        sets = []
        for set in all where set.fault == nil && addresses.canMake(set.ownAddress) {
            if !sets.contains(where: { $0.id == set.id }) { sets.append(set) }
        }
        addresses.keep(sets)
        place()
    }

    /// Says how private addresses are made.
    mutating func makeAddresses(with privacy: AddressPrivacy) {
        addresses.use(privacy)
        configure(all)
    }

    private mutating func place() {
        let advertised = addresses.advertised(sets)
        update({ $0.configure(advertised) }, { $0.configure(advertised) })
    }

    /// Wants advertising, or not.
    mutating func want(_ wanted: Bool) {
        self.wanted = wanted
        update({ $0.want(wanted) }, { $0.want(wanted) })
    }

    /// The device lets phones connect, or not.
    mutating func want(connections: Bool) {
        isConnectable = connections
        allowConnections()
    }

    /// True if the link table has room for one more.
    mutating func pool(isFull: Bool) {
        guard isFull != isPoolFull else { return }
        isPoolFull = isFull
        allowConnections()
    }

    private var allowsConnections: Bool { isConnectable && !isPoolFull }

    private mutating func allowConnections() {
        let allowed = allowsConnections
        update({ $0.allow(connections: allowed) }, { $0.allow(connections: allowed) })
    }

    /// The next command, in flight until `answered`.
    mutating func next(at now: Instant) -> AdvertisingCommand? {
        if addresses.refresh(sets, at: now) { place() }
        var command: AdvertisingCommand?
        update({ command = $0.next(at: now) }, { command = $0.next(at: now) })
        return command
    }

    /// The command in flight; nil if there is none.
    var inFlight: AdvertisingCommand? {
        switch kind {
        case .absent: nil
        case .legacy(let advertiser): advertiser.inFlight
        case .extended(let advertiser): advertiser.inFlight
        }
    }

    /// Handles the answer to the command in flight.
    mutating func answered(_ answer: AdvertisingAnswer, at now: Instant, hasLinks: Bool) {
        if answer.status == .success { onAir.done(inFlight) }
        update(
            { $0.answered(answer, at: now, hasLinks: hasLinks) }, { $0.answered(answer, at: now, hasLinks: hasLinks) })
    }

    /// True if the controller says by an event which set a link belongs to.
    var namesSets: Bool {
        if case .extended = kind { return true }
        return false
    }

    /// The power in dBm with which the controller sends a set; nil if it has not said.
    func transmitPower(ofSet id: UInt8) -> Int8? {
        switch kind {
        case .absent: nil
        case .legacy(let advertiser): sets.contains { $0.id == id } ? advertiser.power : nil
        case .extended(let advertiser): advertiser.power(ofSet: id)
        }
    }

    /// The address with which a set was last on the air; nil if it never was.
    func onAirAddress(of id: UInt8) -> BluetoothAddress? { onAir.address(ofSet: id) }

    /// Those of the sets that the device wants which no controller gets, by identifier.
    var unserved: [UInt8] {
        var served = sets
        return all.compactMap { set in
            guard let index = served.firstIndex(of: set) else { return set.id }
            served.remove(at: index)
            return nil
        }
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

    /// The time of the next command; nil if it depends on other inputs.
    var deadline: Instant? {
        let own: Instant? =
            switch kind {
            case .absent: nil
            case .legacy(let advertiser): advertiser.deadline
            case .extended(let advertiser): advertiser.deadline
            }
        guard wanted, let rotation = addresses.nextRotation else { return own }
        return own.map { min($0, rotation) } ?? rotation
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
