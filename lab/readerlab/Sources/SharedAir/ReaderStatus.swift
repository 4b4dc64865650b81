// SPDX-License-Identifier: Apache-2.0

import JSON

/// The gate and the door of a running reader, as its control socket reports them (docs/operate/control.md).
struct ReaderStatus: Equatable {
    /// The members of the floor plan's reader: `threshold-dbm`, `window-ms`, `samples`.
    var gate = JSONObject()
    /// The members of the scene's reader: `door`, `lock`, `contact`, `lockdown`, and those of lights and buzzer.
    var door: JSONObject {
        var door = state
        for light in ReaderStatus.lights {
            if let isOn = levels[light.output] { door.add(light.member, isOn) }
        }
        return door
    }

    private var state: JSONObject
    /// The known levels of lights and buzzer, by the names of the control socket.
    private var levels: [String: Bool] = [:]

    private static let lights: [(output: String, member: String)] = [
        ("led-granted", "granted"), ("led-denied", "denied"), ("buzzer", "buzzer"),
    ]

    /// The status in an answer; nil for another line.
    init?(_ answer: JSONNode) {
        guard let door = answer["door"], case .string(let state)? = door["state"]?.content else { return nil }
        self.state = [
            "door": state, "lock": ["unlocked", "held-open"].contains(state),
            "contact": door["open"]?.content == .boolean(true), "lockdown": state == "lockdown",
        ]
        for light in ReaderStatus.lights {
            guard case .boolean(let isOn)? = door["lights"]?[light.output]?.content else { continue }
            levels[light.output] = isOn
        }
        guard let gate = answer["gate"] else { return }
        for name in ["threshold-dbm", "window-ms", "samples"] {
            if let value = gate[name] { self.gate.add(name, json: value.written) }
        }
    }

    /// Applies a change of an output.
    mutating func apply(_ change: JSONNode) {
        guard case .string(let name)? = change["name"]?.content, case .boolean(let isOn)? = change["on"]?.content
        else { return }
        levels[name] = isOn
    }
}
