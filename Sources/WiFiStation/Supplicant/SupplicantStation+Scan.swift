// SPDX-License-Identifier: Apache-2.0

public import WiFi
public import Timekeeping

/// Scanning.
extension SupplicantStation {
    /// A scan in progress.
    struct Scan: Sendable {
        enum Phase: Equatable, Sendable {
            /// The supplicant was asked to scan.
            case asking
            /// Waiting for another scan of the supplicant.
            case waiting
            /// Scanning.
            case scanning
            /// Reading the results.
            case collecting
        }

        var task: UInt32
        var phase = Phase.asking
        /// The name to probe for; nil for none.
        var name: WiFiName?
        /// The frequencies in MHz; empty for all.
        var frequencies: [Int]
        var isPassive: Bool
        /// The start of the scan.
        var began: Instant
        /// The end of the requested period; nil for none, or once the end was requested.
        var periodEnd: Instant?
        /// The time-out.
        var giveUp: Instant
        var found: [WiFiNetwork] = []
        /// The identifier from which the results were last requested.
        var first = 0

        var deadline: Instant? { Instant.earlier(periodEnd, giveUp) }
    }

    /// The time-out of a scan: all channels of three bands, passively, and another scan before it.
    static let scanWait = Duration.seconds(30)
    /// The maximum number of access points of a scan: more than a radio receives, few enough to store.
    static let accessPointLimit = 256

    /// Starts a scan; earlier results of the supplicant do not count.
    public mutating func startScan(_ wanted: WiFiScan, at now: Instant) throws(WiFiRefusal) {
        guard isAttached else { throw .failed }
        guard let frequencies = capabilities.frequencies(band: wanted.band, channel: nil) else {
            throw .invalid
        }
        stopScan(at: now)
        let scan = Scan(
            task: newTask(), name: wanted.name, frequencies: frequencies, isPassive: wanted.isPassive, began: now,
            periodEnd: wanted.period.map { now + $0 }, giveUp: now + SupplicantStation.scanWait)
        self.scan = scan
        request(scan, at: now)
    }

    /// Ends a scan.
    public mutating func stopScan(at now: Instant) {
        guard let scan else { return }
        conversation.drop(task: scan.task)
        if scan.phase == .scanning || scan.phase == .asking { ask(.abortScan, at: now) }
        self.scan = nil
    }

    private mutating func request(_ scan: Scan, at now: Instant) {
        let command = SupplicantCommand.scan(
            frequencies: scan.frequencies, isPassive: scan.isPassive, name: scan.name)
        conversation.ask(command, for: scan.task, at: now)
    }

    /// Handles the response to the scan request.
    mutating func scanAnswered(_ answer: SupplicantVerdict, task: UInt32) {
        guard scan?.task == task, scan?.phase == .asking else { return }
        switch answer {
        case .ok: break
        // Busy with another scan; the request is repeated after its end.
        case .busy: scan?.phase = .waiting
        case .failed: endScan(isComplete: false)
        }
    }

    /// Handles the start of a scan, requested by anyone.
    mutating func scanStarted() {
        if scan?.phase == .asking { scan?.phase = .scanning }
    }

    /// Handles the end of a scan, requested by anyone.
    mutating func scanDone(at now: Instant) {
        guard let scan else { return }
        switch scan.phase {
        case .waiting:
            self.scan?.phase = .asking
            request(scan, at: now)
        case .scanning: collect(at: now)
        // The end of an earlier scan.
        case .asking, .collecting: break
        }
    }

    mutating func scanFailed() {
        if scan?.phase == .scanning { endScan(isComplete: false) }
    }

    private mutating func collect(at now: Instant) {
        guard let scan else { return }
        self.scan?.phase = .collecting
        self.scan?.periodEnd = nil
        conversation.ask(.results(first: 0), for: scan.task, at: now)
    }

    /// Handles a part of the results, and requests the rest.
    mutating func receive(results octets: Span<UInt8>, task: UInt32, at now: Instant) {
        guard let scan, scan.task == task, scan.phase == .collecting else { return }
        let (entries, last) = SupplicantBSS.entries(octets)
        // Ages are in whole seconds.
        let oldest = Int(clamping: (now - scan.began).components.seconds) + 1
        for entry in entries where entry.age <= oldest && scan.holds(entry.frequency) {
            if let network = WiFiNetwork(entry) { self.scan?.add(network) }
        }
        let isFull = (self.scan?.found.count ?? 0) >= SupplicantStation.accessPointLimit
        guard let last, !isFull else { return endScan(isComplete: true) }
        // A part that ends before its beginning does not advance the list, which would be requested forever.
        guard last >= scan.first else { return endScan(isComplete: false) }
        self.scan?.first = last + 1
        conversation.ask(.results(first: last + 1), for: task, at: now)
    }

    /// Reports the results and the end of the scan.
    mutating func endScan(isComplete: Bool) {
        guard let scan else { return }
        self.scan = nil
        conversation.drop(task: scan.task)
        for network in scan.found { events.append(.found(network)) }
        events.append(.scanEnded(complete: isComplete))
    }

    /// Handles the end of the requested period, or the time-out.
    mutating func scanIsDue(at now: Instant) {
        guard let scan else { return }
        guard now < scan.giveUp else {
            stopScan(at: now)
            self.scan = scan
            return endScan(isComplete: false)
        }
        self.scan?.periodEnd = nil
        switch scan.phase {
        // The results so far follow at the end.
        case .scanning: ask(.abortScan, at: now)
        // The scan never started: the results of other scans are used.
        case .asking, .waiting:
            conversation.drop(task: scan.task)
            collect(at: now)
        case .collecting: break
        }
    }
}

extension SupplicantStation.Scan {
    func holds(_ frequency: Int) -> Bool { frequencies.isEmpty || frequencies.contains(frequency) }

    /// Adds an access point, each once: a hidden network is listed twice after its name became known.
    mutating func add(_ network: WiFiNetwork) {
        guard let known = found.firstIndex(where: { $0.address == network.address }) else {
            found.append(network)
            return
        }
        if found[known].name.octets.isEmpty { found[known] = network }
    }
}
