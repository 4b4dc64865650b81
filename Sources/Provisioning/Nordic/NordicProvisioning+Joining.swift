import Timekeeping

/// Which network a device is in, or tries to get into, and which come after it.
struct NordicJoining: Sendable {
    /// An attempt.
    struct Attempt: Sendable {
        var reason: NordicJoinReason
        var network: WiFiJoin
        var isVolatile: Bool
    }

    /// What is tried now.
    var attempt: Attempt?
    /// The network that it is in: its link is up, and with `gateway` it has an address.
    var current: WiFiJoin?
    /// The network that it was in before a client wanted another.
    var fallback: WiFiJoin?
    /// What is tried if `attempt` fails.
    var candidates: [WiFiJoin] = []
    /// When all are tried again.
    var retry: Instant?
    var retryDelay = NordicTiming.nextRetry
    /// What the firmware stores whenever a link comes up, asked for or not.
    var pending: (network: WiFiJoin, isVolatile: Bool)?
    /// Whether the link is up, as the firmware sees it.
    var isLinkUp = false
    /// Whether the client was told of a loss that it does not know the end of.
    var hasToldLoss = false

    /// It is in no network, and tries none.
    mutating func left() {
        attempt = nil
        current = nil
        isLinkUp = false
        candidates = []
        retry = nil
    }

    /// There is nothing to go back to any more. The firmware forgets to forget what it is about to store.
    mutating func forget(keepingPending: Bool) {
        let kept = keepingPending ? pending : nil
        self = NordicJoining()
        pending = kept
    }
}

extension NordicProvisioning {
    /// Tries a network, by this join. Throws if the station does not even try; then nothing is changed.
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
        tell(.joining(network.name, reason))
    }

    /// Tries what is known, one after the other: the one that it was in, the one that is remembered, those that are
    /// stored, last joined first.
    mutating func joinStored(_ reason: NordicJoinReason, _ wifi: inout some WiFiStation, at now: Instant) {
        // It does that by itself.
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
                tell(.joinFailed(network.name, .other))
            }
        }
        joining.candidates = []
        if !isExact, hadAny || hasNetworks { retryLater(at: now) }
    }

    /// How a network is joined that was joined before. The firmware joins so the first time, too, and keeps to the band.
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

    /// Tries again what did not let it in.
    mutating func retryIfDue(_ wifi: inout some WiFiStation, at now: Instant) {
        guard let retry = joining.retry, retry <= now else { return }
        joining.retry = nil
        joinStored(.stored, &wifi, at: now)
    }

    // MARK: - What the station tells

    /// A join has come to a step.
    mutating func came(to step: WiFiJoinStep) {
        if isExact {
            if step == .obtainingAddress { linkCameUp() }
        } else if joining.attempt?.reason == .configured {
            notify(step.state)
        }
    }

    /// The firmware takes a link that is up for a connection: it tells all states at once, and then stores.
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

    /// It is in a network.
    mutating func joined(_ network: WiFiNetwork, _ address: IPv4Address) {
        let attempt = joining.attempt
        if isExact { linkCameUp() }
        joining.attempt = nil
        joining.candidates = []
        joining.retryDelay = NordicTiming.nextRetry
        tell(.joined(attempt?.network.name ?? network.name, address))
        guard !isExact else { return }
        guard let attempt else { return joinedByItself(network) }
        joining.current = attempt.network
        joining.fallback = nil
        if attempt.reason == .configured {
            keep(attempt.network, isVolatile: attempt.isVolatile)
            notify(.connected)
        } else {
            if stored.moveToFront(attempt.network.name) { act(.store(stored)) }
            // What follows a failure is not told: the app would take it for the network that failed.
            if joining.hasToldLoss { notify(.connected) }
        }
        joining.hasToldLoss = false
    }

    /// The station has gone into a network that nobody has asked for now: one that it remembers.
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

    /// It did not get into a network.
    mutating func joinFailed(_ failure: WiFiJoinFailure, _ wifi: inout some WiFiStation, at now: Instant) {
        let attempt = joining.attempt
        let candidates = joining.candidates
        let wasUp = joining.isLinkUp
        joining.left()
        if let attempt { tell(.joinFailed(attempt.network.name, failure)) }
        if isExact {
            // Whether there is an address is nothing that it waits for.
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

    /// It is not in its network any more.
    mutating func lost(at now: Instant) {
        let network = joining.current
        joining.left()
        tell(.lost)
        guard !isExact else { return }
        joining.fallback = network
        joining.retry = now + NordicTiming.firstRetry
        joining.hasToldLoss = scan == nil
        notify(.disconnected)
    }

    /// Stores a network, or remembers it.
    private mutating func keep(_ network: WiFiJoin, isVolatile: Bool) {
        if isVolatile {
            volatileNetwork = network
            return tell(.stored(network.name, isVolatile: true))
        }
        // What is remembered of it is older.
        if !isExact, volatileNetwork?.name == network.name { volatileNetwork = nil }
        guard stored.store(network) else { return tell(.notStored(network.name)) }
        tell(.stored(network.name, isVolatile: false))
        act(.store(stored))
    }
}
