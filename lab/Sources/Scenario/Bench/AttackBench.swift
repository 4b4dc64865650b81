// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Phone
import Reader
public import Statistics
import Timekeeping
import VirtualRadio

/// The reason why an attack could not be tried.
enum AttackBenchFault: Error {
    /// The rightful phone did not open, so that there is nothing to replay.
    case noRecording
    /// The token has another form than the forger knows.
    case otherToken
}

/// The tries of one attack at a reader with the defaults, and the openings that came of it.
public struct AttackBench: Equatable, Sendable {
    /// The tries of each attack: without an opening, at most 6.0 % succeed (95 %, Wilson).
    public static let runs = 60

    /// The attack.
    public let attack: Attack
    /// The number of tries.
    public private(set) var tries = 0
    /// The number of tries in which the lock was released.
    public private(set) var openings = 0
    /// The tries that each answer was given to: a status, or none.
    public private(set) var answers: [String: Int] = [:]

    /// The level of the attacker's radio at the reader in dBm: as near as a hand.
    private static let level: Int8 = -42
    /// The time of a try: a link without progress ends within 3 s, and a scan begins with it.
    private static let length = Duration.seconds(10)

    /// An attack that was not tried.
    public init(_ attack: Attack) { self.attack = attack }

    /// The openings of the tries; nil without a try.
    public var share: Share? { Share(openings, of: tries) }

    /// Tries it once.
    ///
    /// - Throws: only if the cryptographic library rejects the keys.
    public mutating func run(seed: UInt64) throws {
        let (opened, status) = try outcome(seed)
        tries += 1
        if opened { openings += 1 }
        answers[opened ? "opened" : status.map { "status \($0)" } ?? "no answer", default: 0] += 1
    }

    private func outcome(_ seed: UInt64) throws -> (isOpened: Bool, status: Int?) {
        switch attack {
        case .relay(let delay):
            let run = try RelayedSite(scenario, seed: seed, delay: delay).play()
            return ((run?.openings ?? 0) > 0, run?.phones.first?.status)
        case .replay: return try replay(seed)
        case .changedIdentifier:
            let (own, others) = (Array("CRED000001".utf8), Array("CRED000002".utf8))
            return try present(seed) { try AttackBench.replace(own, others, in: &$0) }
        case .changedValidity:
            // The year of its end, as a varint: 2027 becomes 2028.
            return try present(seed) { try AttackBench.replace([0xEB, 0x0F], [0xEC, 0x0F], in: &$0) }
        case .stranger, .revoked, .ended, .early, .lostClock: return try present(seed) { _ in }
        }
    }

    /// Shows the token of the attack, changed.
    private func present(
        _ seed: UInt64, _ change: (inout [UInt8]) throws -> Void
    ) throws -> (isOpened: Bool, status: Int?) {
        var scenario = scenario
        let plans = try scenario.phonePlans()
        let phones = scenario.phones
        scenario.phones = []
        let site = try SiteRun.site(scenario, seed)
        for var plan in plans {
            try change(&plan.configuration.token)
            site.add(plan)
        }
        site.run(until: AttackBench.length)
        scenario.phones = phones
        let run = SiteRun(of: scenario, seed: seed, at: site)
        return (run.openings > 0, run.phones[0].status)
    }

    /// Opens with a rightful phone, and writes its frames again in another connection.
    private func replay(_ seed: UInt64) throws -> (isOpened: Bool, status: Int?) {
        var scenario = scenario
        guard var plan = try scenario.phonePlans().first else { throw AttackBenchFault.noRecording }
        let attacker = scenario.phones
        scenario.phones = []
        let site = try SiteRun.site(scenario, seed)
        plan.configuration.frames = .told
        site.add(plan)
        site.run(until: AttackBench.length)
        let recorded = site.phoneNotices.compactMap { notice in
            if case .wrote(let frame) = notice.notice { frame } else { nil }
        }
        guard site.readers[0].lines.edges(of: .lock).count(where: \.level) == 1, !recorded.isEmpty else {
            throw AttackBenchFault.noRecording
        }
        plan.configuration.frames = .replayed(recorded)
        plan.name = "replayer"
        plan.walk = .standing(from: AttackBench.length + .seconds(1), AttackBench.level)
        site.add(plan)
        site.run(until: AttackBench.length + AttackBench.length)
        scenario.phones = attacker + attacker
        let run = SiteRun(of: scenario, seed: seed, at: site)
        return (run.openings > 1, run.phones[1].status)
    }

    /// Replaces the last occurrence of some octets, which is in the contents, behind the signature.
    ///
    /// - Throws: if the octets do not occur, so that nothing would be attacked.
    static func replace(_ old: [UInt8], _ new: [UInt8], in token: inout [UInt8]) throws {
        let places = token.indices.filter { token[$0...].starts(with: old) }
        guard let place = places.last else { throw AttackBenchFault.otherToken }
        token.replaceSubrange(place..<place + old.count, with: new)
    }

    /// One phone at the reader, with the credential of the attack.
    private var scenario: SiteScenario {
        var scenario = SiteScenario()
        scenario.end = AttackBench.length
        var phone = SiteScenario.Phone(name: "attacker", walk: .standing(from: .milliseconds(500), AttackBench.level))
        phone.attempts = 1
        switch attack {
        case .stranger: phone.credential.isOfSite = false
        case .revoked:
            let id = OSSCredentialID(phone.credential.id)
            scenario.events = id.map { [.init(after: .zero, order: .blacklist($0))] } ?? []
        case .ended: phone.credential.validity.end = scenario.start.minute(before: 1)
        case .early: phone.credential.validity.start = scenario.start.minute(before: -1)
        case .lostClock: scenario.events = [.init(after: .zero, order: .clock(isSet: false))]
        default: break
        }
        scenario.phones = [phone]
        return scenario
    }
}

extension CivilTime {
    /// So many minutes earlier.
    fileprivate func minute(before minutes: Int64) -> CivilTime {
        CivilTime(epochSeconds: epochSeconds - 60 * minutes)
    }
}
