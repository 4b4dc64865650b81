import AccessProtocol
import Peripheral
import Timekeeping

/// The links to phones: who gets a slot, who makes room, and whether anybody may come.
struct LinkPool {
    /// The links by the host's slot.
    private(set) var links: [AccessLink?] = []
    var backOff = AddressBackOff()
    /// How many links are served at once.
    var maximum: Int
    /// How long each may take.
    var times: LinkTimes
    /// Whether the controller can measure how near a phone is.
    var readsRSSI = true
    /// Whether nobody is served any more.
    private(set) var isClosed = false
    /// What the host was told last; nil if it has to be told.
    private(set) var advertises: Bool?

    init(_ configuration: AccessConfiguration) {
        maximum = configuration.maximumLinks
        times = configuration.linkTimes
    }

    // MARK: Questions

    /// The link of this identifier, unless it is gone.
    func link(_ id: LinkID) -> AccessLink? {
        guard links.indices.contains(id.slot), let link = links[id.slot], link.id == .link(id) else { return nil }
        return link
    }

    /// How many links hold a slot: all but those on their way out.
    var served: Int { links.count { $0.map { !$0.life.isClosing } ?? false } }

    /// Whether any link is up, those on their way out included.
    var hasLinks: Bool { links.contains { $0 != nil } }

    /// When something of a link is due.
    var nextDeadline: Instant? {
        var earliest = nextToYield?.yieldsAt
        for case let link? in links { earliest = Instant.earlier(earliest, link.life.nextDeadline) }
        return earliest
    }

    /// Why a phone gets no slot, or nil. Links cross with the end of advertising, so there may be one too many.
    func refusal(of peer: BluetoothAddress, gated: Bool, at now: Instant) -> Refusal? {
        let served = served
        if isClosed || served >= maximum { return .poolFull }
        if gated, !readsRSSI { return .rssiUnavailable }
        if served + 1 >= maximum, backOff.isBackingOff(peer, at: now) { return .backingOff }
        return nil
    }

    /// The link that makes room first; nil while there is a free slot. Nobody who waits for an answer does.
    private var nextToYield: AccessLink? {
        guard served >= maximum else { return nil }
        var first: AccessLink?
        for case let link? in links
        where !link.life.isClosing && !link.session.isExecuting && !link.isAnswering
            && link.yieldsAt < (first?.yieldsAt ?? Instant(nanoseconds: .max))
        {
            first = link
        }
        return first
    }

    // MARK: Orders

    /// A link has come: it is served, or refused at once.
    mutating func add<Port: PeripheralPort & ~Copyable>(
        _ link: AccessLink, in slot: Int, _ refusal: Refusal?, port: inout Port, at now: Instant,
        into effects: inout [ReaderEffect]
    ) {
        while links.count <= slot { links.append(nil) }
        links[slot] = link
        if let refusal {
            refuse(link, refusal, port: &port, at: now, into: &effects)
        } else {
            updateAdvertising(port: &port, at: now, into: &effects)
        }
    }

    /// A link is gone.
    mutating func remove<Port: PeripheralPort & ~Copyable>(
        _ id: LinkID, _ reason: HCIStatus, port: inout Port, at now: Instant, into effects: inout [ReaderEffect]
    ) {
        guard link(id) != nil else { return }
        links[id.slot] = nil
        effects.append(.notice(.disconnected(id, reason: reason)))
        updateAdvertising(port: &port, at: now, into: &effects)
    }

    /// Ends a link.
    mutating func refuse<Port: PeripheralPort & ~Copyable>(
        _ link: AccessLink, _ refusal: Refusal, port: inout Port, at now: Instant, into effects: inout [ReaderEffect]
    ) {
        link.life.close()
        effects.append(.notice(.refused(link.id, refusal)))
        if refusal.countsAgainstAddress, let peer = link.peer { backOff.refused(peer, at: now) }
        if case .link(let id) = link.id { port.disconnect(id, reason: refusal.reason, at: now) }
        updateAdvertising(port: &port, at: now, into: &effects)
    }

    /// Does what is due at `now`, and makes room.
    mutating func advance<Port: PeripheralPort & ~Copyable>(
        to now: Instant, port: inout Port, into effects: inout [ReaderEffect]
    ) {
        for case let link? in links {
            guard let deadline = link.life.nextDeadline, deadline <= now else { continue }
            switch link.life.advance(to: now) {
            case .sample:
                // One read at a time: if the last is still outstanding, this sample is skipped.
                if case .link(let id) = link.id { _ = port.readRSSI(id, at: now) }
            case .refuse(.idle) where now >= link.ends: refuse(link, .aged, port: &port, at: now, into: &effects)
            case .refuse(let refusal): refuse(link, refusal, port: &port, at: now, into: &effects)
            case .wait, .open: break
            }
        }
    }

    /// The answer has left whole: what it earned the link, and what it means for the address behind it.
    mutating func answerLeft(_ link: AccessLink, at now: Instant) {
        switch link.answerLeft(times, at: now) {
        case .unfinished: break
        case .served: backOff.served(link.peer)
        case .denied: if let peer = link.peer { backOff.refused(peer, at: now) }
        }
    }

    /// While all slots are taken nothing is advertised, so that nobody can come who would be served: the link that was
    /// idle for longest ends, if that is long enough.
    mutating func makeRoom<Port: PeripheralPort & ~Copyable>(
        port: inout Port, at now: Instant, into effects: inout [ReaderEffect]
    ) {
        guard let link = nextToYield, link.yieldsAt <= now else { return }
        refuse(link, .gaveWay, port: &port, at: now, into: &effects)
    }

    /// One credential, on however many phones, leaves a slot to others: of its links beyond that the one that was idle
    /// for longest ends. Nobody who waits for an answer is idle.
    mutating func leaveASlot<Port: PeripheralPort & ~Copyable>(
        to newest: AccessLink, port: inout Port, at now: Instant, into effects: inout [ReaderEffect]
    ) {
        guard !newest.credential.isEmpty, !newest.isContactless, maximum > 1 else { return }
        var (count, idlest) = (1, AccessLink?.none)
        for case let link? in links
        where link !== newest && !link.life.isClosing && link.credential == newest.credential {
            count += 1
            guard !link.session.isExecuting, !link.isAnswering else { continue }
            if link.yieldsAt < (idlest?.yieldsAt ?? Instant(nanoseconds: .max)) { idlest = link }
        }
        if count >= maximum, let idlest { refuse(idlest, .replaced, port: &port, at: now, into: &effects) }
    }

    /// The controller has to be told anew whether to advertise.
    mutating func forgetAdvertising() { advertises = nil }

    /// Advertises while there is a slot. A link on its way out holds none: the controller knows when it has no
    /// room, and the host tries again at the next disconnection.
    mutating func updateAdvertising<Port: PeripheralPort & ~Copyable>(
        port: inout Port, at now: Instant, into effects: inout [ReaderEffect]
    ) {
        let wanted = !isClosed && served < maximum
        guard wanted != advertises else { return }
        advertises = wanted
        if !isClosed { effects.append(.notice(.advertising(wanted))) }
        port.setAdvertising(enabled: wanted, at: now)
    }

    /// Ends all links; nobody is served any more.
    mutating func close<Port: PeripheralPort & ~Copyable>(
        port: inout Port, at now: Instant, into effects: inout [ReaderEffect]
    ) {
        isClosed = true
        updateAdvertising(port: &port, at: now, into: &effects)
        for case let link? in links where !link.life.isClosing {
            link.life.close()
            if case .link(let id) = link.id { port.disconnect(id, reason: .remotePowerOff, at: now) }
        }
    }
}

extension Refusal {
    /// The reason that the phone is told (Core 5.4, Vol 4, Part E, 7.1.6).
    fileprivate var reason: HCIStatus {
        switch self {
        case .poolFull, .backingOff: .remoteLowResources
        case .tooFar, .wellUnder, .idle, .rssiUnavailable, .heldTooMuch, .aged, .gaveWay, .replaced:
            .remoteUserTerminated
        }
    }
}
