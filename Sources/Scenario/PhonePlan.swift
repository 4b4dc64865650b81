public import Phone
import Timekeeping

/// One phone of a scenario: what it is, and how it is carried.
public struct PhonePlan: Sendable {
    /// What people call it in the timeline.
    public var name: String
    /// What it looks for and shows.
    public var configuration: AccessPhoneConfiguration
    /// When it is switched on and how the reader hears it.
    public var walk: DistanceWalk
    /// Noise of the radio, in dB either way.
    public var fluctuation: UInt8 = 3

    /// A phone that is carried along `walk`.
    public init(_ name: String, _ configuration: AccessPhoneConfiguration, _ walk: DistanceWalk) {
        self.name = name
        self.configuration = configuration
        self.walk = walk
    }
}

/// A phone in a running scenario.
final class ScenarioPhone {
    let plan: PhonePlan
    var phone: AccessPhone<SeededRandom>
    /// The next points of the walk that are still ahead.
    var ahead: ArraySlice<DistanceWalk.Point>
    var isOn = false

    init(_ plan: PhonePlan, _ phone: consuming AccessPhone<SeededRandom>) {
        self.plan = plan
        self.phone = phone
        ahead = plan.walk.points[...]
    }
}
