// SPDX-License-Identifier: Apache-2.0

import Timekeeping
import VirtualRadio

/// Changes by hand while the site runs: phones that are carried elsewhere, walls, orders.
extension VirtualSite {
    /// Carries a phone to a place, and drops the rest of its way.
    ///
    /// - Parameters:
    ///   - time: the beginning, which is later than now.
    ///   - duration: the time until it arrives. Between places of different kinds it arrives at once.
    func carry(_ phone: ScenarioPhone, to place: DistanceWalk.Place, from time: Duration, within duration: Duration) {
        var points = [DistanceWalk.Point(time, place)]
        if duration > .zero, let present = phone.place(at: .origin + time)?.ofFile, present.isSameKind(as: place) {
            points = [.init(time, present), .init(time + duration, place)]
        }
        phone.plan.walk.points = phone.plan.walk.points.filter { $0.at < time } + points
        phone.ahead = points[...]
        for point in points { walks.add(phone.index, at: .origin + point.at) }
    }

    /// Carries a phone in another way from now on.
    func carry(_ phone: ScenarioPhone, in carry: Propagation.Carry) {
        phone.plan.walk.propagation.carry = carry
        moveOn(phone)
    }

    /// Replaces the walls.
    func build(_ walls: [Wall]) {
        self.walls = walls
        for phone in phones { moveOn(phone) }
    }

    /// Adds an order, after others of the same time.
    func add(_ event: SiteScenario.Event) {
        let place = orders.firstIndex { $0.after > event.after } ?? orders.endIndex
        orders.insert(event, at: place)
    }

    /// Computes the rest of a leg again, for what has changed around it.
    private func moveOn(_ phone: ScenarioPhone) {
        guard let leg = phone.leg, let place = phone.place(at: now) else { return }
        let start = DistanceWalk.Point(now - .origin, place)
        move(phone, from: start, to: leg.end.at > start.at ? leg.end : start)
    }
}

extension DistanceWalk.Place {
    /// The place to the millimetre, which a file repeats.
    var ofFile: DistanceWalk.Place {
        func rounded(_ metres: Double) -> Double { (metres * 1000).rounded() / 1000 }
        return switch self {
        case .dBm: self
        case .metres(let metres): .metres(rounded(metres))
        case .floor(let point): .floor(FloorPoint(rounded(point.x), rounded(point.y)))
        }
    }

    fileprivate func isSameKind(as other: DistanceWalk.Place) -> Bool {
        switch (self, other) {
        case (.dBm, .dBm), (.metres, .metres), (.floor, .floor): true
        default: false
        }
    }
}
