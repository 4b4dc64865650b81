// SPDX-License-Identifier: Apache-2.0

public import Timekeeping
public import WiFi
public import WiFiStation

/// A station with simulated networks, which behaves like a real one on a virtual clock.
public struct SimulatedWiFi: WiFiStation {
    /// The time from the start of a scan to the first access point.
    public static let firstFound = Duration.milliseconds(200)
    /// The time between access points, and from the last to the end of the scan.
    public static let betweenFound = Duration.milliseconds(50)
    /// The duration of each step of a join.
    public static let stepTime = Duration.milliseconds(100)

    /// The simulated environment, which may be changed at any time; operations in progress are not affected.
    public var simulation: WiFiSimulation
    /// True if a link to which no address is assigned stays up, as Zephyr's does; otherwise the join has failed.
    public var staysWithoutAddress = false

    private struct Timed: Equatable, Sendable {
        var at: Instant
        var event: WiFiEvent
    }

    private enum Connection: Equatable, Sendable {
        case none
        case joining(WiFiJoinStep, WiFiNetwork?)
        case connected(WiFiNetwork)
    }

    private var connection = Connection.none
    private var scan: [Timed] = []
    private var attempt: [Timed] = []
    private var joining: WiFiNetwork?
    private var events: [WiFiEvent] = []

    /// A disconnected station.
    public init(_ simulation: WiFiSimulation) { self.simulation = simulation }

    /// The device's own address.
    public var address: WiFiAddress { simulation.address }

    /// The state of the connection.
    public func status() throws(WiFiRefusal) -> WiFiStatus {
        try allow(.status)
        return switch connection {
        case .none: WiFiStatus(state: .disconnected)
        case .joining(let step, let network): WiFiStatus(state: .joining(step), network: network)
        case .connected(let network): WiFiStatus(state: .connected, network: network, ipv4: simulation.ipv4)
        }
    }

    /// Scans for the simulated access points.
    public mutating func startScan(_ wanted: WiFiScan, at now: Instant) throws(WiFiRefusal) {
        try allow(.scan)
        var time = now + (simulation.scripts[.scan]?.delay ?? SimulatedWiFi.firstFound)
        let end = wanted.period.map { now + $0 }
        scan.removeAll()
        for accessPoint in simulation.accessPoints where accessPoint.isUp {
            if let band = wanted.band, accessPoint.network.band != band { continue }
            if let end, time > end { break }
            // A hidden network answers a probe for its name.
            let isProbed = !wanted.isPassive && wanted.name == accessPoint.name
            scan.append(Timed(at: time, event: .found(isProbed ? accessPoint.joined : accessPoint.network)))
            time = time + SimulatedWiFi.betweenFound
        }
        scan.append(Timed(at: end.map { min($0, time) } ?? time, event: .scanEnded(complete: true)))
    }

    /// Ends a scan.
    public mutating func stopScan(at now: Instant) { scan.removeAll() }

    /// Joins a network.
    public mutating func join(_ join: WiFiJoin, at now: Instant) throws(WiFiRefusal) {
        try allow(.join)
        abandon()
        attempt = steps(of: join, from: now)
        advance(to: now)
    }

    /// Leaves the network.
    public mutating func leave(at now: Instant) throws(WiFiRefusal) {
        try allow(.leave)
        abandon()
    }

    /// Changes the environment; false, without effect, if it has no such network, or one without a passphrase. A join
    /// in progress takes the course that was determined at its start.
    public mutating func change(_ change: WiFiChange, at now: Instant) -> Bool {
        switch change {
        case .all(let isUp):
            for index in simulation.accessPoints.indices { simulation.accessPoints[index].isUp = isUp }
            if !isUp { drop() }
            return true
        case .power(let selection, let isUp):
            guard let isInUse = alter(selection, { $0.isUp = isUp }) else { return false }
            if isInUse, !isUp { drop() }
        case .passphrase(let selection, let passphrase):
            guard
                simulation.accessPoints.contains(where: {
                    $0.isSelected(by: selection) && $0.network.security.wantsPassphrase
                        && WiFiSecret.problem(passphrase, $0.network.security) == nil
                }), let isInUse = alter(selection, { $0.passphrase = passphrase })
            else { return false }
            if isInUse, case .connected = connection { drop() }
        case .signal(let selection, let rssi):
            guard let isInUse = alter(selection, { $0.network.rssi = rssi }) else { return false }
            if isInUse { sense(at: rssi) }
        case .addresses(let isUp):
            simulation.assignsAddresses = isUp
            if isUp { assignAddress(at: now) }
        }
        return true
    }

    /// Changes these access points. Returns whether any of them is joined or being joined; nil if no access point is
    /// selected.
    private mutating func alter(
        _ selection: WiFiSelection, _ body: (inout WiFiSimulation.AccessPoint) -> Void
    ) -> Bool? {
        let places = simulation.accessPoints.indices.filter { simulation.accessPoints[$0].isSelected(by: selection) }
        guard !places.isEmpty else { return nil }
        let current: WiFiNetwork? =
            switch connection {
            case .none: nil
            case .joining(_, let network): network
            case .connected(let network): network
            }
        for place in places { body(&simulation.accessPoints[place]) }
        return places.contains { place in
            let joined = simulation.accessPoints[place].joined
            return joined.address == current?.address && joined.name == current?.name
        }
    }

    private mutating func sense(at rssi: Int8) {
        switch connection {
        case .none: break
        case .joining(let step, var network):
            network?.rssi = rssi
            connection = .joining(step, network)
        case .connected(var network):
            network.rssi = rssi
            connection = .connected(network)
        }
    }

    /// Assigns an address to a station that stays without one.
    private mutating func assignAddress(at now: Instant) {
        guard attempt.isEmpty, case .joining(.obtainingAddress, let network?) = connection else { return }
        attempt = [Timed(at: now + SimulatedWiFi.stepTime, event: .joined(network, simulation.ipv4))]
    }

    /// Removes the access point, as if it lost power.
    public mutating func drop() {
        switch connection {
        case .none: return
        case .joining: events.append(.joinFailed(.timeout))
        case .connected: events.append(.lost)
        }
        abandon()
    }

    /// The time of the next event.
    public var deadline: Instant? { Instant.earlier(scan.first?.at, attempt.first?.at) }

    /// Performs the actions due, in order.
    public mutating func advance(to now: Instant) {
        while let next = deadline, next <= now {
            if let found = scan.first, found.at == next {
                scan.removeFirst()
                events.append(found.event)
            } else if let step = attempt.first {
                attempt.removeFirst()
                receive(step.event)
            }
        }
    }

    /// Removes and returns the next event; nil if no event is pending.
    public mutating func nextEvent() -> WiFiEvent? { events.isEmpty ? nil : events.removeFirst() }

    // MARK: - Joining

    private mutating func receive(_ event: WiFiEvent) {
        switch event {
        case .joining(let step): connection = .joining(step, joining)
        case .joined(let network, _): connection = .connected(network)
        default: connection = .none
        }
        events.append(event)
    }

    private mutating func abandon() {
        attempt.removeAll()
        connection = .none
    }

    private func allow(_ step: WiFiSimulation.Step) throws(WiFiRefusal) {
        switch simulation.scripts[step]?.failure {
        case nil: return
        case .invalid: throw .invalid
        default: throw .failed
        }
    }

    /// The events of a join, which are determined at its start.
    private mutating func steps(of join: WiFiJoin, from now: Instant) -> [Timed] {
        let found = accessPoint(for: join)
        joining = found?.joined
        var time = now + (simulation.scripts[.join]?.delay ?? .zero)
        var result: [Timed] = []
        let scripted: [(WiFiJoinStep, WiFiSimulation.Step)] = [
            (.authentication, .authentication), (.association, .association), (.obtainingAddress, .address),
        ]
        for (step, name) in scripted {
            result.append(Timed(at: time, event: .joining(step)))
            let script = simulation.scripts[name]
            let own = step == .authentication ? found?.delay : nil
            time = time + (script?.delay ?? own ?? SimulatedWiFi.stepTime)
            if let failure = script?.failure?.ofJoin ?? failure(of: join, at: step, found) {
                if staysWithoutAddress, failure == .address { return result }
                result.append(Timed(at: time, event: .joinFailed(failure)))
                return result
            }
        }
        guard let found else { return result }
        result.append(Timed(at: time, event: .joined(found.joined, simulation.ipv4)))
        return result
    }

    /// The strongest access point that matches the join.
    private func accessPoint(for join: WiFiJoin) -> WiFiSimulation.AccessPoint? {
        let meant = simulation.accessPoints.filter { candidate in
            candidate.isUp && candidate.name == join.name
                && !candidate.network.security.common(with: join.security).isEmpty
                && (join.address ?? candidate.network.address) == candidate.network.address
                && (join.band ?? candidate.network.band) == candidate.network.band
                && (join.channel ?? candidate.network.channel) == candidate.network.channel
        }
        return meant.max { $0.network.rssi < $1.network.rssi }
    }

    /// The failure of a join at a step. A wrong passphrase is detected where a real access point does: in
    /// authentication with SAE, otherwise in the handshake after association.
    private func failure(
        of join: WiFiJoin, at step: WiFiJoinStep, _ found: WiFiSimulation.AccessPoint?
    ) -> WiFiJoinFailure? {
        guard let found else { return .networkNotFound }
        if step == .obtainingAddress, !simulation.assignsAddresses { return .address }
        let common = found.network.security.common(with: join.security)
        let wanted: WiFiJoinFailure?
        if let failure = found.failure {
            wanted = failure
        } else if common.wantsPassphrase, let passphrase = found.passphrase,
            !(join.passphrase.map { WiFiSecret.admits($0, at: passphrase, of: found.name, by: common) } ?? false)
        {
            wanted = .authentication
        } else {
            wanted = nil
        }
        let place: WiFiJoinStep =
            switch wanted {
            case .networkNotFound: .authentication
            case .authentication: common.contains(.wpa3PSK) ? .authentication : .association
            case .address: .obtainingAddress
            case .timeout, .other, nil: .association
            }
        return step == place ? wanted : nil
    }
}

extension WiFiSecurity {
    /// The types by which an access point admits a station with `other`, given the right passphrase. A station with WPA
    /// has WPA2 too, and one without key management ignores protected networks.
    func common(with other: WiFiSecurity) -> WiFiSecurity {
        intersection(other.isDisjoint(with: .wpaWPA2PSK) ? other : other.union(.wpaWPA2PSK))
    }
}

extension WiFiSimulation.AccessPoint {
    /// The access point as a station knows it that has the network's name.
    var joined: WiFiNetwork {
        var network = network
        network.name = name
        return network
    }

    func isSelected(by selection: WiFiSelection) -> Bool {
        switch selection {
        case .network(let name): self.name == name
        case .accessPoint(let address): network.address == address
        }
    }
}

extension WiFiSimulation.Script.Failure {
    /// The resulting failure of a join.
    fileprivate var ofJoin: WiFiJoinFailure {
        switch self {
        case .authentication: .authentication
        case .networkNotFound: .networkNotFound
        case .timeout: .timeout
        case .address: .address
        case .invalid, .failed: .other
        }
    }
}
