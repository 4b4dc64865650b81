// SPDX-License-Identifier: Apache-2.0

import Console
import JSON
import Peripheral
import Timekeeping
import VirtualRadio

/// A straight way on the floor plan, at constant speed.
struct AirLeg: Equatable {
    var from: FloorPoint
    var to: FloorPoint
    var begins: Instant
    var lasts: Duration

    init(at point: FloorPoint, _ begins: Instant) {
        self.init(from: point, to: point, begins: begins, lasts: .zero)
    }

    init(from: FloorPoint, to: FloorPoint, begins: Instant, lasts: Duration) {
        (self.from, self.to, self.begins, self.lasts) = (from, to, begins, lasts)
    }

    /// The place at a time.
    func place(at now: Instant) -> FloorPoint {
        guard lasts > .zero, now < begins + lasts else { return to }
        let share = max(0, (now - begins) / lasts)
        return FloorPoint(from.x + share * (to.x - from.x), from.y + share * (to.y - from.y))
    }
}

/// The floor plan: places in metres, walls, and the messages for a page.
extension AirSession {
    func move(_ number: Int, to point: FloorPoint, within duration: Duration) -> TypedAnswer {
        let present = places[number].leg?.place(at: air.now) ?? point
        places[number].leg = AirLeg(from: present, to: point, begins: air.now, lasts: duration)
        moveOn(number)
        return TypedAnswer(lines: ["\(names[number]): to (\(AirText.metres(point.x)), \(AirText.metres(point.y)))"])
    }

    func carry(_ number: Int, _ carry: Propagation.Carry) -> TypedAnswer {
        places[number].carry = carry
        moveOn(number)
        return TypedAnswer(lines: ["\(names[number]): \(carry.rawValue)"])
    }

    func build(_ walls: [Wall]) -> TypedAnswer {
        self.walls = walls
        for number in places.indices { moveOn(number) }
        return TypedAnswer(lines: ["\(walls.count) walls on the floor plan"])
    }

    /// Forgets where a place stands after its level was set: the first place stays.
    func leaveFloor(_ pair: AirOrder.PlacePair) {
        for number in [pair.one, pair.other] where number > 0 { places[number].leg = nil }
    }

    /// Sets the levels between a place and the others on the floor plan from its leg. Of two that move, the other is
    /// where it goes.
    private func moveOn(_ number: Int) {
        guard let leg = places[number].leg else { return }
        let rest = max(leg.begins + leg.lasts - air.now, .zero)
        for other in places.indices where other != number {
            guard let end = places[other].leg?.to else { continue }
            let track = Track(from: leg.place(at: air.now), to: leg.to, receiver: end, walls: walls)
            // The loss of both, since either may be in a pocket.
            var propagation = Propagation(carry: places[number].carry)
            propagation.levelAtOneMetre -= places[other].carry.loss
            let (one, two) = (places[number].controller, places[other].controller)
            for (from, to) in [(one, two), (two, one)] {
                air.move(from: from, to: to, along: track, duration: rest, propagation)
            }
        }
    }

    /// The floor plan, as of `readerlab play`: the first place is drawn as the reader.
    var plan: JSONObject {
        [
            "event": "plan", "name": "air", "plays": false, "needs-floor": false,
            "readers": [reader(["at": AirSession.json(places[0].leg?.to ?? FloorPoint(0, 0))], status?.gate)],
            "walls": walls.map { wall in
                [
                    "from": AirSession.json(wall.from), "to": AirSession.json(wall.to), "db": Int(wall.attenuation),
                ] as JSONObject
            },
        ]
    }

    /// The places with their levels at the first.
    var scene: JSONObject {
        let linked = Set(linked)
        return [
            "event": "scene", "at-ms": status == nil ? nil : elapsed.wholeMilliseconds,
            "phones": places.indices.dropFirst().map { number in
                let (place, reader) = (places[number], places[0])
                var phone: JSONObject = ["name": names[number], "on": place.isTaken, "carry": place.carry.rawValue]
                let level = air.rssi(from: place.controller, to: reader.controller)
                if let leg = place.leg {
                    phone.add("at", AirSession.json(leg.place(at: air.now)))
                } else if let metres = air.metres(from: place.controller, to: reader.controller) {
                    phone.add("metres", JSONLiteral(AirText.metres(metres)))
                } else {
                    phone.add("dbm", level)
                }
                phone.add("levels", [Int(level)])
                phone.add("links", linked.contains(names[number]) ? [names[0]] : [])
                return phone
            },
            "readers": [reader(["power": places[0].isTaken], status?.door)],
        ]
    }

    private func reader(_ members: JSONObject, _ observed: JSONObject?) -> JSONObject {
        var reader: JSONObject = ["name": names[0]]
        reader.add(contentsOf: members)
        if let observed { reader.add(contentsOf: observed) }
        return reader
    }

    /// A notice of the observed reader, as an event of the air: with the phone, if the link is new.
    func entry(of notice: JSONNode) -> JSONObject {
        let link = notice["link"]?.written
        if let link, notice["what"]?.content == .string("connected") {
            let known = Set(observedLinks.values)
            observedLinks[link] = linked.first { !known.contains($0) }
        }
        defer {
            if let link, notice["what"]?.content == .string("disconnected") { observedLinks[link] = nil }
        }
        var kind = "notice"
        if case .string(let text)? = notice["what"]?.content { kind = text }
        var entry: JSONObject = [
            "event": kind, "at-ms": elapsed.wholeMilliseconds, "place": names[0],
            "phone": link.flatMap { observedLinks[$0] },
        ]
        if let link { entry.add("link", json: link) }
        if let level = notice["rssi-dbm"] { entry.add("rssi", json: level.written) }
        if let text = notice["text"] { entry.add("text", json: text.written) }
        return entry
    }

    /// The names of the places with a link to the first.
    private var linked: [String] {
        air.openLinks.compactMap { link in
            let ends = [link.central, link.peripheral].compactMap(\.self).map(number)
            return ends.contains(0) ? ends.first { $0 != 0 }.map { names[$0] } : nil
        }
    }

    private static func json(_ point: FloorPoint) -> JSONLiteral {
        JSONLiteral("[\(AirText.metres(point.x)),\(AirText.metres(point.y))]")
    }
}
