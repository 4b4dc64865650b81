import Crypto
import Peripheral
import Timekeeping

/// The pool: who gets a slot, and what happens to those who do not.
extension AccessReader {
    mutating func connected<Port: PeripheralPort & ~Copyable>(
        _ id: LinkID, _ description: LinkDescription, port: inout Port, at now: Instant
    ) {
        let mode = configuration.mode(ofSet: description.advertisingSet)?.mode
        notices.append(.connected(id, mode, peer: description.peer))
        let gate = configuration.gate(forSet: description.advertisingSet)
            .map { ProximityGate(configuration: $0, connectionInterval: description.interval, at: now) }
        let refusal = admission(of: description.peer, gated: gate != nil, at: now)
        let link = AccessLink(
            id: id, peer: description.peer, mode: mode, gate: gate, times: configuration.linkTimes, at: now)
        while links.count <= id.slot { links.append(nil) }
        links[id.slot] = link
        if let refusal {
            refuse(link, refusal, port: &port, at: now)
        } else {
            updateAdvertising(port: &port, at: now)
        }
    }

    /// Why a phone gets no slot, or nil. Links cross with the end of advertising, so there may be one too many.
    private func admission(of peer: BluetoothAddress, gated: Bool, at now: Instant) -> Refusal? {
        let served = servedLinks
        if isShuttingDown || served >= configuration.maximumLinks { return .poolFull }
        if gated, !readsRSSI { return .rssiUnavailable }
        if served + 1 >= configuration.maximumLinks, backOff.isBackingOff(peer, at: now) { return .backingOff }
        return nil
    }

    mutating func disconnected<Port: PeripheralPort & ~Copyable>(
        _ id: LinkID, _ reason: HCIStatus, port: inout Port, at now: Instant
    ) {
        guard link(id) != nil else { return }
        links[id.slot] = nil
        notices.append(.disconnected(id, reason: reason))
        updateAdvertising(port: &port, at: now)
    }

    mutating func measured<Port: PeripheralPort & ~Copyable>(
        _ id: LinkID, _ reading: RSSIReading, port: inout Port, random: inout some RandomSource, at moment: Moment
    ) {
        guard let link = link(id), !link.life.isClosing, case .value(let dBm) = reading else { return }
        if !link.life.isServed { notices.append(.measured(id, dBm: dBm)) }
        switch link.life.receive(.rssi(dBm: dBm), at: moment.instant) {
        case .open(let median):
            link.median = median
            notices.append(.near(id, median: median))
            for frame in link.held.takeAll() {
                receive(frame: frame.span, link, port: &port, random: &random, at: moment)
            }
        case .refuse(let refusal): refuse(link, refusal, port: &port, at: moment.instant)
        case .wait, .sample: break
        }
    }

    mutating func refuse<Port: PeripheralPort & ~Copyable>(
        _ link: AccessLink, _ refusal: Refusal, port: inout Port, at now: Instant
    ) {
        link.life.close()
        notices.append(.refused(link.id, refusal))
        if refusal.countsAgainstAddress, let peer = link.peer { backOff.refused(peer, at: now) }
        port.disconnect(link.id, reason: refusal.reason, at: now)
        updateAdvertising(port: &port, at: now)
    }

    /// The answer has left whole: what it earned the link, and what it means for the address behind it.
    mutating func answerLeft(_ link: AccessLink, at now: Instant) {
        switch link.answerLeft(configuration.linkTimes, at: now) {
        case .unfinished: break
        case .served: backOff.served(link.peer)
        case .denied: if let peer = link.peer { backOff.refused(peer, at: now) }
        }
    }

    /// The link that makes room first; nil while there is a free slot. Nobody who waits for an answer does.
    var nextToYield: AccessLink? {
        guard servedLinks >= configuration.maximumLinks else { return nil }
        var first: AccessLink?
        for case let link? in links
        where !link.life.isClosing && !link.session.isExecuting && !link.isAnswering
            && link.yieldsAt < (first?.yieldsAt ?? Instant(nanoseconds: .max))
        {
            first = link
        }
        return first
    }

    /// While all slots are taken nothing is advertised, so that nobody can come who would be served: the link that was
    /// idle for longest ends, if that is long enough.
    mutating func makeRoom<Port: PeripheralPort & ~Copyable>(port: inout Port, at now: Instant) {
        guard let link = nextToYield, link.yieldsAt <= now else { return }
        refuse(link, .gaveWay, port: &port, at: now)
    }

    /// One credential, on however many phones, leaves a slot to others: of its links beyond that the one that was idle
    /// for longest ends. Nobody who waits for an answer is idle.
    mutating func leaveASlot<Port: PeripheralPort & ~Copyable>(
        to newest: AccessLink, port: inout Port, at now: Instant
    ) {
        guard !newest.credential.isEmpty, !newest.isContactless, configuration.maximumLinks > 1 else { return }
        var (count, idlest) = (1, AccessLink?.none)
        for case let link? in links
        where link !== newest && !link.life.isClosing && link.credential == newest.credential {
            count += 1
            guard !link.session.isExecuting, !link.isAnswering else { continue }
            if link.yieldsAt < (idlest?.yieldsAt ?? Instant(nanoseconds: .max)) { idlest = link }
        }
        if count >= configuration.maximumLinks, let idlest { refuse(idlest, .replaced, port: &port, at: now) }
    }

    /// Advertises while there is a slot. A link on its way out holds none: the controller knows when it has no
    /// room, and the host tries again at the next disconnection.
    mutating func updateAdvertising<Port: PeripheralPort & ~Copyable>(port: inout Port, at now: Instant) {
        let wanted = !isShuttingDown && servedLinks < configuration.maximumLinks
        guard wanted != advertises else { return }
        advertises = wanted
        if !isShuttingDown { notices.append(.advertising(wanted)) }
        port.setAdvertising(enabled: wanted, at: now)
    }
}

extension Refusal {
    /// The reason that the phone is told (Core 5.4, Vol 4, Part E, 7.1.6).
    var reason: HCIStatus {
        switch self {
        case .poolFull, .backingOff: .remoteLowResources
        case .tooFar, .wellUnder, .idle, .rssiUnavailable, .heldTooMuch, .aged, .gaveWay, .replaced:
            .remoteUserTerminated
        }
    }
}
