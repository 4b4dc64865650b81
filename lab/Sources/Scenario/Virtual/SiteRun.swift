// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Peripheral
import Phone
import Reader
import Timekeeping
public import VirtualRadio

/// A site at which a scenario was played.
protocol PlayedSite {
    /// The readers.
    var readers: [SiteReader] { get }
    /// The phones.
    var phones: [ScenarioPhone] { get }
    /// All events.
    var timeline: [TimelineEntry] { get }
    /// The notices of each phone, with its index and the time.
    var phoneNotices: [(phone: Int, at: Instant, notice: AccessPhoneNotice)] { get }
    /// The cards.
    var cards: [SiteCard] { get }
}

extension VirtualSite: PlayedSite {}

extension PlayedSite {
    /// The links that readers hold, one text each, with phone, address and reader.
    var heldLinks: [String] {
        readers.filter { $0.device.hasLinks }.flatMap { reader in
            let links = reader.links.sorted { $0.key.generation < $1.key.generation }.map { link, peer in
                let phone = phones.first { $0.phone.address == peer }
                return "\(link) of \(phone?.name ?? "an unknown phone") (\(peer)) at \(reader.name)"
            }
            return links.isEmpty ? ["a link without a phone at \(reader.name)"] : links
        }
    }
}

/// One run of a scenario: what each phone got, what the lock did, and what was broken.
public struct SiteRun: Sendable {
    /// The result of one phone or card.
    public struct PhoneResult: Equatable, Sendable {
        /// Its name.
        public var name: String
        /// The name of the reader that reported it; nil if none did.
        public var reader: String?
        /// Its first success, else the last status.
        public var result: SiteScenario.Result
        /// The time of the result after the first point of its way.
        public var after: Duration?
        /// The last status, if it was denied.
        public var status: Int?
        /// The reason in the reader's words, of a card that was denied or refused.
        public var reason: String?
        /// The number of its connections, of a card its activations.
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
    /// The results of the phones, in their order, and then of the cards.
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

    /// Runs a scenario.
    ///
    /// - Parameter capture: takes packets and events until the scenario's end.
    /// - Throws: only if the cryptographic library rejects the keys.
    public init(_ scenario: SiteScenario, seed: UInt64, capture: AirCapture? = nil) throws {
        let site = try SiteRun.site(scenario, seed, capture)
        site.run(until: scenario.end)
        self.init(of: scenario, seed: seed, at: site, captured: site.endCapture())
        site.removePhones()
        site.run(until: scenario.end + scenario.timeToEnd)
        conclude(heldLinks: site.heldLinks, after: scenario.timeToEnd, violations: site.violations)
    }

    /// A run at its end: what phones got, and what the lock did.
    init(of scenario: SiteScenario, seed: UInt64, at site: some PlayedSite, captured: [UInt8] = []) {
        self.seed = seed
        self.captured = captured
        let told = Dictionary(grouping: site.phoneNotices, by: \.phone)
        for (index, phone) in scenario.phones.enumerated() {
            phones.append(PhoneResult(phone, told[index] ?? [], scenario.readerNames))
        }
        phones += zip(scenario.cards, site.cards).map { PhoneResult($0, $1) }
        openingsByReader = site.readers.map { $0.lines.edges(of: .lock).count(where: \.level) }
        openings = openingsByReader.reduce(0, +)
        timeline = site.timeline
        fingerprint = SiteRun.fingerprint(timeline)
        record(.door, scenario.failures(openings, openingsByReader, timeline))
        let end = Instant.origin + scenario.end
        for (reader, plan) in zip(site.readers, scenario.readers) {
            let place = scenario.readers.count > 1 ? "\(reader.name): " : ""
            record(.cause, reader.releasesWithoutCause.map { place + $0 })
            let causes = reader.allowed(pulse: plan.door.pulse, until: end)
            let overstayed = LockRule.overstayed(released: reader.released(until: end), causes: causes)
            record(.hold, overstayed.map { place + $0 })
        }
        if !phones.allSatisfy(\.isAsExpected) { broken.insert(.phones) }
    }

    /// Notes the links that are held, and the violations, this time after all phones are gone.
    mutating func conclude(heldLinks: [String], after time: Duration, violations: [String]) {
        record(.slots, heldLinks.map { "\($0) stands \(time.wholeMilliseconds) ms after all phones are gone" })
        record(.controllers, violations)
    }

    private mutating func record(_ rule: Rule, _ texts: [String]) {
        guard !texts.isEmpty else { return }
        broken.insert(rule)
        failures += texts
    }

    /// The site of a scenario, with its phones.
    static func site(
        _ scenario: SiteScenario, _ seed: UInt64, _ capture: AirCapture? = nil
    ) throws -> VirtualSite {
        let site = VirtualSite(
            seed: seed, walls: scenario.walls, epochAtStart: scenario.start.epochSeconds,
            sensitivity: SiteScenario.sensitivity, capture: capture)
        let desk = scenario.cards.isEmpty ? nil : try SiteCardDesk(scenario.cards)
        for (index, reader) in scenario.readers.enumerated() {
            try site.addReader(
                reader.name, at: reader.place, controller: reader.controller,
                configuration: reader.configuration(index, polls: !scenario.cards.isEmpty),
                identity: SiteScenario.identity(), door: reader.door,
                field: desk.map(reader.field))
        }
        for card in scenario.cards {
            site.add(try card.made(seed: seed, epoch: scenario.start.epochSeconds), at: scenario.readers)
        }
        site.schedule(scenario.events)
        for plan in try scenario.phonePlans() { site.add(plan) }
        return site
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

extension SiteRun.PhoneResult {
    fileprivate init(_ plan: SiteScenario.Card, _ card: SiteCard) {
        (name, connections) = (plan.name, card.activations)
        result = card.verdict?.result ?? (card.activations == 0 ? .unseen : .refused)
        (reader, after) = (card.verdict?.reader, card.verdict?.after)
        (status, reason) = (card.verdict?.status, card.verdict?.reason)
        isAsExpected = true
        isAsExpected = plan.expected.holds(self)
    }
}

extension SiteScenario.Expectation {
    fileprivate func holds(_ phone: SiteRun.PhoneResult) -> Bool {
        guard results.isEmpty || results.contains(phone.result) else { return false }
        guard reader == nil || reader == phone.reader else { return false }
        guard status == nil || status == phone.status else { return false }
        guard reason == nil || reason == phone.reason else { return false }
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
        let people = Set(phones.map(\.name) + cards.map(\.name) + ["site"])
        let texts = timeline.lazy.filter { !people.contains($0.who) }.map(\.text)
        for text in told where !texts.contains(where: { $0.contains(text) }) {
            failures.append("never told: \(text.debugDescription)")
        }
        return failures
    }
}
