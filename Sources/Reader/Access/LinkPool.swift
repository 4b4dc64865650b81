// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Credentials
import Peripheral
import Timekeeping

/// The links over Bluetooth LE: their slots, the order in which they make room, and advertising.
struct LinkPool {
    /// The links by the host's slot.
    private(set) var links: [RadioLink?] = []
    var backOff = AddressBackOff()
    /// The maximum number of links served at once.
    var maximum: Int
    /// The time limits of each.
    var times: LinkTimes
    /// True if the controller can read RSSI.
    var readsRSSI = true
    /// The usability of its readings.
    var rssi = RSSIWatch()
    /// True if the controller can read the transmit power of phones.
    var tellsTransmitPower = true
    /// True if no further phone is served.
    private(set) var isClosed = false
    /// The advertising that the host was asked for; nil if it has to be set.
    private(set) var advertises: Bool?

    init(_ configuration: AccessConfiguration) {
        maximum = configuration.maximumLinks
        times = configuration.linkTimes
    }

    // MARK: Questions

    /// The link with this identifier; nil once it is gone.
    func link(_ id: LinkID) -> RadioLink? {
        guard links.indices.contains(id.slot), let link = links[id.slot], link.link == id else { return nil }
        return link
    }

    /// The number of links that hold a slot: all but the closing ones.
    var served: Int { links.count { $0.map { !$0.state.isClosing } ?? false } }

    /// True if any link is up, including closing ones.
    var hasLinks: Bool { links.contains { $0 != nil } }

    /// True if a phone that was served is on a link.
    var hasServed: Bool { links.contains { $0.map { $0.wasServed && !$0.state.isClosing } ?? false } }

    /// The next deadline of a link.
    var nextDeadline: Instant? {
        var earliest = nextToYield?.yieldsAt
        for case let link? in links { earliest = Instant.earlier(earliest, link.nextDeadline) }
        return earliest
    }

    /// The reason to refuse a phone a slot, or nil. A connection may cross with the end of advertising, so there may be
    /// one too many.
    func refusal(
        of peer: BluetoothAddress, gated: Bool, limitsPathLoss: Bool = false, at now: Instant
    ) -> Refusal? {
        let served = served
        if isClosed || served >= maximum { return .poolFull }
        if gated, !readsRSSI { return .rssiUnavailable }
        if limitsPathLoss, !tellsTransmitPower { return .powerUnavailable }
        if served + 1 >= maximum, backOff.isBackingOff(peer, at: now) { return .backingOff }
        return nil
    }

    /// The link that makes room first; nil while there is a free slot. A link that waits for an answer makes none.
    private var nextToYield: RadioLink? {
        guard served >= maximum else { return nil }
        var first: RadioLink?
        for case let link? in links
        where !link.state.isClosing && !link.isBusy && !link.isAnswering
            && link.yieldsAt < (first?.yieldsAt ?? Instant(nanoseconds: .max))
        {
            first = link
        }
        return first
    }

    // MARK: Orders

    /// Adds a link, which is served, or refused at once.
    mutating func add<Port: ReaderPort & ~Copyable>(
        _ link: RadioLink, _ refusal: Refusal?, port: inout Port, at now: Instant,
        into effects: inout [ReaderEffect]
    ) {
        while links.count <= link.link.slot { links.append(nil) }
        links[link.link.slot] = link
        if let refusal {
            refuse(link, refusal, port: &port, at: now, into: &effects)
        } else {
            updateAdvertising(port: &port, at: now, into: &effects)
        }
    }

    /// Removes a link that has ended with the reason of this code.
    mutating func remove<Port: ReaderPort & ~Copyable>(
        _ id: LinkID, _ reason: UInt8, port: inout Port, at now: Instant, into effects: inout [ReaderEffect]
    ) {
        guard let link = link(id) else { return }
        link.end()
        links[id.slot] = nil
        effects.append(.notice(.disconnected(id, reason: reason)))
        updateAdvertising(port: &port, at: now, into: &effects)
    }

    /// Ends a link.
    mutating func refuse<Port: ReaderPort & ~Copyable>(
        _ link: RadioLink, _ refusal: Refusal, port: inout Port, at now: Instant, into effects: inout [ReaderEffect]
    ) {
        link.state.close()
        effects.append(.notice(.refused(link.id, refusal)))
        if refusal.countsAgainstAddress { backOff.refused(link.peer, at: now) }
        port.disconnect(link.link, refusal.isForLackOfRoom ? .noRoom : .refused, at: now)
        updateAdvertising(port: &port, at: now, into: &effects)
    }

    /// Ends a link whose client was refused, for a reason that is reported already.
    mutating func dismiss<Port: ReaderPort & ~Copyable>(
        _ link: RadioLink, port: inout Port, at now: Instant, into effects: inout [ReaderEffect]
    ) {
        link.state.close()
        backOff.refused(link.peer, at: now)
        port.disconnect(link.link, .refused, at: now)
        updateAdvertising(port: &port, at: now, into: &effects)
    }

    /// Handles the deadlines of links reached at `now`.
    mutating func advance<Port: ReaderPort & ~Copyable>(
        to now: Instant, port: inout Port, into effects: inout [ReaderEffect]
    ) {
        for case let link? in links { advance(link, to: now, port: &port, into: &effects) }
    }

    /// Handles the deadlines of a link reached at `now`.
    mutating func advance<Port: ReaderPort & ~Copyable>(
        _ link: RadioLink, to now: Instant, port: inout Port, into effects: inout [ReaderEffect]
    ) {
        if link.exchanged?.beginsFarewell() == true {
            // The end of a link discards what the controller has not sent.
            link.state.extend(to: now + times.pause)
            _ = link.send(port: &port, at: now)
        }
        switch link.state.advance(to: now) {
        case .sample:
            // One read at a time: if the last is still outstanding, this sample is skipped.
            _ = port.readRSSI(link.link, at: now)
            if link.wantsTransmitPower { port.readTransmitPower(link.link, at: now) }
        case .refuse(.idle) where link.exchanged?.isOutdated == true:
            refuse(link, .outdated, port: &port, at: now, into: &effects)
        case .refuse(.idle) where now >= link.ends:
            refuse(link, .lifetimeExceeded, port: &port, at: now, into: &effects)
        case .refuse(let refusal):
            if case .tooFar(median: nil) = refusal, !link.hasReading, rssi.windowEndedWithoutReading() {
                effects.append(.notice(.rssiUnusable(rssi.last)))
            }
            refuse(link, refusal, port: &port, at: now, into: &effects)
        case .wait, .open: break
        }
        if link.takesReading(at: now) { _ = port.readRSSI(link.link, at: now) }
    }

    /// Records that an answer has been sent as a whole, for the link and its address. A refused phone keeps the rest of
    /// its time, or less while all slots are taken.
    ///
    /// A late answer gives its link a pause at least: the end of a link discards what the controller has not sent.
    mutating func answerLeft(_ link: RadioLink, at now: Instant) {
        let paused = now + times.pause
        switch link.answerLeft(times, at: now) {
        case .unfinished: return
        case .served:
            link.yieldsAt = paused
            return backOff.served(link.peer)
        case .denied: backOff.refused(link.peer, at: now)
        case .failed: break
        }
        link.yieldsAt = link.hasWaited ? paused : min(link.yieldsAt, paused)
    }

    /// Ends the link that was idle for longest, if that is long enough and all slots are taken: without a free slot the
    /// reader does not advertise.
    mutating func makeRoom<Port: ReaderPort & ~Copyable>(
        port: inout Port, at now: Instant, into effects: inout [ReaderEffect]
    ) {
        guard let link = nextToYield, link.yieldsAt <= now else { return }
        refuse(link, .evicted, port: &port, at: now, into: &effects)
    }

    /// Prevents the credential on `newest` from holding every slot, even on several phones: if its links fill all
    /// slots, the longest idle link ends. A link that waits for an answer is not idle.
    mutating func limitLinks<Port: ReaderPort & ~Copyable>(
        ofCredentialOn newest: RadioLink, port: inout Port, at now: Instant, into effects: inout [ReaderEffect]
    ) {
        guard !newest.credential.isEmpty, maximum > 1 else { return }
        var (count, idlest) = (1, RadioLink?.none)
        for case let link? in links
        where link !== newest && !link.state.isClosing && link.credential == newest.credential {
            count += 1
            guard !link.isBusy, !link.isAnswering else { continue }
            if link.yieldsAt < (idlest?.yieldsAt ?? Instant(nanoseconds: .max)) { idlest = link }
        }
        if count >= maximum, let idlest { refuse(idlest, .replaced, port: &port, at: now, into: &effects) }
    }

    /// Forces the next update to set advertising again, after a start of the controller.
    mutating func forgetAdvertising() { advertises = nil }

    /// Advertises while there is a free slot. A closing link holds none: the controller refuses when it has no room,
    /// and the host tries again at the next disconnection.
    mutating func updateAdvertising<Port: ReaderPort & ~Copyable>(
        port: inout Port, at now: Instant, into effects: inout [ReaderEffect]
    ) {
        let wanted = !isClosed && served < maximum
        guard wanted != advertises else { return }
        advertises = wanted
        port.setAdvertising(enabled: wanted, at: now)
    }

    /// Serves no phone, from before the first one on.
    mutating func refusePhones() { isClosed = true }

    /// Ends all links; no further phone is served.
    mutating func close<Port: ReaderPort & ~Copyable>(
        port: inout Port, at now: Instant, into effects: inout [ReaderEffect]
    ) {
        isClosed = true
        updateAdvertising(port: &port, at: now, into: &effects)
        endAll(port: &port, at: now)
    }

    /// Ends the exchanges with clients of this kind, also one that waits for its decision. Their links end as soon as
    /// time advances, those with an exchange that has begun once their last message had time to leave: their slots are
    /// of use to others.
    func endExchanges(of kind: CardKind) {
        for case let link? in links where link.exchanged?.kind == kind && link.exchanged?.isOutdated == false {
            link.exchanged?.outdate()
            link.proven = nil
            link.state.shorten(to: .origin)
        }
    }

    /// Ends all links; a phone may connect again unless the pool is closed.
    mutating func endAll<Port: ReaderPort & ~Copyable>(port: inout Port, at now: Instant) {
        for case let link? in links where !link.state.isClosing {
            link.state.close()
            port.disconnect(link.link, isClosed ? .shutDown : .refused, at: now)
        }
    }
}

extension Refusal {
    /// True if the reader lacks room for the link.
    fileprivate var isForLackOfRoom: Bool {
        switch self {
        case .poolFull, .backingOff: true
        case .tooFar, .wellUnder, .pathLoss, .powerUnknown, .idle, .rssiUnavailable, .powerUnavailable,
            .earlyDataExceeded, .lifetimeExceeded, .evicted, .replaced, .surveyed, .outdated:
            false
        }
    }
}
