// SPDX-License-Identifier: Apache-2.0

import Phone
import Timekeeping
import VirtualRadio

/// The ways of the phones.
extension VirtualSite {
    /// Takes a phone's next point, and switches the phone on if it is the first.
    func walk(_ phone: ScenarioPhone) {
        // The point of a way that the phone has left is void.
        guard let point = phone.ahead.first, .origin + point.at <= now else { return }
        phone.ahead.removeFirst()
        let next = phone.ahead.first ?? point
        phone.leg = (point, next)
        move(phone, from: point, to: next)
        if let entry = TimelineEntry(phone, point, towards: next, at: now) { timeline.append(entry) }
        guard !phone.isOn else { return }
        phone.isOn = true
        phone.phone.start(at: now)
    }

    /// Moves a phone past all readers.
    func move(_ phone: ScenarioPhone, from point: DistanceWalk.Point, to next: DistanceWalk.Point) {
        for reader in readers {
            for (from, to) in paths(reader, phone) {
                move(from, to, point, next, phone.plan.walk.propagation, reader.place)
            }
        }
    }

    private func move(
        _ from: VirtualController, _ to: VirtualController, _ point: DistanceWalk.Point, _ next: DistanceWalk.Point,
        _ propagation: Propagation, _ reader: FloorPoint
    ) {
        let duration = max(next.at - point.at, .nanoseconds(1))
        func approach(_ metres: (Double, Double)) {
            air.approach(from: from, to: to, metres: metres, duration: duration, propagation)
        }
        func pass(_ start: FloorPoint, _ end: FloorPoint) {
            let track = Track(from: start, to: end, receiver: reader, walls: walls)
            air.move(from: from, to: to, along: track, duration: duration, propagation)
        }
        switch (point.place, next.place) {
        case (.metres(let start), .metres(let end)): approach((start, end))
        case (.floor(let start), .floor(let end)): pass(start, end)
        case (.dBm(let start), .dBm(let end)):
            air.walk(from: from, to: to, start: start, end: end, duration: duration)
        // Two kinds have nothing between them.
        case (.metres(let metres), _): approach((metres, metres))
        case (.floor(let place), _): pass(place, place)
        case (.dBm(let level), _): air.setRSSI(from: from, to: to, dBm: level)
        }
    }
}

extension TimelineEntry {
    /// The entry for a phone at a point of its way, which is not yet switched on at the first; nil if nothing changes.
    init?(_ phone: ScenarioPhone, _ point: DistanceWalk.Point, towards next: DistanceWalk.Point, at now: Instant) {
        let arrives = !phone.isOn
        let moves = next.place != point.place
        guard arrives || moves else { return nil }
        let place = arrives ? "comes into range, \(point.place.text)" : "walks on from \(point.place.text)"
        var text = place
        if arrives, case .dBm = point.place { text += " at the reader" }
        if moves { text += ", to \(next.place.text) within \((next.at - point.at).wholeMilliseconds) ms" }
        self.init(now, phone.plan.name, .walks, text)
        if case .dBm(let level) = point.place { rssi = Int(level) }
    }
}
