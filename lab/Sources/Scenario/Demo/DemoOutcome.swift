// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Phone
import Proximity
import Reader
import Timekeeping

/// The result of the demo.
public struct DemoOutcome: Sendable {
    /// The result of one phone.
    public struct PhoneResult: Equatable, Sendable, Encodable {
        /// Its name.
        public var name: String
        /// `opened`, `denied` or `refused`.
        public var result: String
        /// A description with numbers.
        public var summary: String
    }

    /// A description of the demo.
    public let introduction: [String]
    /// All events.
    public let timeline: [TimelineEntry]
    /// The result of each phone.
    public let phones: [PhoneResult]
    /// The duration of each opening of the lock.
    public let lockPulses: [Duration]
    /// The violations detected by the strict controllers, or empty.
    public let violations: [String]

    /// True if only the near phone opened the door, once and for one pulse.
    public var isAsExpected: Bool {
        phones.map(\.result) == ["refused", "opened", "denied"] && lockPulses == [.seconds(5)] && violations.isEmpty
    }

    init(_ site: VirtualSite, _ plans: [PhonePlan], _ configuration: AccessConfiguration) {
        let gate = configuration.modes.compactMap(\.gate).first ?? ProximityGate.Configuration()
        timeline = site.timeline
        lockPulses = DemoOutcome.pulses(site.readers[0].lines)
        violations = site.violations
        phones = plans.enumerated().map { index, plan in
            DemoOutcome.result(plan.name, site.phoneNotices.filter { $0.phone == index })
        }
        introduction = [
            "A reader and three phones on the virtual air; nothing here needs hardware.",
            "Modes \(configuration.modes.map(\.mode.rawValue).joined(separator: ", ")); near is \(gate.threshold) dBm "
                + "(median of \(gate.samples)) within \(gate.window.wholeMilliseconds) ms.",
        ]
    }

    private static func result(
        _ name: String, _ notices: [(phone: Int, at: Instant, notice: AccessPhoneNotice)]
    ) -> PhoneResult {
        var connected: Instant?
        for (_, at, notice) in notices {
            switch notice {
            case .connected: connected = at
            case .completed:
                let took = connected.map { ", \((at - $0).wholeMilliseconds) ms after connecting" } ?? ""
                return PhoneResult(name: name, result: "opened", summary: "opened the door" + took)
            case .failed(let failure):
                let code = failure.terminal ?? failure.code
                return PhoneResult(name: name, result: "denied", summary: "denied, status \(code.explained)")
            case .found, .wrote, .unusable, .disconnected: break
            }
        }
        let tries = notices.count { $0.notice == .connected }
        return PhoneResult(name: name, result: "refused", summary: "refused \(tries) time(s): not near enough")
    }

    private static func pulses(_ lines: SimulatedLines) -> [Duration] {
        var pulses: [Duration] = []
        var opened: Instant?
        for edge in lines.edges(of: .lock) {
            if edge.level {
                opened = edge.instant
            } else if let start = opened {
                pulses.append(edge.instant - start)
                opened = nil
            }
        }
        return pulses
    }
}
