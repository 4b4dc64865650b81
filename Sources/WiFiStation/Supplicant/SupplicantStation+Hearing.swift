// SPDX-License-Identifier: Apache-2.0

import WiFi
import Timekeeping

/// The supplicant's response to a command.
enum SupplicantVerdict: Equatable, Sendable {
    case ok
    /// Another operation is in progress (`FAIL-BUSY`).
    case busy
    case failed

    init(_ octets: Span<UInt8>) {
        let all = 0..<octets.count
        if ControlText.remainder(of: all, after: "OK", in: octets) != nil {
            self = .ok
        } else if ControlText.remainder(of: all, after: "FAIL-BUSY", in: octets) != nil {
            self = .busy
        } else {
            self = .failed
        }
    }
}

/// Handling of responses and events.
extension SupplicantStation {
    /// Handles the response to a command.
    mutating func receive(
        _ octets: Span<UInt8>, to request: SupplicantConversation.Request, at now: Instant
    ) {
        let verdict = SupplicantVerdict(octets)
        let task = request.task
        switch request.command {
        case .attach:
            guard verdict == .ok else { return failed(at: now) }
            ask(.keyManagementCapability, at: now)
            ask(.frequencyCapability, at: now)
            ask(.networks, at: now)
            ask(.signal, at: now)
            ask(.status, at: now)
        case .keyManagementCapability: capabilities.hasSAE = SupplicantStation.hasSAE(octets)
        case .frequencyCapability: capabilities.frequencies = SupplicantRadio.frequencies(octets)
        case .status: receive(SupplicantStatus(octets), at: now)
        case .signal:
            let level = ControlText.value(of: "RSSI", in: octets).flatMap {
                ControlText.number(octets, $0)
            }
            rssi = level.map { WiFiNetwork.rssi($0) } ?? -127
        case .networks:
            let networks = SupplicantNetwork.list(octets)
            if task == SupplicantStation.standingTask {
                receive(known: networks, at: now)
            } else {
                receive(networks: networks, task: task, at: now)
            }
        case .keyManagement(let number): receive(keyManagement: octets, of: number)
        case .scan: scanAnswered(verdict, task: task)
        case .results: receive(results: octets, task: task, at: now)
        case .addNetwork:
            let end = ControlText.lineEnd(octets, from: 0)
            receive(
                number: ControlText.number(octets, 0..<end).flatMap { $0 < 0 ? nil : $0 }, task: task,
                at: now)
        case .set: settingAnswered(verdict, task: task, at: now)
        case .select: selectAnswered(verdict, task: task, at: now)
        case .save: isSaved = verdict == .ok
        case .abortScan, .enable, .remove, .disconnect, .reassociate: break
        }
    }

    /// True if `SAE` is listed as a word: `FT-SAE` may be listed too.
    private static func hasSAE(_ octets: Span<UInt8>) -> Bool {
        var start = 0
        for position in 0...octets.count
        where position == octets.count || octets[position] == UInt8(ascii: " ")
            || octets[position] == UInt8(ascii: "\n")
        {
            if position - start == 3,
                ControlText.remainder(of: start..<position, after: "SAE", in: octets) != nil
            {
                return true
            }
            start = position + 1
        }
        return false
    }

    /// Handles the list of stored networks: removes those to be forgotten, and queries the security of the others.
    private mutating func receive(known networks: [SupplicantNetwork], at now: Instant) {
        let names = forgetting
        forgetting.removeAll()
        var known: [KnownNetwork] = []
        for network in networks {
            // The network being joined was added after the request to forget.
            guard network.number != attempt?.number else { continue }
            if names.contains(where: { $0 == nil || $0 == network.name }) {
                ask(.remove(network.number), at: now)
                resting.remove(network.number)
            } else if network.isEnabled, known.count < SupplicantStation.knownLimit {
                let security = knownNetworks?.first {
                    $0.number == network.number && $0.name == network.name
                }?.security
                known.append(
                    KnownNetwork(
                        name: network.name, security: security, isCurrent: network.isCurrent,
                        number: network.number))
                if security == nil { ask(.keyManagement(of: network.number), at: now) }
            }
        }
        knownNetworks = known
        if !names.isEmpty { ask(.save, at: now) }
    }

    /// The maximum number of reported networks.
    private static let knownLimit = 32

    private mutating func receive(keyManagement octets: Span<UInt8>, of number: Int) {
        guard let place = knownNetworks?.firstIndex(where: { $0.number == number }) else { return }
        let line = octets.extracting(0..<ControlText.lineEnd(octets, from: 0))
        knownNetworks?[place].security = SupplicantRadio.security(setting: line)
    }

    /// Handles an event.
    mutating func receive(_ event: SupplicantEvent, at now: Instant) {
        switch event {
        case .scanStarted: scanStarted()
        case .scanResults: scanDone(at: now)
        case .scanFailed: scanFailed()
        case .terminating: return failed(at: now)
        default: break
        }
        guard attempt == nil else { return attemptHears(event, at: now) }
        switch event {
        case .connected:
            // The supplicant has joined automatically.
            standing = .up
            poll(at: now)
        case .disconnected: linkLost()
        default: break
        }
    }

    /// Handles the loss of the link.
    mutating func linkLost() {
        if case .connected = standing { events.append(.lost) }
        standing = .down
    }

    private mutating func receive(_ status: SupplicantStatus, at now: Instant) {
        if let own = status.address { address = own }
        defer { lastIPv4 = status.ipv4 }
        if !isAttached {
            isAttached = true
            conversation.resetPause()
            nextPoll = now + SupplicantStation.statusInterval
        }
        guard attempt == nil else { return attemptHears(status, at: now) }
        guard status.isCompleted, let network = WiFiNetwork(status, rssi: rssi) else {
            return linkLost()
        }
        guard let ipv4 = status.ipv4 else {
            // A temporary loss of the address is not a loss of the link.
            if standing == .down { standing = .up }
            return
        }
        let isNews = if case .connected = standing { false } else { true }
        standing = .connected(network, ipv4)
        if isNews { events.append(.joined(network, ipv4)) }
    }
}
