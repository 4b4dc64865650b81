// SPDX-License-Identifier: Apache-2.0

public import Phone
import Reader
public import Statistics
import Timekeeping
import VirtualRadio

/// People per minute through one door: more of them than any turnstile lets through, with one kind of phone in their
/// hands, at a reader with so many links.
public struct PeopleBench: Equatable, Sendable {
    /// The numbers of links that are compared: a battery lock's, a wall reader's, the most of a small controller.
    public static let linkCounts = [1, 3, 7]
    /// The kinds of phones that are compared: an app in front, of both makers.
    public static let presets = ["iphone-foreground", "android-foreground"]
    /// The runs of each row: the fewest that bear an interval of the median.
    public static let runs = 6

    /// The time between two people. 300 a minute come; of turnstiles 20 to 60 a minute are known.
    private static let gap = Duration.milliseconds(200)
    private static let people = 60
    /// The time of counting, from the first one's arrival at the door: as long as people come.
    private static let counted = Duration.seconds(12)
    /// The way to the door, at 1.4 m/s.
    private static let way = (from: 8.0, to: 0.5, lasting: Duration.milliseconds(5360))

    /// The reader's links.
    public let links: Int
    /// The phones.
    public let preset: PhonePreset
    /// The people per minute who were let in, of each run.
    public private(set) var perMinute = Distribution<Double>([])

    /// A row without runs.
    public init(links: Int, preset: PhonePreset) { (self.links, self.preset) = (links, preset) }

    /// The scenario: everyone walks up, and stands there until the door opens.
    var scenario: SiteScenario {
        var scenario = SiteScenario()
        scenario.links = links
        scenario.door.pulse = .seconds(1)
        scenario.end = .seconds((PeopleBench.way.lasting + PeopleBench.counted).wholeMilliseconds / 1000 + 1)
        scenario.phones = (0..<PeopleBench.people).map { number in
            let start = PeopleBench.gap * number
            var phone = SiteScenario.Phone(
                name: "person \(number + 1)",
                walk: DistanceWalk([
                    .init(start, .metres(PeopleBench.way.from)),
                    .init(start + PeopleBench.way.lasting, .metres(PeopleBench.way.to)),
                ]))
            phone.preset = preset
            // As published apps have it, by default.
            phone.connectsAt = -60
            return phone
        }
        return scenario
    }

    /// Adds the run of a seed.
    ///
    /// - Throws: only if the cryptographic library rejects the keys.
    public mutating func run(seed: UInt64) throws {
        let run = try SiteRun(scenario, seed: seed)
        let end = PeopleBench.way.lasting + PeopleBench.counted
        let entered = zip(scenario.phones, run.phones).count { phone, result in
            let start = phone.walk.points.first?.at ?? .zero
            return result.result == .opened && result.after.map { start + $0 <= end } ?? false
        }
        perMinute = Distribution(perMinute.sorted + [Double(entered) * (.seconds(60) / PeopleBench.counted)])
    }
}
