public import Timekeeping

/// Joining one network.
extension SupplicantStation {
    /// A join that is under way.
    struct Attempt: Sendable {
        enum Phase: Equatable, Sendable {
            /// The supplicant is told what to join.
            case configuring
            /// It tries to.
            case connecting
            /// The link is up since then, and has no address yet.
            case addressing(since: Instant)
        }

        var task: UInt32
        var join: WiFiJoin
        var settings: [SupplicantSetting]
        var phase = Phase.configuring
        /// What was told last.
        var step = WiFiJoinStep.authentication
        /// When the phase has taken too long.
        var deadline: Instant
        /// The supplicant's number for the network.
        var number: Int?
        /// Those of other networks of the same name.
        var others: [Int] = []
        /// Whether the access point has refused the station.
        var isRefused = false
        /// Whether a scan has ended since the network was last not found.
        var hasScanned = false
        /// How many scans have ended without it.
        var scansWithout = 0
        /// The interface's address before; nil once it was seen without.
        var formerIPv4: IPv4Address?
        /// The access point, when the link is up.
        var network: WiFiNetwork?

        var isAddressing: Bool {
            if case .addressing = phase { return true }
            return false
        }
    }

    /// Tries a network. It is refused as `.invalid` if wpa_supplicant could not be told: WEP, a server that knows the users, a
    /// passphrase of an impossible length, a channel that the interface does not have.
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

    /// Gives up the join that is under way: its network is forgotten.
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

    // MARK: - Telling the supplicant

    /// The networks that the supplicant knows: those that it could join by itself will be again when this is over.
    mutating func take(networks: [SupplicantNetwork], task: UInt32, at now: Instant) {
        guard let attempt, attempt.task == task else { return }
        for network in networks {
            if network.isEnabled { resting.insert(network.number) }
            if network.name == attempt.join.name { self.attempt?.others.append(network.number) }
        }
        askForAttempt(.addNetwork, at: now)
    }

    /// The number of the new network.
    mutating func take(number: Int?, task: UInt32, at now: Instant) {
        guard let attempt, attempt.task == task else {
            // Nobody wants it any more.
            if let number { ask(.remove(number), at: now) }
            return
        }
        guard let number else { return attemptFailed(.other, at: now) }
        self.attempt?.number = number
        for setting in attempt.settings { askForAttempt(.set(network: number, setting), at: now) }
        // The passphrase is with the supplicant.
        self.attempt?.settings.removeAll()
        askForAttempt(.select(number), at: now)
    }

    /// A setting was taken, or not.
    mutating func settingAnswered(_ answer: SupplicantVerdict, task: UInt32, at now: Instant) {
        if attempt?.task == task, answer != .ok { attemptFailed(.other, at: now) }
    }

    /// The supplicant begins to join it, or does not.
    mutating func selectAnswered(_ answer: SupplicantVerdict, task: UInt32, at now: Instant) {
        guard attempt?.task == task else { return }
        guard answer == .ok else { return attemptFailed(.other, at: now) }
        attempt?.phase = .connecting
    }

    // MARK: - What comes of it

    private mutating func tell(_ step: WiFiJoinStep) {
        // Never back: a second attempt of the supplicant is not one of the phone's.
        guard let told = attempt?.step, step.order > told.order else { return }
        attempt?.step = step
        events.append(.joining(step))
    }

    /// An event of the supplicant, while it joins.
    mutating func attemptHears(_ event: SupplicantEvent, at now: Instant) {
        // Before it has begun, what it hears is of what was before.
        guard let attempt, let number = attempt.number, attempt.phase != .configuring else { return }
        switch event {
        case .associating, .associated: tell(.association)
        case .connected(let network):
            guard network == nil || network == number else { return }
            linkIsUp(at: now)
        case .disconnected(_, let isLocal):
            // The supplicant tries again; leaving the former network is its own doing.
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

    /// With SAE a wrong password shows when the access point confirms: it refuses with “unspecified failure” or “challenge
    /// failure” (IEEE 802.11-2020, 12.4.7.5 and Table 9-50). What is too much for it has other codes.
    private static func isWrongPassword(algorithm: Int, status: Int) -> Bool {
        algorithm == 3 && (status == 1 || status == 15)
    }

    /// The supplicant says so before it has scanned, too.
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
        tell(.obtainingAddress)
        poll(at: now)
    }

    /// How the link is, while it joins.
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
        // Now that it is known to work, it takes the place of what was called the same, and of what was not to be kept.
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

    /// It did not get in. What it knew before is joined again by the supplicant itself.
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

    /// A phase has taken too long.
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
    /// Which comes after which.
    fileprivate var order: Int {
        switch self {
        case .authentication: 0
        case .association: 1
        case .obtainingAddress: 2
        }
    }
}

extension SupplicantCapabilities {
    /// What the supplicant is told of the network; nil if it cannot be.
    func settings(for join: WiFiJoin) -> [SupplicantSetting]? {
        var settings: [SupplicantSetting] = [.name(join.name), .asksForName]
        if let address = join.address { settings.append(.accessPoint(address)) }
        guard let frequencies = frequencies(band: join.band, channel: join.channel) else { return nil }
        if !frequencies.isEmpty { settings.append(.frequencies(frequencies)) }
        switch join.security {
        case .open: settings.append(.keyManagement(.open))
        case .wpaPSK, .wpa2PSK, .wpaWPA2PSK:
            guard let passphrase = join.passphrase.flatMap({ SupplicantPassphrase(preShared: $0) }) else {
                return nil
            }
            let withSAE = hasSAE && passphrase.servesSAE
            settings.append(.keyManagement(.personal(withSAE: withSAE)))
            settings.append(.passphrase(passphrase))
            // Without it SAE is not chosen, and an access point that wants it is not seen.
            if withSAE { settings.append(.managementProtection(.optional)) }
        case .wpa3PSK:
            guard hasSAE, let passphrase = join.passphrase.flatMap({ SupplicantPassphrase(sae: $0) })
            else { return nil }
            settings.append(.keyManagement(.sae))
            settings.append(.passphrase(passphrase))
            settings.append(.managementProtection(.required))
        case .wep, .wpa2Enterprise: return nil
        }
        return settings
    }
}
