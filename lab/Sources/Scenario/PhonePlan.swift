// SPDX-License-Identifier: Apache-2.0

import Peripheral
public import Phone
import SeededNumbers
import Timekeeping
public import VirtualRadio

/// One phone of a scenario, with its walk.
public struct PhonePlan: Sendable {
    /// The name in the timeline.
    public var name: String
    /// The configuration of the phone.
    public var configuration: AccessPhoneConfiguration
    /// The phone's controller.
    public var controller = ControllerProfile.modern
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
final class ScenarioPhone: SiteParty {
    let plan: PhonePlan
    /// Its place in the list of phones.
    let index: Int
    let controller: any SiteController
    var phone: AccessPhone<SeededGenerator>
    /// The remaining points of the walk.
    var ahead: ArraySlice<DistanceWalk.Point>
    var isOn = false

    init(_ plan: PhonePlan, _ index: Int, on controller: any SiteController, _ random: SeededGenerator) {
        self.plan = plan
        self.index = index
        self.controller = controller
        let address = BluetoothAddress.randomStatic(from: 0x1000_0000 + UInt64(index))
        phone = AccessPhone(plan.configuration, address: address, random: random)
        ahead = plan.walk.points[...]
    }

    var name: String { plan.name }

    var nextDeadline: Instant? { isOn ? phone.nextDeadline : nil }

    func advance(to moment: Moment) {
        if isOn { phone.advance(to: moment.instant) }
    }

    func exchange(at moment: Moment) {
        controller.exchange(
            pop: { phone.popPacket(into: &$0) }, receive: { phone.receive($0, at: moment.instant) })
    }
}
