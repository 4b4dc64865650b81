public import Timekeeping

/// Decides, in a window after connecting, whether the phone on a link is near enough to be served.
///
/// The link is sampled at an even pace. As soon as the median of the last few readings reaches the threshold, the
/// phone is near. When the window ends first, or three readings in a row lie far under the threshold, it is far.
/// Nothing but readings can open the gate: a controller that measures nothing leaves it shut.
public struct ProximityGate: Sendable {
    /// How a gate decides.
    public struct Configuration: Equatable, Sendable {
        /// What the median has to reach, in dBm.
        public var threshold: Int8 = -60
        /// How long the phone has at most.
        public var window: Duration = .milliseconds(400)
        /// Time between two readings, unless the connection interval is longer.
        public var interval: Duration = .milliseconds(25)
        /// How many readings the median is taken of, 1 to `ProximityGate.maximumSamples`.
        public var samples: Int = 3

        /// The defaults.
        public init() {}
    }

    /// What the gate has decided.
    public enum Verdict: Equatable, Sendable {
        /// The phone is near; the median that showed it, in dBm.
        case near(median: Int8)
        /// The window ended without enough; the last median, in dBm, if there were readings for one.
        case windowEnded(median: Int8?)
        /// Three readings in a row were far under the threshold; the last of them, in dBm.
        case wellUnder(last: Int8)
    }

    /// The most readings a median may be taken of: at one every 25 ms, 15 fill the default window.
    public static let maximumSamples = 15
    /// How far under the threshold a reading must lie to count as hopeless, in dB: more than people and pockets cost.
    static let wellUnderMargin = 15
    /// How many hopeless readings in a row end the window early.
    static let wellUnderCount = 3
    /// The window never lasts longer, however slow the link: a slot is not to be held by a long connection interval.
    static let longestWindow = Duration.seconds(1)

    private let configuration: Configuration
    private let start: Instant
    private var connectionInterval: Duration
    /// The longest that the link has had.
    private var longestInterval: Duration
    private var readings = InlineArray<15, Int8>(repeating: 0)
    private var readingCount = 0
    private var hopelessInARow = 0
    private var sampleAt: Instant

    /// A gate for a link that came up at `now` with this connection interval. The first reading is due one interval
    /// later: before the phone's first packet there is nothing to read.
    public init(configuration: Configuration, connectionInterval: Duration, at now: Instant) {
        self.configuration = configuration
        self.connectionInterval = connectionInterval
        longestInterval = connectionInterval
        start = now
        sampleAt = now
        sampleAt = now + pace
    }

    /// When `advance` has something to say next: a reading to ask for, or the end of the window.
    public var nextDeadline: Instant { min(sampleAt, windowEnd) }

    /// When the window ends: long enough for one reading more than the median needs, and never over a second. It does
    /// not move back when the connection interval becomes shorter: the link has been slow so far.
    public var windowEnd: Instant {
        let needed = longestInterval * (samples + 1)
        return start + min(ProximityGate.longestWindow, max(configuration.window, needed))
    }

    /// The connection interval has changed; readings that lie closer together than it would be the same packet's.
    public mutating func connectionIntervalChanged(to interval: Duration) {
        connectionInterval = interval
        longestInterval = max(longestInterval, interval)
    }

    /// What to do at `now`.
    public enum Step: Equatable, Sendable {
        /// Nothing before `nextDeadline`.
        case wait
        /// Ask for a reading. If one is still outstanding, it is skipped: the next is due one interval later.
        case sample
        /// The window is over.
        case decided(Verdict)
    }

    /// Says what is due at `now`.
    public mutating func advance(to now: Instant) -> Step {
        if now >= windowEnd { return .decided(.windowEnded(median: median)) }
        guard now >= sampleAt else { return .wait }
        sampleAt = now + pace
        return .sample
    }

    /// Takes a reading; a verdict if it brings one. A reading at the window's end or later brings that to an end.
    public mutating func receive(_ evidence: DistanceEvidence, at now: Instant) -> Verdict? {
        if now >= windowEnd { return .windowEnded(median: median) }
        switch evidence {
        case .rssi(let dBm): return receive(reading: dBm)
        }
    }

    private mutating func receive(reading dBm: Int8) -> Verdict? {
        readings[readingCount % samples] = dBm
        readingCount += 1
        if let median, median >= configuration.threshold { return .near(median: median) }
        let hopeless = Int(dBm) <= Int(configuration.threshold) - ProximityGate.wellUnderMargin
        hopelessInARow = hopeless ? hopelessInARow + 1 : 0
        return hopelessInARow >= ProximityGate.wellUnderCount ? .wellUnder(last: dBm) : nil
    }

    private var samples: Int { min(max(configuration.samples, 1), ProximityGate.maximumSamples) }

    private var pace: Duration { max(configuration.interval, connectionInterval) }

    /// The median of the last `samples` readings; of an even number the weaker of the two in the middle.
    private var median: Int8? {
        guard readingCount >= samples else { return nil }
        var sorted = readings
        for index in 1..<max(samples, 2) where index < samples {
            var position = index
            while position > 0, sorted[position - 1] > sorted[position] {
                sorted.swapAt(position - 1, position)
                position -= 1
            }
        }
        return sorted[(samples - 1) / 2]
    }
}
