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
    var plan: PhonePlan
    /// Its place in the list of phones.
    let index: Int
    let controller: any SiteController
    var phone: AccessPhone<SeededGenerator>
    /// The remaining points of the walk.
    var ahead: ArraySlice<DistanceWalk.Point>
    /// The last point of the walk that was reached, and the next; nil before the first.
    var leg: (start: DistanceWalk.Point, end: DistanceWalk.Point)?
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

extension ScenarioPhone {
    /// The place at a time on the present leg; nil before the phone is switched on.
    func place(at now: Instant) -> DistanceWalk.Place? {
        guard let (start, end) = leg else { return nil }
        let share = start.at < end.at ? max(0, min((now - .origin - start.at) / (end.at - start.at), 1)) : 1
        func between(_ first: Double, _ last: Double) -> Double { first + share * (last - first) }
        return switch (start.place, end.place) {
        case (.metres(let first), .metres(let last)): .metres(between(first, last))
        case (.floor(let first), .floor(let last)):
            .floor(FloorPoint(between(first.x, last.x), between(first.y, last.y)))
        case (.dBm(let first), .dBm(let last)): .dBm(Int8(between(Double(first), Double(last)).rounded()))
        // Two kinds have nothing between them.
        default: start.place
        }
    }
}
