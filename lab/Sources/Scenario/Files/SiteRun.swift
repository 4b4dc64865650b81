// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Crypto
import Peripheral
import Phone
import Reader
import Timekeeping
public import VirtualRadio

/// One run of a scenario: what each phone got, what the lock did, and what was broken.
public struct SiteRun: Sendable {
    /// The result of one phone.
    public struct PhoneResult: Equatable, Sendable {
        /// Its name.
        public var name: String
        /// The name of the reader that told it; nil if none did.
        public var reader: String?
        /// Its first success, else what it was told last.
        public var result: SiteScenario.Result
        /// The time of the result after the first point of its way.
        public var after: Duration?
        /// The status that it was told last, if it was denied.
        public var status: Int?
        /// The number of its connections.
        public var connections: Int
        /// False if it was expected otherwise.
        public var isAsExpected: Bool
    }

    /// A rule of a run, as the kind of a failure.
    public enum Rule: String, CaseIterable, Sendable {
        /// The lock is released by a cause, and once for each.
        case cause
        /// The lock is secured again when its causes have ended.
        case hold
        /// No link is left when all phones are gone.
        case slots
        /// Hosts keep the rules of the strict controllers.
        case controllers
        /// The door does what the scenario expects.
        case door
        /// Each phone gets what the scenario expects.
        case phones
    }

    /// The seed.
    public let seed: UInt64
    /// The results of the phones, in their order.
    public private(set) var phones: [PhoneResult] = []
    /// The number of times that locks were released.
    public private(set) var openings = 0
    /// The same of each reader, in their order.
    public private(set) var openingsByReader: [Int] = []
    /// The expectations of the door that do not hold, and the rules that were broken, one line each.
    public private(set) var failures: [String] = []
    /// The rules that were broken.
    public private(set) var broken: Set<Rule> = []
    /// All events.
    public let timeline: [TimelineEntry]
    /// A hash over all events: equal for equal runs.
    public let fingerprint: UInt64
    /// The octets of the capture; empty if nothing was captured.
    public let captured: [UInt8]

    /// True if everything was as expected.
    public var isAsExpected: Bool { failures.isEmpty && phones.allSatisfy(\.isAsExpected) }

    /// The sensitivity of the radios: below, nothing is received. That of a common controller at 1 Mbit/s.
    private static let sensitivity: Int8 = -95
    /// The time after the end by which every link has ended: the longest supervision time-out of the phones, and a
    /// second.
    private static let timeToEnd = Duration.seconds(6)

    /// Runs a scenario.
    ///
    /// - Parameter capture: takes packets and events until the scenario's end.
    /// - Throws: only if the cryptographic library rejects the keys.
    public init(_ scenario: SiteScenario, seed: UInt64, capture: AirCapture? = nil) throws {
        self.seed = seed
        let site = try SiteRun.site(scenario, seed, capture)
        site.run(until: scenario.end)
        captured = site.endCapture()
        let told = Dictionary(grouping: site.phoneNotices, by: \.phone)
        for (index, phone) in scenario.phones.enumerated() {
            phones.append(PhoneResult(phone, told[index] ?? [], SiteRun.names(scenario)))
        }
        openingsByReader = site.readers.map { $0.lines.edges(of: .lock).count(where: \.level) }
        openings = openingsByReader.reduce(0, +)
        timeline = site.timeline
        fingerprint = SiteRun.fingerprint(timeline)
        note(.door, scenario.failures(openings, openingsByReader, timeline))
        let end = Instant.origin + scenario.end
        for (reader, plan) in zip(site.readers, scenario.readers) {
            note(.cause, reader.releasesWithoutCause)
            let causes = reader.allowed(pulse: plan.door.pulse, until: end)
            note(.hold, LockRule.overstayed(released: reader.released(until: end), causes: causes))
        }
        site.removePhones()
        site.run(until: scenario.end + SiteRun.timeToEnd)
        if site.hasLinks { note(.slots, ["a link stands \(SiteRun.timeToEnd) after all phones are gone"]) }
        note(.controllers, site.violations)
        if !phones.allSatisfy(\.isAsExpected) { broken.insert(.phones) }
    }

    private mutating func note(_ rule: Rule, _ texts: [String]) {
        guard !texts.isEmpty else { return }
        broken.insert(rule)
        failures += texts
    }

    private static func site(
        _ scenario: SiteScenario, _ seed: UInt64, _ capture: AirCapture?
    ) throws -> VirtualSite {
        let site = VirtualSite(
            seed: seed, walls: scenario.walls, epochAtStart: scenario.start.epochSeconds, sensitivity: sensitivity,
            capture: capture)
        for (index, reader) in scenario.readers.enumerated() {
            try site.addReader(
                reader.name, at: reader.place, controller: reader.controller,
                configuration: configuration(reader, index), identity: identity(), door: reader.door)
        }
        site.schedule(scenario.events)
        let scalar = DemoIdentity.terminalScalar
        let terminal = try P256PrivateKey(scalar: scalar.span).publicKey
        var tokens: [String: [(SiteScenario.Credential, [UInt8])]] = [:]
        for phone in scenario.phones {
            // Equal credentials have equal tokens, and a signature costs more than a second on the air.
            let known = tokens[phone.credential.id]?.first { $0.0 == phone.credential }?.1
            let token = try known ?? phone.credential.token()
            if known == nil { tokens[phone.credential.id, default: []].append((phone.credential, token)) }
            var plan = AccessPhoneConfiguration(
                service: AccessConfiguration(modes: []).identifiers.accessService,
                token: token, terminal: terminal)
            plan.connectsAt = phone.connectsAt
            plan.attempts = phone.attempts
            plan.retryAfterSuccess = nil
            if let preset = phone.preset { plan.become(preset) }
            if let interval = phone.interval { plan.connection.interval = interval }
            var carried = PhonePlan(phone.name, plan, phone.walk)
            if let preset = phone.preset { carried.controller = ControllerProfile(preset) }
            site.add(carried)
        }
        return site
    }

    /// The addresses of a reader's modes.
    private static func addresses(_ index: Int) -> [BluetoothAddress] {
        (0..<2).map { .randomStatic(from: 0x0123_4567_89AB + 2 * UInt64(index) + $0) }
    }

    private static func configuration(_ reader: SiteScenario.Reader, _ index: Int) -> AccessConfiguration {
        let addresses = addresses(index)
        var configuration = AccessConfiguration(modes: [
            .init(mode: .onTouch, address: addresses[0], gate: reader.gate),
            .init(mode: .access, address: addresses[1], gate: reader.gate),
        ])
        configuration.maximumLinks = reader.links
        return configuration
    }

    /// The name of the reader behind each address.
    private static func names(_ scenario: SiteScenario) -> [BluetoothAddress: String] {
        var names: [BluetoothAddress: String] = [:]
        for (index, reader) in scenario.readers.enumerated() {
            for address in addresses(index) { names[address] = reader.name }
        }
        return names
    }

    /// The published identity, whose signatures are the same in equal runs.
    private static func identity() throws -> ReaderIdentity {
        let (scalar, point) = (DemoIdentity.terminalScalar, DemoIdentity.signaturePoint)
        return try ReaderIdentity(
            deviceID: DemoIdentity.deviceID, terminalKey: RepeatableKey(scalar: scalar.span),
            signatureKey: P256PublicKey(point: point.span))
    }

    /// FNV-1a over the texts and times of all events.
    private static func fingerprint(_ timeline: [TimelineEntry]) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for entry in timeline {
            for octet in "\(entry.seconds) \(entry.who) \(entry.text)\n".utf8 {
                hash = (hash ^ UInt64(octet)) &* 0x100_0000_01B3
            }
        }
        return hash
    }
}

extension SiteRun.PhoneResult {
    fileprivate init(
        _ phone: SiteScenario.Phone, _ notices: [(phone: Int, at: Instant, notice: AccessPhoneNotice)],
        _ readers: [BluetoothAddress: String]
    ) {
        name = phone.name
        connections = notices.count { $0.notice == .connected }
        result = connections == 0 ? .unseen : .refused
        var end: Instant?
        var visited: String?
        for (_, at, notice) in notices where result != .opened {
            switch notice {
            case .found(let address, _): visited = readers[address]
            case .completed: (result, end, status, reader) = (.opened, at, nil, visited)
            case .failed(let failure):
                (result, end, reader) = (.denied, at, visited)
                status = Int((failure.terminal ?? failure.code).rawValue)
            default: break
            }
        }
        after = end.map { $0 - (.origin + (phone.walk.points.first?.at ?? .zero)) }
        isAsExpected = true
        isAsExpected = phone.expected.holds(self)
    }
}

extension SiteScenario.Expectation {
    fileprivate func holds(_ phone: SiteRun.PhoneResult) -> Bool {
        guard results.isEmpty || results.contains(phone.result) else { return false }
        guard reader == nil || reader == phone.reader else { return false }
        guard status == nil || status == phone.status else { return false }
        return within.map { limit in phone.after.map { $0 <= limit } ?? false } ?? true
    }
}

extension SiteScenario {
    /// The expectations of the door that do not hold.
    fileprivate func failures(_ openings: Int, _ byReader: [Int], _ timeline: [TimelineEntry]) -> [String] {
        var failures: [String] = []
        if let expected = self.openings, expected != openings {
            failures.append("the lock was released \(openings) times, and \(expected) were expected")
        }
        for (reader, count) in zip(readers, byReader) {
            guard let expected = reader.openings, expected != count else { continue }
            failures.append("the lock of \(reader.name) was released \(count) times, and \(expected) were expected")
        }
        let people = Set(phones.map(\.name) + ["site"])
        let texts = timeline.lazy.filter { !people.contains($0.who) }.map(\.text)
        for text in told where !texts.contains(where: { $0.contains(text) }) {
            failures.append("never told: \(text.debugDescription)")
        }
        return failures
    }
}

extension ControllerProfile {
    /// The controller of a kind of phone.
    init(_ preset: PhonePreset) {
        self = preset.isLegacy ? .legacy : .modern
        eventsToUpdate = preset.eventsToUpdate
    }
}

extension SiteScenario.Credential {
    /// The key of a stranger.
    private static let strangersScalar = InlineArray<32, UInt8>(repeating: 0x11)

    /// The token of a phone.
    fileprivate func token() throws -> [UInt8] {
        let signatureKey = isOfSite ? DemoIdentity.signatureScalar : SiteScenario.Credential.strangersScalar
        return try TokenIssuer(signatureKey: RepeatableKey(scalar: signatureKey.span))
            .commandToken(credentialID: id, command: .open, validity: validity)
    }
}
