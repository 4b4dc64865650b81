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
    /// The number of times that the lock was released.
    public private(set) var openings = 0
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
        for (index, phone) in scenario.phones.enumerated() {
            phones.append(PhoneResult(phone, site.phoneNotices.filter { $0.phone == index }))
        }
        let rises = site.lines.edges(of: .lock).filter(\.level).map(\.instant)
        openings = rises.count
        timeline = site.timeline
        fingerprint = SiteRun.fingerprint(timeline)
        note(.door, scenario.failures(openings, timeline))
        note(.cause, SiteRun.withoutCause(site, rises))
        let end = Instant.origin + scenario.end
        note(
            .hold,
            LockRule.overstayed(
                released: site.released(until: end), causes: site.allowed(pulse: scenario.door.pulse, until: end)))
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

    /// The releases that have no cause among the grants of the reader and the orders to the door.
    private static func withoutCause(_ site: VirtualSite, _ rises: [Instant]) -> [String] {
        let grants = site.readerNotices.compactMap { at, notice in notice.isGrant ? at : nil }
        return LockRule.broken(rises: rises, grants: grants, orders: site.causes)
    }

    private static func site(
        _ scenario: SiteScenario, _ seed: UInt64, _ capture: AirCapture?
    ) throws -> VirtualSite {
        var configuration = AccessConfiguration(modes: [
            .init(mode: .onTouch, address: .randomStatic(from: 0x0123_4567_89AB), gate: scenario.gate),
            .init(mode: .access, address: .randomStatic(from: 0x0123_4567_89AC), gate: scenario.gate),
        ])
        configuration.maximumLinks = scenario.links
        let site = try VirtualSite(
            seed: seed, controller: scenario.controller, configuration: configuration, identity: identity(),
            door: scenario.door, epochAtStart: scenario.start.epochSeconds, sensitivity: sensitivity,
            capture: capture)
        site.schedule(scenario.events)
        let scalar = DemoIdentity.terminalScalar
        let terminal = try P256PrivateKey(scalar: scalar.span).publicKey
        for phone in scenario.phones {
            var plan = AccessPhoneConfiguration(
                service: configuration.identifiers.accessService, token: try phone.credential.token(),
                terminal: terminal)
            plan.connectsAt = phone.connectsAt
            plan.attempts = phone.attempts
            plan.retryAfterSuccess = nil
            site.add(PhonePlan(phone.name, plan, phone.walk))
        }
        return site
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
        _ phone: SiteScenario.Phone, _ notices: [(phone: Int, at: Instant, notice: AccessPhoneNotice)]
    ) {
        name = phone.name
        connections = notices.count { $0.notice == .connected }
        result = connections == 0 ? .unseen : .refused
        var end: Instant?
        for (_, at, notice) in notices where result != .opened {
            switch notice {
            case .completed: (result, end, status) = (.opened, at, nil)
            case .failed(let failure):
                (result, end) = (.denied, at)
                status = Int((failure.terminal ?? failure.code).rawValue)
            default: break
            }
        }
        after = end.map { $0 - (.origin + (phone.walk.points.first?.at ?? .zero)) }
        let expected = phone.expected
        isAsExpected = expected.holds(result, status: status, after: after)
    }
}

extension SiteScenario.Expectation {
    fileprivate func holds(_ result: SiteScenario.Result, status: Int?, after: Duration?) -> Bool {
        guard results.isEmpty || results.contains(result) else { return false }
        guard self.status == nil || self.status == status else { return false }
        return within.map { limit in after.map { $0 <= limit } ?? false } ?? true
    }
}

extension SiteScenario {
    /// The expectations of the door that do not hold.
    fileprivate func failures(_ openings: Int, _ timeline: [TimelineEntry]) -> [String] {
        var failures: [String] = []
        if let expected = self.openings, expected != openings {
            failures.append("the lock was released \(openings) times, and \(expected) were expected")
        }
        let texts = timeline.lazy.filter { $0.who == "reader" || $0.who == "door" }.map(\.text)
        for text in told where !texts.contains(where: { $0.contains(text) }) {
            failures.append("never told: \(text.debugDescription)")
        }
        return failures
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
