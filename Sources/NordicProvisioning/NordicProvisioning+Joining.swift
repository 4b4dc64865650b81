// SPDX-License-Identifier: Apache-2.0

import Timekeeping
import WiFi
import WiFiStation

/// The network that a device is connected to or joining, and the candidates that follow.
struct NordicJoining: Sendable {
    /// An attempt.
    struct Attempt: Sendable {
        var reason: NordicJoinReason
        var network: WiFiJoin
        var isVolatile: Bool
    }

    /// The current attempt.
    var attempt: Attempt?
    /// The current network: its link is up, and with `gateway` it has an address.
    var current: WiFiJoin?
    /// The network before a client configured another.
    var fallback: WiFiJoin?
    /// The networks to try if `attempt` fails.
    var candidates: [WiFiJoin] = []
    /// The time at which all networks are tried again.
    var retry: Instant?
    var retryDelay = NordicTiming.nextRetry
    /// The network that the firmware stores at every link up, requested or not.
    var pending: (network: WiFiJoin, isVolatile: Bool)?
    /// True if the link is up from the firmware's point of view.
    var isLinkUp = false
    /// True if the client was notified of a loss, and not of its end.
    var hasToldLoss = false

    /// Resets the connection: no network is joined or tried.
    mutating func left() {
        attempt = nil
        current = nil
        isLinkUp = false
        candidates = []
        retry = nil
    }

    /// Removes the known networks. The firmware keeps the network that it is about to store.
    mutating func forget(keepingPending: Bool) {
        let kept = keepingPending ? pending : nil
        self = NordicJoining()
        pending = kept
    }
}

extension NordicProvisioning {
    /// Starts an attempt.
    ///
    /// - Throws: `WiFiRefusal` if the station refuses to join; nothing has changed then.
    mutating func begin(
        _ reason: NordicJoinReason, _ network: WiFiJoin, isVolatile: Bool, by join: WiFiJoin,
        _ wifi: inout some WiFiStation, at now: Instant
    ) throws(WiFiRefusal) {
        try wifi.join(join, at: now)
        if reason == .configured {
            joining.fallback = joining.current ?? joining.fallback
            joining.hasToldLoss = false
        }
        joining.left()
        joining.attempt = NordicJoining.Attempt(reason: reason, network: network, isVolatile: isVolatile)
        report(.joining(network.name, reason))
    }

    /// Tries the known networks in order: the previous one, the volatile one, then the stored ones, last joined first.
    mutating func joinStored(_ reason: NordicJoinReason, _ wifi: inout some WiFiStation, at now: Instant) {
        // Such a station joins them automatically.
        guard !wifi.remembersNetworks else { return }
        var candidates: [WiFiJoin] = []
        for network in [joining.fallback, volatileNetwork].compactMap(\.self) + stored.networks
        where !candidates.contains(where: { $0.name == network.name }) {
            candidates.append(network)
        }
        joining.candidates = candidates
        joinNext(reason, &wifi, at: now)
    }

    private mutating func joinNext(_ reason: NordicJoinReason, _ wifi: inout some WiFiStation, at now: Instant) {
        let hadAny = !joining.candidates.isEmpty
        var rest = joining.candidates[...]
        while let network = rest.popFirst() {
            do throws(WiFiRefusal) {
                try begin(reason, network, isVolatile: false, by: again(network), &wifi, at: now)
                joining.candidates = Array(rest)
                return
            } catch {
                report(.joinFailed(network.name, .other))
            }
        }
        joining.candidates = []
        if !isExact, hadAny || hasNetworks { retryLater(at: now) }
    }

    /// The join of a network that was joined before. The firmware uses it for the first join too, and keeps the band.
    func again(_ network: WiFiJoin) -> WiFiJoin {
        var join = network.anywhere
        if isExact { join.band = network.band }
        return join
    }

    private var hasNetworks: Bool { joining.fallback != nil || volatileNetwork != nil || !stored.isEmpty }

    private mutating func retryLater(at now: Instant) {
        joining.retry = now + joining.retryDelay
        joining.retryDelay = min(joining.retryDelay * 2, NordicTiming.longestRetry)
    }

    /// Tries the known networks again when due.
    mutating func retryIfDue(_ wifi: inout some WiFiStation, at now: Instant) {
        guard let retry = joining.retry, retry <= now else { return }
        joining.retry = nil
        joinStored(.stored, &wifi, at: now)
    }

    // MARK: - Events of the station

    /// Handles a step of a join.
    mutating func came(to step: WiFiJoinStep) {
        if isExact {
            if step == .obtainingAddress { linkCameUp() }
        } else if joining.attempt?.reason == .configured {
            notify(step.state)
        }
    }

    /// Handles the link of the firmware coming up, which it treats as a connection: it reports all states at once,
    /// and then stores the network.
    private mutating func linkCameUp() {
        guard !joining.isLinkUp else { return }
        joining.isLinkUp = true
        if let attempt = joining.attempt { joining.current = attempt.network }
        for state in [NordicConnectionState.authentication, .association, .obtainingAddress, .connected] {
            notify(state)
        }
        guard let (network, isVolatile) = joining.pending, !network.name.octets.isEmpty else { return }
        keep(network, isVolatile: isVolatile)
    }

    /// Handles a completed join.
    mutating func joined(_ network: WiFiNetwork, _ address: IPv4Address) {
        let attempt = joining.attempt
        if isExact { linkCameUp() }
        joining.attempt = nil
        joining.candidates = []
        joining.retryDelay = NordicTiming.nextRetry
        report(.joined(attempt?.network.name ?? network.name, address))
        guard !isExact else { return }
        guard let attempt else { return joinedByItself(network) }
        joining.current = attempt.network
        joining.fallback = nil
        if attempt.reason == .configured {
            keep(attempt.network, isVolatile: attempt.isVolatile)
            notify(.connected)
        } else {
            if stored.moveToFront(attempt.network.name) { act(.store(stored)) }
            // A join after a failure is not reported: the app would attribute it to the network that failed.
            if joining.hasToldLoss { notify(.connected) }
        }
        joining.hasToldLoss = false
    }

    /// Handles the station's own join of a network that it remembers.
    private mutating func joinedByItself(_ network: WiFiNetwork) {
        let known = [joining.fallback, volatileNetwork].compactMap(\.self) + stored.networks
        joining.current =
            known.first { $0.name == network.name }
            ?? WiFiJoin(
                name: network.name, address: network.address, band: network.band, channel: network.channel,
                security: network.security)
        joining.fallback = nil
        joining.retry = nil
        if joining.hasToldLoss { notify(.connected) }
        joining.hasToldLoss = false
    }

    /// Handles a failed join.
    mutating func joinFailed(_ failure: WiFiJoinFailure, _ wifi: inout some WiFiStation, at now: Instant) {
        let attempt = joining.attempt
        let candidates = joining.candidates
        let wasUp = joining.isLinkUp
        joining.left()
        if let attempt { report(.joinFailed(attempt.network.name, failure)) }
        if isExact {
            // The firmware does not wait for an address.
            if !wasUp { notify(.connectionFailed) }
            return
        }
        if attempt?.reason == .configured {
            notify(.connectionFailed, reason: failure.reason)
            return joinStored(.rollBack, &wifi, at: now)
        }
        joining.candidates = candidates
        joinNext(attempt?.reason ?? .stored, &wifi, at: now)
    }

    /// Handles the loss of the network.
    mutating func lost(at now: Instant) {
        let network = joining.current
        joining.left()
        report(.lost)
        guard !isExact else { return }
        joining.fallback = network
        joining.retry = now + NordicTiming.firstRetry
        joining.hasToldLoss = scan == nil
        notify(.disconnected)
    }

    /// Stores a network, or holds it until power-off.
    private mutating func keep(_ network: WiFiJoin, isVolatile: Bool) {
        if isVolatile {
            volatileNetwork = network
            return report(.stored(network.name, isVolatile: true))
        }
        // The volatile entry is older.
        if !isExact, volatileNetwork?.name == network.name { volatileNetwork = nil }
        guard stored.store(network) else { return report(.notStored(network.name)) }
        report(.stored(network.name, isVolatile: false))
        act(.store(stored))
    }
}
