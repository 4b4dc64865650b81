// SPDX-License-Identifier: Apache-2.0

public import Phone
import SeededNumbers
import Timekeeping
import VirtualRadio

/// One phone of a scenario, with its walk.
public struct PhonePlan: Sendable {
    /// The name in the timeline.
    public var name: String
    /// The configuration of the phone.
    public var configuration: AccessPhoneConfiguration
    /// The time at which it is switched on, and its level at the reader.
    public var walk: DistanceWalk
    /// The fluctuation of the level, ± dB.
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
    var phone: AccessPhone<SeededGenerator>
    /// The remaining points of the walk.
    var ahead: ArraySlice<DistanceWalk.Point>
    var isOn = false

    init(_ plan: PhonePlan, _ phone: consuming AccessPhone<SeededGenerator>) {
        self.plan = plan
        self.phone = phone
        ahead = plan.walk.points[...]
    }
}
