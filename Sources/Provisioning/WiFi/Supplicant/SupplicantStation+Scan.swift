public import Timekeeping

/// Looking for networks.
extension SupplicantStation {
    /// A scan that is under way.
    struct Scan: Sendable {
        enum Phase: Equatable, Sendable {
            /// The supplicant was asked to begin.
            case asking
            /// It has a scan of its own to finish first.
            case waiting
            /// It is scanning.
            case scanning
            /// It has ended, and its results are asked for.
            case collecting
        }

        var task: UInt32
        var phase = Phase.asking
        /// The frequencies in MHz; all if there are none.
        var frequencies: [Int]
        var isPassive: Bool
        /// When it was begun.
        var began: Instant
        /// When it has looked long enough; nil if it was asked to end.
        var periodEnd: Instant?
        /// When it is given up.
        var giveUp: Instant
        var found: [WiFiNetwork] = []

        var deadline: Instant? { Instant.earlier(periodEnd, giveUp) }
    }

    /// How long a scan may take: all channels of three bands, passively, and another's scan before it.
    static let scanWait = Duration.seconds(30)
    /// The most access points of a scan: more than a radio hears, and few enough to keep.
    static let accessPointLimit = 256

    /// Looks for networks; what the supplicant has known from before does not count.
    public mutating func startScan(_ wanted: WiFiScan, at now: Instant) throws(WiFiRefusal) {
        guard isAttached else { throw .failed }
        guard let frequencies = capabilities.frequencies(band: wanted.band, channel: nil) else {
            throw .invalid
        }
        stopScan(at: now)
        let scan = Scan(
            task: newTask(), frequencies: frequencies, isPassive: wanted.isPassive, began: now,
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
        let command = SupplicantCommand.scan(frequencies: scan.frequencies, isPassive: scan.isPassive)
        conversation.ask(command, for: scan.task, at: now)
    }

    /// The answer to the request to begin.
    mutating func scanAnswered(_ answer: SupplicantVerdict, task: UInt32) {
        guard scan?.task == task, scan?.phase == .asking else { return }
        switch answer {
        case .ok: break
        // A scan of its own; when that has ended it is asked again.
        case .busy: scan?.phase = .waiting
        case .failed: endScan(isComplete: false)
        }
    }

    /// A scan has begun, for whomever.
    mutating func scanStarted() {
        if scan?.phase == .asking { scan?.phase = .scanning }
    }

    /// A scan has ended, for whomever.
    mutating func scanDone(at now: Instant) {
        guard let scan else { return }
        switch scan.phase {
        case .waiting:
            self.scan?.phase = .asking
            request(scan, at: now)
        case .scanning: collect(at: now)
        // The end of one that began before.
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

    /// Some of the results; the rest is asked for.
    mutating func take(results octets: Span<UInt8>, task: UInt32, at now: Instant) {
        guard let scan, scan.task == task, scan.phase == .collecting else { return }
        let (entries, last) = SupplicantBSS.entries(octets)
        // Ages are in whole seconds.
        let oldest = Int(clamping: (now - scan.began).components.seconds) + 1
        for entry in entries where entry.age <= oldest && scan.holds(entry.frequency) {
            if let network = WiFiNetwork(entry) { self.scan?.add(network) }
        }
        let isFull = (self.scan?.found.count ?? 0) >= SupplicantStation.accessPointLimit
        guard let last, !isFull else { return endScan(isComplete: true) }
        conversation.ask(.results(first: last + 1), for: task, at: now)
    }

    /// Tells what was found, and that it is over.
    mutating func endScan(isComplete: Bool) {
        guard let scan else { return }
        self.scan = nil
        conversation.drop(task: scan.task)
        for network in scan.found { events.append(.found(network)) }
        events.append(.scanEnded(complete: isComplete))
    }

    /// It has looked long enough, or nothing comes of it.
    mutating func scanIsDue(at now: Instant) {
        guard let scan else { return }
        guard now < scan.giveUp else {
            stopScan(at: now)
            self.scan = scan
            return endScan(isComplete: false)
        }
        self.scan?.periodEnd = nil
        switch scan.phase {
        // What it has heard until now comes with its end.
        case .scanning: ask(.abortScan, at: now)
        // It never came to it: what others have heard meanwhile has to do.
        case .asking, .waiting:
            conversation.drop(task: scan.task)
            collect(at: now)
        case .collecting: break
        }
    }
}

extension SupplicantStation.Scan {
    func holds(_ frequency: Int) -> Bool { frequencies.isEmpty || frequencies.contains(frequency) }

    /// Each access point once: a network that hides its name is known twice once somebody has said it.
    mutating func add(_ network: WiFiNetwork) {
        guard let known = found.firstIndex(where: { $0.address == network.address }) else {
            found.append(network)
            return
        }
        if found[known].name.octets.isEmpty { found[known] = network }
    }
}
