// SPDX-License-Identifier: Apache-2.0

public import WiFi
public import Timekeeping

/// Joining one network.
extension SupplicantStation {
    /// A join in progress.
    struct Attempt: Sendable {
        enum Phase: Equatable, Sendable {
            /// The supplicant is being configured.
            case configuring
            /// The supplicant is connecting.
            case connecting
            /// The link is up, without an address yet.
            case addressing(since: Instant)
        }

        var task: UInt32
        var join: WiFiJoin
        var settings: [SupplicantSetting]
        var phase = Phase.configuring
        /// The step reported last.
        var step = WiFiJoinStep.authentication
        /// The time-out of the phase.
        var deadline: Instant
        /// The supplicant's identifier of the network.
        var number: Int?
        /// The identifiers of other networks with the same name.
        var others: [Int] = []
        /// True if the access point has refused the station.
        var isRefused = false
        /// True if a scan has ended since the network was last not found.
        var hasScanned = false
        /// The number of scans without the network.
        var scansWithout = 0
        /// The interface's previous address; nil once it was absent.
        var formerIPv4: IPv4Address?
        /// The access point, once the link is up.
        var network: WiFiNetwork?

        var isAddressing: Bool {
            if case .addressing = phase { return true }
            return false
        }
    }

    /// Joins a network.
    ///
    /// - Throws: `.invalid` if wpa_supplicant cannot be configured for it: WEP, Enterprise, a passphrase of invalid
    ///   length, a channel that the interface does not have; `.failed` if the supplicant is unavailable.
    public mutating func join(_ join: WiFiJoin, at now: Instant) throws(WiFiRefusal) {
        guard isAttached else { throw .failed }
        guard let settings = capabilities.settings(for: join) else { throw .invalid }
        abandonAttempt(at: now)
        standing = .down
        attempt = Attempt(
            task: newTask(), join: join, settings: settings, deadline: now + SupplicantStation.linkWait,
            formerIPv4: lastIPv4)
        events.append(.joining(.authentication))
        askForAttempt(.networks, at: now)
    }

    /// Aborts the join in progress, and removes its network.
    mutating func abandonAttempt(at now: Instant) {
        guard let attempt else { return }
        conversation.drop(task: attempt.task)
        if let number = attempt.number { ask(.remove(number), at: now) }
        self.attempt = nil
    }

    private mutating func askForAttempt(_ command: SupplicantCommand, at now: Instant) {
        guard let attempt else { return }
        conversation.ask(command, for: attempt.task, at: now)
    }

    // MARK: - Configuration

    /// Handles the list of networks: the enabled ones are enabled again after the join.
    mutating func receive(networks: [SupplicantNetwork], task: UInt32, at now: Instant) {
        guard let attempt, attempt.task == task else { return }
        for network in networks {
            if network.isEnabled { resting.insert(network.number) }
            if network.name == attempt.join.name { self.attempt?.others.append(network.number) }
        }
        askForAttempt(.addNetwork, at: now)
    }

    /// Handles the identifier of the new network.
    mutating func receive(number: Int?, task: UInt32, at now: Instant) {
        guard let attempt, attempt.task == task else {
            // The join was aborted.
            if let number { ask(.remove(number), at: now) }
            return
        }
        guard let number else { return attemptFailed(.other, at: now) }
        self.attempt?.number = number
        for setting in attempt.settings { askForAttempt(.set(network: number, setting), at: now) }
        // The passphrase has been passed to the supplicant.
        self.attempt?.settings.removeAll()
        askForAttempt(.select(number), at: now)
    }

    /// Handles the response to a setting.
    mutating func settingAnswered(_ answer: SupplicantVerdict, task: UInt32, at now: Instant) {
        if attempt?.task == task, answer != .ok { attemptFailed(.other, at: now) }
    }

    /// Handles the response to the selection of the network.
    mutating func selectAnswered(_ answer: SupplicantVerdict, task: UInt32, at now: Instant) {
        guard attempt?.task == task else { return }
        guard answer == .ok else { return attemptFailed(.other, at: now) }
        attempt?.phase = .connecting
    }

    // MARK: - Progress

    private mutating func report(_ step: WiFiJoinStep) {
        // Steps are never reported backwards: retries of the supplicant are not retries of the phone.
        guard let told = attempt?.step, step.order > told.order else { return }
        attempt?.step = step
        events.append(.joining(step))
    }

    /// Handles an event during a join.
    mutating func attemptHears(_ event: SupplicantEvent, at now: Instant) {
        // Earlier events concern the previous connection.
        guard let attempt, let number = attempt.number, attempt.phase != .configuring else { return }
        switch event {
        case .associating, .associated: report(.association)
        case .connected(let network):
            guard network == nil || network == number else { return }
            linkIsUp(at: now)
        case .disconnected(_, let isLocal):
            // The supplicant retries; a locally generated disconnection is from the previous network.
            guard attempt.isAddressing, !isLocal else { return }
            self.attempt?.phase = .connecting
            self.attempt?.deadline = now + SupplicantStation.linkWait
        case .suspended(let network, let reason):
            guard network == number else { return }
            let isRefused = reason == .wrongKey || attempt.isRefused
            attemptFailed(isRefused ? .authentication : .other, at: now)
        case .authenticationRejected(let algorithm, let status):
            self.attempt?.isRefused = true
            if SupplicantStation.isWrongPassword(algorithm: algorithm, status: status) {
                attemptFailed(.authentication, at: now)
            }
        case .scanResults: self.attempt?.hasScanned = true
        case .networkNotFound: notFound(at: now)
        case .scanStarted, .scanFailed, .authenticating, .associationRejected, .terminating, .other:
            break
        }
    }

    /// True if an SAE rejection means a wrong password: the access point refuses the confirmation with “unspecified
    /// failure” or “challenge failure” (IEEE 802.11-2020, 12.4.7.5 and Table 9-50). An overloaded one uses other
    /// codes.
    private static func isWrongPassword(algorithm: Int, status: Int) -> Bool {
        algorithm == 3 && (status == 1 || status == 15)
    }

    /// Counts scans without the network. The supplicant sends this event before it has scanned, too.
    private mutating func notFound(at now: Instant) {
        guard let attempt, attempt.phase == .connecting, attempt.hasScanned else { return }
        self.attempt?.hasScanned = false
        self.attempt?.scansWithout += 1
        if attempt.scansWithout + 1 >= SupplicantStation.scansWithout {
            attemptFailed(.networkNotFound, at: now)
        }
    }

    private mutating func linkIsUp(at now: Instant) {
        attempt?.phase = .addressing(since: now)
        attempt?.deadline = now + SupplicantStation.addressWait
        report(.obtainingAddress)
        poll(at: now)
    }

    /// Handles the state of the link during a join.
    mutating func attemptHears(_ status: SupplicantStatus, at now: Instant) {
        guard let attempt, case .addressing(let since) = attempt.phase, status.isCompleted,
            status.network == attempt.number, let network = WiFiNetwork(status, rssi: rssi)
        else { return }
        self.attempt?.network = network
        guard let ipv4 = status.ipv4 else {
            self.attempt?.formerIPv4 = nil
            return
        }
        guard ipv4 != attempt.formerIPv4 || now - since >= SupplicantStation.staleAddressWait else {
            return
        }
        self.attempt = nil
        standing = .connected(network, ipv4)
        events.append(.joined(network, ipv4))
        // The verified network replaces networks with the same name, and the previous unsaved one.
        var replaced = attempt.others
        if let unkept, !replaced.contains(unkept) { replaced.append(unkept) }
        for other in replaced {
            ask(.remove(other), at: now)
            resting.remove(other)
        }
        unkept = attempt.number
        enableOthers(at: now)
        ask(.networks, at: now)
    }

    /// Ends a failed join. The supplicant rejoins a previous network automatically.
    private mutating func attemptFailed(_ failure: WiFiJoinFailure, at now: Instant) {
        abandonAttempt(at: now)
        events.append(.joinFailed(failure))
        guard !resting.isEmpty else { return }
        enableOthers(at: now)
        ask(.reassociate, at: now)
    }

    mutating func enableOthers(at now: Instant) {
        for network in resting.sorted() { ask(.enable(network), at: now) }
        resting.removeAll()
    }

    /// Handles the time-out of a phase.
    mutating func attemptIsDue(at now: Instant) {
        guard let attempt else { return }
        if attempt.isAddressing {
            attemptFailed(.address, at: now)
        } else if attempt.isRefused {
            attemptFailed(.authentication, at: now)
        } else {
            attemptFailed(attempt.scansWithout > 0 ? .networkNotFound : .timeout, at: now)
        }
    }
}

extension WiFiJoinStep {
    /// The order of the steps.
    fileprivate var order: Int {
        switch self {
        case .authentication: 0
        case .association: 1
        case .obtainingAddress: 2
        }
    }
}

extension SupplicantCapabilities {
    /// The settings of the network; nil if it cannot be configured.
    func settings(for join: WiFiJoin) -> [SupplicantSetting]? {
        var settings: [SupplicantSetting] = [.name(join.name), .asksForName]
        if let address = join.address { settings.append(.accessPoint(address)) }
        guard let frequencies = frequencies(band: join.band, channel: join.channel) else { return nil }
        if !frequencies.isEmpty { settings.append(.frequencies(frequencies)) }
        guard let keys = keys(for: join) else { return nil }
        settings += keys
        return settings
    }

    /// The settings of the network's keys. A passphrase that no pre-shared key is derived from is for SAE alone.
    private func keys(for join: WiFiJoin) -> [SupplicantSetting]? {
        if join.security == .open { return [.keyManagement(.open)] }
        if !join.security.isDisjoint(with: .wpaWPA2PSK),
            let passphrase = join.passphrase.flatMap({ SupplicantPassphrase(preShared: $0) })
        {
            let withSAE = hasSAE && passphrase.servesSAE
            let keys = [.keyManagement(.personal(withSAE: withSAE)), .passphrase(passphrase)] as [SupplicantSetting]
            // Without it SAE is not chosen, and an access point that requires it is not found.
            return withSAE ? keys + [.managementProtection(.optional)] : keys
        }
        guard join.security.contains(.wpa3PSK), hasSAE,
            let passphrase = join.passphrase.flatMap({ SupplicantPassphrase(sae: $0) })
        else { return nil }
        return [.keyManagement(.sae), .passphrase(passphrase), .managementProtection(.required)]
    }
}
