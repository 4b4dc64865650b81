// SPDX-License-Identifier: Apache-2.0

public import Phone
public import Statistics
import Timekeeping
import VirtualRadio

/// The time from the gate's threshold to the edge of the lock's line, of one kind of phone and connection interval.
///
/// The phone has been looking for readers for a while, out of range, and comes within range all at once: what counts is
/// scan, connection, gate and session, and not how fast a person walks.
public struct EdgeBench: Equatable, Sendable {
    /// The connection intervals that are compared, in addition to the intervals of the kinds of phones.
    public static let intervals = [15, 30, 50].map { Duration.milliseconds($0) }
    /// The runs of each row: enough for a 90th percentile.
    public static let runs = 40

    /// The time of scanning before the phone comes: from the longest interval of a scan to twice that.
    private static let scanning = (least: Duration.milliseconds(10_240), more: 10_240.0)
    /// The levels in dBm, out of range and at the door.
    private static let levels = (away: Int8(-126), here: Int8(-50))
    /// The patience of the person at the door: the longest interval of a scan, and another try.
    private static let patience = Duration.seconds(15)

    /// The phone.
    public let preset: PhonePreset
    /// The connection interval.
    public let interval: Duration
    /// The times in milliseconds, of the runs in which the door opened.
    public private(set) var times = Distribution<Double>([])
    /// The number of runs.
    public private(set) var count = 0

    /// A row without runs.
    public init(preset: PhonePreset, interval: Duration) { (self.preset, self.interval) = (preset, interval) }

    /// The time at which the phone comes: equal seeds and more of them are spread evenly over the scan's interval.
    static func arrival(_ seed: UInt64) -> Duration {
        // The golden section of 2⁶⁴ (Knuth, The Art of Computer Programming, 6.4).
        let share = Double((seed &* 0x9E37_79B9_7F4A_7C15) >> 11) * 0x1p-53
        return scanning.least + .microseconds(Int64(share * scanning.more * 1000))
    }

    func scenario(seed: UInt64) -> SiteScenario {
        let arrival = EdgeBench.arrival(seed)
        var scenario = SiteScenario()
        scenario.end = arrival + EdgeBench.patience
        var phone = SiteScenario.Phone(
            name: "phone",
            walk: DistanceWalk([
                .init(.zero, EdgeBench.levels.away), .init(arrival - .microseconds(1), EdgeBench.levels.away),
                .init(arrival, EdgeBench.levels.here),
            ]))
        phone.preset = preset
        phone.interval = interval
        scenario.phones = [phone]
        return scenario
    }

    /// Adds the run of a seed.
    ///
    /// - Throws: only if the cryptographic library rejects the keys.
    public mutating func run(seed: UInt64) throws {
        let run = try SiteRun(scenario(seed: seed), seed: seed)
        count += 1
        let edge = run.timeline.first { $0.event == .edge && $0.output == "lock" && $0.level == true }
        guard let edge else { return }
        let arrival = Double(EdgeBench.arrival(seed).wholeNanoseconds) / 1e9
        times = Distribution(times.sorted + [(edge.seconds - arrival) * 1000])
    }
}
