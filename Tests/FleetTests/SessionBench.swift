// SPDX-License-Identifier: Apache-2.0

import Fleet
import TestSupport
import Testing
import Timekeeping

/// A session whose effects a test reads, on virtual time.
final class SessionBench {
    var session: FleetSession
    var now = Instant.origin
    let log: LogID

    init(homeAssistant: Bool = false, spread: Duration = .zero, seed: UInt64 = 1) throws {
        session = FleetSession(
            spread: spread, tellsHomeAssistant: homeAssistant, random: SplitMix64(seed: seed))
        log = try #require(LogID([UInt8](repeating: 7, count: 16)))
    }

    var reader: LinkReader {
        LinkReader(firmware: "1.0", device: "7761307931597753", name: "Front door", log: log, newest: 120)
    }

    /// The effects of an input.
    private func act(_ input: (inout FleetSession, Instant) -> Void) -> [FleetSession.Effect] {
        input(&session, now)
        return session.takeEffects()
    }

    func receive(_ report: LinkReport) -> [FleetSession.Effect] { act { $0.receive(report, at: $1) } }

    static let needed = ["mark", "cmd", "desired"].map { "acc/v1/7761307931597753/down/\($0)" }

    /// The broker accepts the connection, and grants every subscription.
    func connect(_ limits: BrokerLimits = BrokerLimits()) -> [FleetSession.Effect] {
        act { $0.establish(limits, at: $1) }
    }

    func mark(_ upTo: UInt64) -> [FleetSession.Effect] {
        let text = Array(DeliveryMark(log: log, upTo: upTo).text.utf8)
        return act { $0.receive(text, topic: "acc/v1/7761307931597753/down/mark", at: $1) }
    }

    func fail(_ failure: LinkFailure) -> [FleetSession.Effect] { act { $0.fail(failure, at: $1) } }

    func fail(_ fault: LinkFault) -> [FleetSession.Effect] { fail(LinkFailure(fault, "why")) }

    /// The broker closes, and gives no reason.
    func close() -> [FleetSession.Effect] { fail(LinkFailure(.lost, "why", isUnexplained: true)) }

    func acknowledge(
        _ purpose: FleetSession.Purpose, _ reason: UInt8, octets: Int = 2
    ) -> [FleetSession.Effect] {
        act { $0.acknowledge(purpose, octets: octets, reason: MQTTReason(reason), at: $1) }
    }

    /// The broker acknowledges what follows a connection.
    func acknowledgeBeginning() {
        for purpose in [FleetSession.Purpose.online, .firmware, .discovery, .state] { _ = acknowledge(purpose, 0) }
    }

    func wait(_ duration: Duration) -> [FleetSession.Effect] {
        now = now + duration
        return act { $0.advance(to: $1) }
    }

    /// Connected, with its state told and the mark known.
    func begun(at mark: UInt64 = 0) {
        _ = receive(.reader(reader))
        _ = wait(.zero)
        _ = connect()
        _ = receive(.state("{}"))
        _ = self.mark(mark)
    }

    static func batch(_ range: ClosedRange<UInt64>, gap: Bool = false) -> LinkReport {
        .batch("{\(range)}", covers: range, hasGap: gap)
    }

    static func read(_ first: UInt64, _ octets: Int = FleetLimits.batchCount) -> FleetSession.Effect {
        .request(.read(from: first, octets: octets))
    }

    static func status(_ effects: [FleetSession.Effect]) -> LinkStatus? {
        effects.compactMap { if case .request(.status(let status)) = $0 { status } else { nil } }.last
    }
}

extension FleetSession {
    /// The broker accepts the connection, and grants every subscription.
    mutating func establish(_ limits: BrokerLimits = BrokerLimits(), at now: Instant) {
        connect(limits, at: now)
        for topic in SessionBench.needed { subscribe(topic, MQTTReason(1), at: now) }
    }
}
