// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// The decision, in a window after connecting, whether the phone on a link is near enough to be served.
///
/// RSSI is sampled at a constant rate. The phone is near as soon as the median of the last readings reaches the
/// threshold. It is far when the window ends before, or after three readings in a row far below the threshold. Only
/// readings can open the gate: without them it stays closed.
///
/// A limit of the path loss is a further condition, never another way in: the median path loss of the same readings has
/// to be within it, and each of them needs the phone's transmit power.
public struct ProximityGate: Sendable {
    /// The parameters of a gate.
    public struct Configuration: Equatable, Sendable {
        /// The threshold for the median in dBm.
        public var threshold: Int8 = -60
        /// The duration of the window.
        public var window: Duration = .milliseconds(400)
        /// The time between two readings, unless the connection interval is longer.
        public var interval: Duration = .milliseconds(25)
        /// The number of readings in the median, 1 to `ProximityGate.maximumSamples`.
        public var samples: Int = 3
        /// The highest median path loss in dB; nil accepts any loss, even if it is unknown.
        public var maximumPathLoss: Int?

        /// The default parameters.
        public init() {}
    }

    /// The decision of a gate.
    public enum Verdict: Equatable, Sendable {
        /// The phone is near; the median in dBm.
        case near(median: Int8)
        /// The window has ended; the last median in dBm, nil if there were too few readings.
        case windowEnded(median: Int8?)
        /// Three readings in a row were far below the threshold; the last of them in dBm.
        case wellUnder(last: Int8)
        /// The window has ended, and the RSSI alone would do: the median path loss in dB, nil if the transmit power was
        /// not known for all readings.
        case pathLoss(median: Int?)
    }

    /// The maximum number of readings in a median: at one every 25 ms, 15 fill the default window.
    public static let maximumSamples = 15
    /// The margin in dB below the threshold from which a reading counts as far: more than bodies and pockets attenuate.
    static let wellUnderMargin = 15
    /// The number of such readings in a row that ends the window.
    static let wellUnderCount = 3
    /// The maximum duration of the window, so that a long connection interval does not occupy a slot for longer.
    static let longestWindow = Duration.seconds(1)
    /// A path loss without a transmit power: above all others, which are 146 dB at most.
    private static let unknownLoss = Int16.max

    private let configuration: Configuration
    private let start: Instant
    private var connectionInterval: Duration
    /// The longest connection interval that the link has had.
    private var longestInterval: Duration
    private var readings = InlineArray<15, Int16>(repeating: 0)
    /// The path losses of the readings.
    private var losses = InlineArray<15, Int16>(repeating: ProximityGate.unknownLoss)
    private var readingCount = 0
    private var consecutiveWellUnder = 0
    private var sampleAt: Instant

    /// Creates a gate for a link that was established at `now`. The first reading is due one interval later: there is
    /// no RSSI before the phone's first packet.
    public init(configuration: Configuration, connectionInterval: Duration, at now: Instant) {
        self.configuration = configuration
        self.connectionInterval = connectionInterval
        longestInterval = connectionInterval
        start = now
        sampleAt = now
        sampleAt = now + pace
    }

    /// The time of the next call of `advance`: the next reading, or the end of the window.
    public var nextDeadline: Instant { min(sampleAt, windowEnd) }

    /// The end of the window: at least one reading more than the median needs, at most one second. It does not move
    /// back if the connection interval becomes shorter, since the link was slow before.
    public var windowEnd: Instant {
        let needed = longestInterval * (samples + 1)
        return start + min(ProximityGate.longestWindow, max(configuration.window, needed))
    }

    /// Takes a change of the connection interval; readings at a shorter distance would be of the same packet.
    public mutating func connectionIntervalChanged(to interval: Duration) {
        connectionInterval = interval
        longestInterval = max(longestInterval, interval)
    }

    /// The action due at a time.
    public enum Step: Equatable, Sendable {
        /// Nothing before `nextDeadline`.
        case wait
        /// Request a reading. An outstanding reading is skipped: the next is due one interval later.
        case sample
        /// The gate has decided.
        case decided(Verdict)
    }

    /// Returns the action due at `now`.
    public mutating func advance(to now: Instant) -> Step {
        if now >= windowEnd { return .decided(end) }
        guard now >= sampleAt else { return .wait }
        sampleAt = now + pace
        return .sample
    }

    /// Takes a reading and returns the verdict if there is one. A reading at or after the window's end ends the window.
    public mutating func receive(_ evidence: DistanceEvidence, at now: Instant) -> Verdict? {
        if now >= windowEnd { return end }
        let loss = evidence.pathLoss.map { Int16($0) } ?? ProximityGate.unknownLoss
        switch evidence {
        case .rssi(let dBm, _): return receive(reading: dBm, loss)
        }
    }

    private mutating func receive(reading dBm: Int8, _ loss: Int16) -> Verdict? {
        readings[readingCount % samples] = Int16(dBm)
        losses[readingCount % samples] = loss
        readingCount += 1
        if let median, median >= configuration.threshold, isWithinPathLoss { return .near(median: median) }
        let isWellUnder = Int(dBm) <= Int(configuration.threshold) - ProximityGate.wellUnderMargin
        consecutiveWellUnder = isWellUnder ? consecutiveWellUnder + 1 : 0
        return consecutiveWellUnder >= ProximityGate.wellUnderCount ? .wellUnder(last: dBm) : nil
    }

    private var samples: Int { min(max(configuration.samples, 1), ProximityGate.maximumSamples) }

    private var pace: Duration { max(configuration.interval, connectionInterval) }

    /// The verdict at the end of the window.
    private var end: Verdict {
        guard let median, median >= configuration.threshold else { return .windowEnded(median: median) }
        return .pathLoss(median: medianLoss)
    }

    /// True without a limit of the path loss, and for a known median within it.
    private var isWithinPathLoss: Bool {
        guard let limit = configuration.maximumPathLoss else { return true }
        return medianLoss.map { $0 <= limit } ?? false
    }

    /// The median of the last `samples` readings; for an even number the weaker of the two middle ones.
    private var median: Int8? {
        readingCount >= samples ? Int8(truncatingIfNeeded: sorted(readings)[(samples - 1) / 2]) : nil
    }

    /// The median path loss of the same readings, for an even number the greater of the two middle values; nil if any
    /// reading lacks a transmit power.
    private var medianLoss: Int? {
        guard readingCount >= samples else { return nil }
        let losses = sorted(losses)
        return losses[samples - 1] == ProximityGate.unknownLoss ? nil : Int(losses[samples / 2])
    }

    /// The values with the first `samples` in ascending order.
    private func sorted(_ values: InlineArray<15, Int16>) -> InlineArray<15, Int16> {
        var sorted = values
        for index in 1..<max(samples, 2) where index < samples {
            var position = index
            while position > 0, sorted[position - 1] > sorted[position] {
                sorted.swapAt(position - 1, position)
                position -= 1
            }
        }
        return sorted
    }
}
