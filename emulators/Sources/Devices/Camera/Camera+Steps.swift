// SPDX-License-Identifier: Apache-2.0

import Timekeeping
import WiFi
import WiFiStation

/// The steps of an onboarding after the credentials: 201, 301, 121, 123, 302, 501, 502, 113, 1307, up to the first
/// failure.
extension Camera {
    mutating func understood(
        _ credentials: CameraCredentials, _ form: CameraCredentialsForm, _ writes: Int,
        _ station: inout some WiFiStation, at now: Instant
    ) {
        actions.append(.understood(credentials, form, writes: writes))
        status.onboarding = .busy
        report(.parsingSucceeded, "credentials read")
        guard !credentials.name.octets.isEmpty else {
            report(.wifiInProgress, "setting up the mobile network")
            return beginCheck(credentials, at: now)
        }
        report(.wifiInProgress, "setting up wi-fi")
        attempt(Attempt(credentials: credentials, isOnboarding: true), &station, at: now)
    }

    mutating func misunderstood(_ fault: CameraCredentialsFault, _ writes: Int, at now: Instant) {
        actions.append(.misunderstood(fault, writes: writes))
        fail(.parsingFailed, "credentials not readable: \(fault)", at: now)
    }

    /// Completes the credentials: no further write has arrived within the quiet time.
    mutating func becameQuiet(_ writes: Int, _ station: inout some WiFiStation, at now: Instant) {
        do throws(CameraCredentialsFault) {
            let (credentials, form) = try reader.finish(
                demandsNewline: settings.demandsNewline, allowsNoName: settings.hasSIM)
            understood(credentials, form, writes, &station, at: now)
        } catch {
            misunderstood(error, writes, at: now)
        }
    }

    // MARK: - Wi-Fi

    /// Starts an attempt with a scan: credentials do not contain the network's security.
    mutating func attempt(_ attempt: Attempt, _ station: inout some WiFiStation, at now: Instant) {
        retry = nil
        guard !attempt.credentials.name.octets.isEmpty else { return joined(attempt, at: now) }
        do throws(WiFiRefusal) {
            try station.startScan(WiFiScan(name: attempt.credentials.name), at: now)
            phase = .scanning(attempt, best: nil)
        } catch {
            missed(attempt, "the radio does not look for networks", at: now)
        }
    }

    mutating func receive(_ event: WiFiEvent, _ station: inout some WiFiStation, at now: Instant) {
        switch (event, phase) {
        case (.found(let network), .scanning(let attempt, let best)) where network.name == attempt.credentials.name:
            if let best, best.rssi >= network.rssi { return }
            phase = .scanning(attempt, best: network)
        case (.scanEnded, .scanning(let attempt, let best)): join(attempt, best, &station, at: now)
        case (.joined, .joining(let attempt)): joined(attempt, at: now)
        case (.joinFailed(let failure), .joining(let attempt)): missed(attempt, Camera.reason(failure), at: now)
        case (.lost, _): lost(at: now)
        default: return
        }
    }

    /// Joins the network. A network that was not found may be hidden, and is tried as well.
    private mutating func join(
        _ attempt: Attempt, _ best: WiFiNetwork?, _ station: inout some WiFiStation, at now: Instant
    ) {
        let passphrase = attempt.credentials.passphrase
        let join = WiFiJoin(
            name: attempt.credentials.name,
            security: best?.security ?? (passphrase.count == 0 ? .open : .personal), passphrase: passphrase)
        phase = .joining(attempt)
        do throws(WiFiRefusal) {
            try station.join(join, at: now)
        } catch {
            return missed(attempt, "the radio does not join", at: now)
        }
        while let event = station.nextEvent() { receive(event, &station, at: now) }
    }

    private mutating func joined(_ attempt: Attempt, at now: Instant) {
        guard attempt.isOnboarding else {
            phase = .idle
            status.onboarding = .onboarded
            status.connectivity = .connectivityUp
            return report(.onboarded, "online")
        }
        beginCheck(attempt.credentials, at: now)
    }

    private mutating func beginCheck(_ credentials: CameraCredentials, at now: Instant) {
        phase = .checking(credentials, until: now + (settings.connectivityScript?.delay ?? settings.checkTime))
        report(.connectivityCheckInProgress, "checking whether it is online")
    }

    /// Ends the preparation. The camera now accepts credentials.
    mutating func becameReady() {
        phase = .idle
        status.onboarding = .waiting
        report(.waiting, "get ready for onboarding")
    }

    private mutating func missed(_ attempt: Attempt, _ reason: String, at now: Instant) {
        if attempt.isOnboarding { return fail(.wifiFailed, "wi-fi failed: \(reason)", at: now) }
        let isNews = status.onboarding != .onboarded
        if isNews, settings.waitsAfterFailedStart {
            isOnboarded = false
            rest(at: now)
            return report(.waiting, "get ready for onboarding: \(reason)")
        }
        rest(at: now)
        if isNews { report(.onboarded, "offline: \(reason)") }
    }

    private mutating func lost(at now: Instant) {
        switch phase {
        case .checking: break  // The check detects it.
        case .pairing: fail(.pairingFailed, "pairing failed: the network is gone", at: now)
        default:
            guard status.connectivity == .connectivityUp else { return }
            status.connectivity = .connectivityDown
            if phase == .idle { rest(at: now) }
            report(status.notification, "the network is gone")
        }
    }

    private static func reason(_ failure: WiFiJoinFailure) -> String {
        switch failure {
        case .authentication: "wrong passphrase"
        case .networkNotFound: "no such network"
        case .timeout: "it took too long"
        case .address: "no ip address"
        case .other: "it does not say why"
        }
    }

    // MARK: - Check and pairing

    mutating func checked(_ credentials: CameraCredentials, _ station: inout some WiFiStation, at now: Instant) {
        let isLinked = credentials.name.octets.isEmpty || (try? station.status().state) == .connected
        let isOnline = settings.connectivityScript?.failure == nil && isLinked
        status.connectivity = isOnline ? .connectivityUp : .connectivityDown
        report(.connectivityCheckDone, isOnline ? "it is online" : "it is not online")
        guard isOnline else {
            try? station.leave(at: now)
            return fail(.wifiFailed, "wi-fi failed: nothing is behind the network", at: now)
        }
        report(.wifiSucceeded, "wi-fi is set up")
        phase = .pairing(credentials, until: now + (settings.pairingScript?.delay ?? settings.pairingTime))
        report(.pairingInProgress, "redeeming the token")
    }

    mutating func redeem(_ credentials: CameraCredentials, _ station: inout some WiFiStation, at now: Instant) {
        if settings.pairingScript?.failure != nil {
            return pairingFailed("the server does not answer", &station, at: now)
        }
        let verdict = server.redeem(credentials.token, userID: credentials.userID, at: now)
        actions.append(.redeemed(verdict))
        guard verdict == .paired else { return pairingFailed(Camera.reason(verdict), &station, at: now) }
        report(.pairingSucceeded, "paired")
        isOnboarded = true
        isPaired = true
        kept = credentials
        actions.append(.keep(credentials))
        status.onboarding = .onboarded
        phase = .diagnostics(until: now + settings.diagnosticsTime)
        report(.onboarded, "onboarded")
    }

    /// Returns to the state in which credentials are accepted, and leaves the network (assumed).
    private mutating func pairingFailed(_ reason: String, _ station: inout some WiFiStation, at now: Instant) {
        try? station.leave(at: now)
        fail(.pairingFailed, "pairing failed: \(reason)", at: now)
    }

    private static func reason(_ verdict: PairingServer.Verdict) -> String {
        switch verdict {
        case .paired: "it did not"
        case .unknown: "the server does not know the token"
        case .expired: "the token is too old"
        case .used: "the token has been used"
        case .otherUser: "the token is another user's"
        case .refused: "the server takes none"
        }
    }

    // MARK: - Completion

    /// Ends the attempt with a failure; the reported value already has the resulting state.
    private mutating func fail(_ signal: CameraSignal, _ text: String, at now: Instant) {
        reader.removeAll()
        status.connectivity = .connectivityDown
        rest(at: now)
        if settings.closesAfterFailure { phase = .diagnostics(until: now + settings.diagnosticsTime) }
        report(signal, text)
    }

    /// Returns to the idle state.
    mutating func rest(at now: Instant) {
        phase = .idle
        status.onboarding = isOnboarded ? .onboarded : .waiting
        retry = isOnboarded && kept != nil && status.connectivity == .connectivityDown ? now + settings.retryTime : nil
    }

    mutating func sayClosing(at now: Instant) {
        phase = .closing(until: now + settings.closingTime)
        report(.serverClosing, "diagnostics end")
    }

    /// Closes the GATT server. The next client reads the current state.
    mutating func close(at now: Instant) {
        rest(at: now)
        status.notification = status.onboarding
        actions.append(.close)
    }

    // MARK: - Retry

    mutating func tryKept(_ station: inout some WiFiStation, at now: Instant) {
        retry = nil
        guard let kept else { return }
        attempt(Attempt(credentials: kept, isOnboarding: false), &station, at: now)
    }

    /// Aborts a retry: a client's credentials take precedence over the stored ones.
    mutating func giveUpRetry(_ station: inout some WiFiStation, at now: Instant) {
        switch phase {
        case .scanning:
            station.stopScan(at: now)
            phase = .idle
        case .joining:
            try? station.leave(at: now)
            phase = .idle
        default: break
        }
    }
}
