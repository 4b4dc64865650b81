// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// Advertising by the request of the device, on a legacy or an extended controller.
struct Advertiser {
    private enum Kind {
        /// No controller has been started.
        case absent
        case legacy(LegacyAdvertiser)
        case extended(ExtendedAdvertiser)
    }

    /// The request of the device, independent of the state of the controller.
    private(set) var wanted = true
    /// The sets without a fault.
    private(set) var sets: [AdvertisingSet] = []
    private var addresses: OwnAddresses
    private var all: [AdvertisingSet] = []
    private var isConnectable = true
    private var isPoolFull = false
    private var kind = Kind.absent
    private(set) var onAir = OnAirAddresses()
    private var record = AdvertisingRecord()
    /// The last reported state.
    private(set) var status = AdvertisingStatus()
    /// The state may have changed since the last report.
    private(set) var isStatusDue = false

    /// An advertiser without sets. `rotation` is the lifetime of private addresses.
    init(rotation: Duration) { addresses = OwnAddresses(rotation: rotation) }

    /// Handles the completed initialization of the controller; no set is enabled. `restoresOnly` if the answers to
    /// reviews are not to be believed.
    mutating func started(extended: Bool, capacity: Int, restoresOnly: Bool, at now: Instant) {
        _ = addresses.refresh(sets, at: now)
        onAir = OnAirAddresses()
        let advertised = addresses.advertised(sets)
        kind =
            extended
            ? .extended(
                ExtendedAdvertiser(
                    sets: advertised, capacity: capacity, wanted: wanted, allowsConnections: allowsConnections,
                    restoresOnly: restoresOnly))
            : .legacy(
                LegacyAdvertiser(
                    sets: advertised, wanted: wanted, allowsConnections: allowsConnections, restoresOnly: restoresOnly))
    }

    /// Handles the loss of the controller.
    mutating func stopped() {
        kind = .absent
        record.stopped()
        isStatusDue = true
    }

    /// Discards the refusals of the last controller.
    mutating func forgetRefusals() {
        record.forgetRefusals()
        isStatusDue = true
    }

    /// Replaces the sets. Sets with a fault, a repeated identifier, or an address that the host cannot generate are
    /// left out.
    mutating func configure(_ all: [AdvertisingSet]) {
        self.all = all
        sets = []
        for set in all where set.fault == nil && addresses.canMake(set.ownAddress) {
            if !sets.contains(where: { $0.id == set.id }) { sets.append(set) }
        }
        addresses.keep(sets)
        record.keep(sets)
        place()
    }

    /// Sets the source of private addresses.
    mutating func makeAddresses(with privacy: AddressPrivacy) {
        addresses.use(privacy)
        configure(all)
    }

    private mutating func place() {
        let advertised = addresses.advertised(sets)
        update({ $0.configure(advertised) }, { $0.configure(advertised) })
    }

    /// Enables or disables advertising.
    mutating func setWanted(_ wanted: Bool) {
        self.wanted = wanted
        update({ $0.setWanted(wanted) }, { $0.setWanted(wanted) })
    }

    /// Permits or prevents connectable sets by the request of the device.
    mutating func setConnectable(_ connections: Bool) {
        isConnectable = connections
        allowConnections()
    }

    /// Permits connectable sets while the link table has room.
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
        // Without `update`: this is called for each event, and no command changes the state before its answer.
        transform({ command = $0.next(at: now) }, { command = $0.next(at: now) })
        return command
    }

    /// The command in flight; nil between commands.
    var inFlight: AdvertisingCommand? {
        switch kind {
        case .absent: nil
        case .legacy(let advertiser): advertiser.inFlight
        case .extended(let advertiser): advertiser.inFlight
        }
    }

    /// Handles the answer to the command in flight, and returns what a review has shown.
    mutating func answered(
        _ answer: AdvertisingAnswer, at now: Instant, hasLinks: Bool
    ) -> AdvertisingReview.Finding? {
        if answer.status == .success { onAir.done(inFlight) }
        record.answered(inFlight, answer.status, hasLinks: hasLinks)
        var finding: AdvertisingReview.Finding?
        update(
            { finding = $0.answered(answer, at: now, hasLinks: hasLinks) },
            { finding = $0.answered(answer, at: now, hasLinks: hasLinks) })
        if case .missing(let set) = finding { record.withdraw(set) }
        return finding
    }

    // MARK: - The state

    /// The state, if it has changed since the last report.
    mutating func takeStatus() -> AdvertisingStatus? {
        guard isStatusDue else { return nil }
        isStatusDue = false
        let onAir = sets.filter { isOn($0) }.map(\.id)
        for set in sets where !onAir.contains(set.id) { record.withdraw(set.id) }
        let current = AdvertisingStatus(onAir: onAir, refusals: wanted ? record.refusals : [])
        guard current != status else { return nil }
        status = current
        return current
    }

    /// True if the controller has confirmed the set, and it is on the air or about to be again.
    private func isOn(_ set: AdvertisingSet) -> Bool {
        guard record.isConfirmed(set.id) else { return false }
        let isPermitted = wanted && (allowsConnections || set.kind != .connectable)
        return isPermitted || air(ofSet: set.id) != .off
    }

    private func air(ofSet id: UInt8) -> OnAir {
        switch kind {
        case .absent: .off
        case .legacy(let advertiser): advertiser.air(ofSet: id)
        case .extended(let advertiser): advertiser.air(ofSet: id)
        }
    }

    // MARK: - Verification

    /// Schedules the verification of each enabled set.
    mutating func beginReview() { transform({ $0.beginReview() }, { $0.beginReview() }) }

    /// True if an answer to the review in use counts.
    var isReviewKnown: Bool { review?.isKnown ?? false }

    private var review: AdvertisingReview? {
        switch kind {
        case .absent: nil
        case .legacy(let advertiser): advertiser.review
        case .extended(let advertiser): advertiser.review
        }
    }

    /// True if a set that was found missing has neither stopped nor been enabled since.
    func isStillMissing(_ id: UInt8) -> Bool { air(ofSet: id) == .on && !record.isConfirmed(id) }

    /// Schedules the configuration of the sets again before they are enabled: the controller may have restarted
    /// unnoticed. With extended advertising this is not necessary, since the controller reports unknown sets.
    mutating func reload() { update({ $0.reload() }, { _ in }) }

    /// True if the controller reports the set of a link by an event.
    var namesSets: Bool {
        if case .extended = kind { return true }
        return false
    }

    /// The transmit power of a set in dBm; nil if the controller has not reported it.
    func transmitPower(ofSet id: UInt8) -> Int8? {
        switch kind {
        case .absent: nil
        case .legacy(let advertiser): sets.contains { $0.id == id } ? advertiser.power : nil
        case .extended(let advertiser): advertiser.power(ofSet: id)
        }
    }

    /// The last address of a set on the air; nil if the set has not been on the air.
    func onAirAddress(of id: UInt8) -> BluetoothAddress? { onAir.address(ofSet: id) }

    /// The identifiers of the requested sets that are not advertised.
    var unserved: [UInt8] {
        var served = sets
        return all.compactMap { set in
            guard let index = served.firstIndex(of: set) else { return set.id }
            served.remove(at: index)
            return nil
        }
    }

    /// Handles a connection. Returns the set that the legacy advertiser had enabled, if known.
    mutating func linkUp() -> UInt8? {
        var set: UInt8?
        update({ set = $0.linkUp() }, { _ in })
        return set
    }

    /// Handles Advertising Set Terminated.
    mutating func terminated(_ set: UInt8) { update({ _ in }, { $0.terminated(set) }) }

    /// Handles a failed connection, or one whose set is not reported.
    mutating func anyMayHaveStopped() { update({ $0.attemptFailed() }, { $0.anyMayHaveStopped() }) }

    /// Handles the end of a link: the controller may have room for advertising.
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

    /// Changes the state of the advertiser.
    private mutating func update(
        _ legacy: (inout LegacyAdvertiser) -> Void, _ extended: (inout ExtendedAdvertiser) -> Void
    ) {
        isStatusDue = true
        transform(legacy, extended)
    }

    private mutating func transform(
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
