// SPDX-License-Identifier: Apache-2.0

public import Proximity
import Timekeeping

/// A reader's proximity gate on recorded signal strengths, as if each phone had connected again and again during its
/// take.
///
/// A controller keeps the signal strength of the last packet (Core 5.4, Vol 4, Part E, 7.5.4). A window begins with a
/// packet, and the next one with the first packet after its end.
public struct GateTrial: Sendable {
    /// The time between packets of the link.
    public enum Pace: Equatable, Sendable {
        /// Packets come when they were recorded, and are read once in this connection interval.
        case recorded(connectionInterval: Duration)
        /// One recorded packet in each connection interval, for takes with fewer packets than a connection has. The
        /// phone then moves slower than it did.
        case packets(connectionInterval: Duration)

        var connectionInterval: Duration {
            switch self {
            case .recorded(let interval), .packets(let interval): interval
            }
        }
    }

    /// One decision of the gate.
    public struct Window: Equatable, Sendable {
        /// The true distance at the start in metres; nil if it is not known.
        public let metres: Double?
        /// The time to the opening; nil if the gate stayed closed.
        public let openedAfter: Duration?
        /// The number of packets received during the window, or until the decision.
        public let packets: Int
    }

    /// The decisions on one trace.
    public struct Outcome: Equatable, Sendable {
        /// Windows with enough packets for the gate's median, decided.
        public var windows: [Window] = []
        /// Windows with fewer packets, which say nothing about the gate.
        public var sparse = 0
    }

    /// The gate's parameters.
    public var gate: ProximityGate.Configuration
    /// The link's packets.
    public var pace: Pace

    /// A trial of the gate, at the connection interval of phones in common use.
    public init(
        gate: ProximityGate.Configuration = .init(), pace: Pace = .recorded(connectionInterval: .milliseconds(30))
    ) {
        (self.gate, self.pace) = (gate, pace)
    }

    /// Decides all windows of a trace.
    public func run(_ trace: RSSITrace) -> Outcome {
        let plan = Plan(trace, self)
        return Outcome(windows: plan.starts.map { decide(trace, plan.times, $0) }, sparse: plan.sparse)
    }

    /// The windows of a trace, which do not depend on the threshold.
    struct Plan {
        /// The time of each packet.
        let times: [Duration]
        /// The first packet of each window with enough packets.
        private(set) var starts: [Int] = []
        /// The number of windows with fewer.
        private(set) var sparse = 0

        init(_ trace: RSSITrace, _ trial: GateTrial) {
            times = trial.times(of: trace)
            var first = 0
            while first < times.count {
                let end = trial.begun(at: times[first]).windowEnd
                // The take ends during the window: it might have opened later.
                guard let last = times.last, Instant.origin + last >= end else { break }
                let next = times[first...].firstIndex { Instant.origin + $0 >= end } ?? times.count
                if next - first < max(trial.gate.samples, 1) { sparse += 1 } else { starts.append(first) }
                first = next
            }
        }
    }

    /// The gate of a link that is established at this time of the take.
    private func begun(at time: Duration) -> ProximityGate {
        ProximityGate(configuration: gate, connectionInterval: pace.connectionInterval, at: Instant.origin + time)
    }

    private func times(of trace: RSSITrace) -> [Duration] {
        switch pace {
        case .recorded: trace.readings.map(\.at)
        case .packets(let interval): trace.readings.indices.map { interval * $0 }
        }
    }

    /// Gives the gate the last packet's signal strength each time it asks, in the window that begins with packet
    /// `first`.
    func decide(_ trace: RSSITrace, _ times: [Duration], _ first: Int) -> Window {
        let start = Instant.origin + times[first]
        var gate = begun(at: times[first])
        var last = first
        func window(openedAt opened: Instant?) -> Window {
            Window(
                metres: trace.readings[first].metres, openedAfter: opened.map { $0 - start }, packets: last - first + 1)
        }
        while true {
            let now = gate.nextDeadline
            switch gate.advance(to: now) {
            case .wait: continue
            case .decided: return window(openedAt: nil)
            case .sample: break
            }
            while last + 1 < times.count, Instant.origin + times[last + 1] <= now { last += 1 }
            switch gate.receive(.rssi(dBm: trace.readings[last].dBm), at: now) {
            case .near: return window(openedAt: now)
            case .windowEnded, .wellUnder, .pathLoss: return window(openedAt: nil)
            case nil: break
            }
        }
    }
}
