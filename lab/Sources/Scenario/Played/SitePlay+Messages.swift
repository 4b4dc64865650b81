// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
public import JSON
import Peripheral
import Phone
import Proximity
import Reader
import Timekeeping
import VirtualRadio

/// The messages: the floor plan, the events, and the observed state.
extension SitePlay {
    /// The floor plan of this run.
    var plan: JSONObject {
        [
            "event": "plan", "name": name, "about": scenario.about, "run": run, "seed": JSONLiteral("\(seed)"),
            "plays": true, "end-ms": scenario.end.wholeMilliseconds, "needs-floor": scenario.hasFloor,
            "readers": scenario.readers.map { reader in
                [
                    "name": reader.name, "at": reader.place.json, "threshold-dbm": reader.gate.threshold,
                    "window-ms": reader.gate.window.wholeMilliseconds, "samples": reader.gate.samples,
                    "near-m": JSONLiteral(SitePlay.decimal(metres(at: Double(reader.gate.threshold)))),
                ] as JSONObject
            },
            "walls": scenario.walls.map { wall in
                [
                    "from": wall.from.json, "to": wall.to.json,
                    "db": JSONLiteral(SitePlay.decimal(wall.attenuation)),
                ] as JSONObject
            },
        ]
    }

    /// The distance at which the first phone reaches a level on average, carried in the hand.
    private func metres(at level: Double) -> Double {
        var propagation = scenario.phones.first?.walk.propagation ?? Propagation()
        propagation.carry = .hand
        var (near, far) = (Propagation.nearest, Propagation.farthest)
        while far - near > 0.001 {
            let middle = (near + far) / 2
            if propagation.level(at: middle) > level { near = middle } else { far = middle }
        }
        return near
    }

    /// The observed state at present.
    public var scene: JSONObject {
        var scene: JSONObject = [
            "event": "scene", "at-ms": time.wholeMilliseconds, "run": run, "playing": isPlaying,
            "speed": JSONLiteral(SitePlay.decimal(speed)), "over": isOver,
            "phones": site.phones.map(object), "readers": site.readers.map(object),
        ]
        if let ending {
            scene.add("as-expected", ending.isAsExpected)
            scene.add("failures", ending.failures)
            scene.add(
                "results",
                ending.phones.map { phone in
                    [
                        "name": phone.name, "result": phone.result.rawValue,
                        "after-ms": phone.after?.wholeMilliseconds, "as-expected": phone.isAsExpected,
                    ] as JSONObject
                })
        }
        return scene
    }

    private func object(_ phone: ScenarioPhone) -> JSONObject {
        var object: JSONObject = [
            "name": phone.name, "on": phone.isOn, "carry": phone.plan.walk.propagation.carry.rawValue,
        ]
        let place = phone.place(at: site.now) ?? phone.ahead.first?.place
        switch place?.ofFile {
        case .floor(let point)?: object.add("at", point.json)
        case .metres(let metres)?: object.add("metres", JSONLiteral(SitePlay.decimal(metres)))
        case .dBm(let level)?: object.add("dbm", level)
        case nil: break
        }
        if phone.isOn {
            let levels = site.readers.map { reader in
                let (from, to) = site.paths(reader, phone)[0]
                return site.air.rssi(from: from, to: to)
            }
            object.add("levels", levels.map { Int($0) })
        }
        let linked = site.readers.filter { $0.links.values.contains { $0 == phone.phone.address } }
        object.add("links", linked.map(\.name))
        if let step = steps[phone.index] { object.add("step", step) }
        return object
    }

    /// The reader's door as its lines and its reader report it.
    private func object(_ reader: SiteReader) -> JSONObject {
        let door = reader.device.reader.doorStatus
        func level(_ output: DoorOutput) -> Bool { reader.lines.level(of: output) ?? false }
        return [
            "name": reader.name, "power": reader.isPowered, "controller": reader.isControllerWorking,
            "door": reader.isPowered ? door.state.rawValue : DoorState.inactive.rawValue, "lock": level(.lock),
            "granted": level(.grantedIndicator), "denied": level(.deniedIndicator), "buzzer": level(.buzzer),
            "contact": reader.levels[.contact] ?? false, "exit": reader.levels[.exit] ?? false,
            "fire": reader.levels[.fire] ?? false, "tamper": reader.levels[.tamper] ?? false,
            "lockdown": reader.isPowered && door.isLockdown, "links": reader.links.count,
        ]
    }

    /// Makes messages of what has happened since the last call.
    func collect() {
        for (index, reader) in site.readers.enumerated() {
            for (_, notice) in reader.notices[seen.notices[index]...] {
                switch notice {
                case .connected(let link, _, let peer):
                    let phone = site.phones.firstIndex { $0.phone.address == peer }
                    peers[reader.name, default: [:]][Int(link.generation)] = phone
                case .refused(let phone, .tooFar(let level?)), .refused(let phone, .wellUnder(let level)):
                    refusals[reader.name, default: [:]][Int(phone.number)] = Int(level)
                default: break
                }
            }
            seen.notices[index] = reader.notices.count
        }
        for entry in site.timeline[seen.entries...] { collect(entry) }
        seen.entries = site.timeline.count
    }

    private func collect(_ entry: TimelineEntry) {
        let own = site.phones.firstIndex { $0.name == entry.who }
        let phone = own ?? entry.link.flatMap { peers[entry.who]?[$0] }
        if let phone, ![.walks, .measured, .disconnected].contains(entry.event) {
            steps[phone] = own == nil ? "\(entry.who): \(entry.text)" : entry.text
        }
        // A phone that is dragged changes its way many times a second.
        if entry.event == .walks, isSteered(phone) { return }
        let refusal = entry.event == .refused ? entry.link.flatMap { refusals[entry.who]?[$0] } : nil
        messages.append([
            "event": entry.event.rawValue, "at-ms": JSONLiteral(SitePlay.decimal(entry.seconds * 1000)),
            "place": entry.who, "phone": phone.map { site.phones[$0].name }, "text": entry.text, "link": entry.link,
            "rssi": entry.rssi ?? refusal, "status": entry.status, "reason": entry.reason, "output": entry.output,
            "level": entry.level,
        ])
    }

    /// True if a phone's way is not the file's.
    private func isSteered(_ phone: Int?) -> Bool {
        phone.map { scenario.phones[$0].walk.points != original.phones[$0].walk.points } ?? false
    }

    /// A number with three decimals at most, and a whole number without its point.
    static func decimal(_ number: Double) -> String {
        let rounded = (number * 1000).rounded() / 1000
        return Int64(exactly: rounded).map { "\($0)" } ?? "\(rounded)"
    }
}

extension FloorPoint {
    fileprivate var json: JSONLiteral { JSONLiteral("[\(SitePlay.decimal(x)),\(SitePlay.decimal(y))]") }
}
