// SPDX-License-Identifier: Apache-2.0

import Console
import Emulation
import JSON
import Timekeeping
import VirtualRadio

/// The commands: levels, walks, walls, loss, and the list.
extension AirSession {
    /// Executes a command, except `quit`, and those of a field, which the caller executes.
    func execute(_ order: AirOrder, at now: Instant) -> TypedAnswer {
        advance(to: now)
        switch order {
        case .rssi(let pair, let dBm):
            leaveFloor(pair)
            for (from, to) in directions(pair) { air.setRSSI(from: from, to: to, dBm: dBm) }
            return TypedAnswer(lines: [pathLine(pair)])
        case .walk(let pair, let start, let end, let duration):
            leaveFloor(pair)
            for (from, to) in directions(pair) {
                air.walk(from: from, to: to, start: start, end: end, duration: duration)
            }
            let time = "\(IntervalText.milliseconds(duration)) ms"
            return TypedAnswer(lines: ["\(names(pair)): \(start) dBm, to \(end) dBm within \(time)"])
        case .approach(let pair, let start, let end, let duration, let carry):
            leaveFloor(pair)
            for (from, to) in directions(pair) {
                air.approach(
                    from: from, to: to, metres: (start, end), duration: duration, Propagation(carry: carry))
            }
            guard start != end else { return TypedAnswer(lines: [pathLine(pair)]) }
            let time = "\(IntervalText.milliseconds(duration)) ms"
            return TypedAnswer(lines: ["\(names(pair)): \(start) m, to \(end) m within \(time), \(carry.rawValue)"])
        case .move(let number, let point, let duration): return move(number, to: point, within: duration)
        case .carry(let number, let carry): return self.carry(number, carry)
        case .build(let wall):
            guard walls.count < AirSession.maximumWalls else {
                return TypedAnswer(lines: ["there are \(walls.count) walls: take one down"], isError: true)
            }
            return build(walls + [wall])
        case .takeDown(let number):
            guard walls.indices.contains(number - 1) else {
                return TypedAnswer(lines: ["there is no wall \(number); there are \(walls.count)"], isError: true)
            }
            var rest = walls
            rest.remove(at: number - 1)
            return build(rest)
        case .wall(let pair, let dB):
            for (from, to) in directions(pair) { air.setAttenuation(from: from, to: to, dB: dB) }
            return TypedAnswer(lines: [pathLine(pair)])
        case .loss(let pair, let share):
            for (from, to) in directions(pair) { air.setLoss(from: from, to: to, share: share) }
            return TypedAnswer(lines: [pathLine(pair)])
        case .field:
            return TypedAnswer(
                lines: ["this air has no field; start it with --nfc reader=pty:PATH --field unix:PATH"], isError: true)
        case .list: return list()
        case .help: return TypedAnswer(lines: AirOrder.helpLines)
        case .quit: return TypedAnswer(lines: ["the end"])
        }
    }

    private func directions(_ pair: AirOrder.PlacePair) -> [(VirtualController, VirtualController)] {
        let (one, other) = (places[pair.one].controller, places[pair.other].controller)
        return [(one, other), (other, one)]
    }

    private func names(_ pair: AirOrder.PlacePair) -> String {
        "\(places[pair.one].plan.name) and \(places[pair.other].plan.name)"
    }

    /// Returns a description such as `phone and reader: -62 dBm behind a wall of 12 dB, 0.3 lost`.
    private func pathLine(_ pair: AirOrder.PlacePair) -> String {
        let path = path(pair)
        var line = "\(names(pair)): \(path.dBm) dBm"
        if let metres = path.metres { line += " on average at \(AirText.metres(metres)) m" }
        if path.wall > 0 { line += " behind a wall of \(path.wall) dB" }
        if path.loss > 0 { line += ", \(path.loss) of the packets lost" }
        if path.dBm < AirSession.sensitivity { line += ", too weak to be received" }
        return line
    }

    private func path(_ pair: AirOrder.PlacePair) -> (
        dBm: Int8, metres: Double?, wall: UInt8, loss: Double
    ) {
        let (from, to) = (places[pair.one].controller, places[pair.other].controller)
        return (
            air.rssi(from: from, to: to), air.metres(from: from, to: to), air.attenuation(from: from, to: to),
            air.loss(from: from, to: to)
        )
    }

    private var pairs: [AirOrder.PlacePair] {
        places.indices.flatMap { one in
            places.indices.filter { $0 > one }.map { AirOrder.PlacePair(one: one, other: $0) }
        }
    }

    private func list() -> TypedAnswer {
        let links = air.openLinks
        var answer = TypedAnswer(lines: places.map(placeLine) + links.map(linkLine) + pairs.map(pathLine))
        answer.members.add("places", places.map(placeObject))
        answer.members.add("links", links.map(linkObject))
        answer.members.add("paths", pairs.map(pathObject))
        return answer
    }

    private func placeLine(_ place: Place) -> String {
        let width = names.map(\.count).max() ?? 0
        let name = TextColumn.padded(place.plan.name, width)
        let broken = place.violations > 0 ? ", broke \(place.violations) rules" : ""
        return "\(name)  \(place.controller.address)  \(place.isTaken ? "taken" : "free")\(broken)"
    }

    private func placeObject(_ place: Place) -> JSONObject {
        [
            "place": place.plan.name, "address": "\(place.controller.address)", "legacy": place.plan.isLegacy,
            "taken": place.isTaken, "violations": place.violations,
        ]
    }

    private func linkLine(_ link: LinkState) -> String {
        let peripheral = link.peripheral.map { places[number(of: $0)].plan.name } ?? "nobody"
        let interval = IntervalText.milliseconds(link.interval)
        return "link \(linkNumber(link.number)) from \(places[number(of: link.central)].plan.name) to "
            + "\(peripheral), interval \(interval) ms\(link.isEncrypted ? ", encrypted" : "")"
    }

    private func linkObject(_ link: LinkState) -> JSONObject {
        [
            "link": linkNumber(link.number), "central": places[number(of: link.central)].plan.name,
            "peripheral": link.peripheral.map { places[number(of: $0)].plan.name },
            "interval-ms": JSONLiteral(IntervalText.milliseconds(link.interval)), "encrypted": link.isEncrypted,
        ]
    }

    private func pathObject(_ pair: AirOrder.PlacePair) -> JSONObject {
        let path = path(pair)
        return [
            "one": places[pair.one].plan.name, "other": places[pair.other].plan.name, "dbm": path.dBm,
            "metres": path.metres.map { JSONLiteral(AirText.metres($0)) }, "wall-db": path.wall,
            "loss": JSONLiteral("\(path.loss)"),
        ]
    }
}
