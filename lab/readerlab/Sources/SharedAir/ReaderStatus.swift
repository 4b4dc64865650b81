// SPDX-License-Identifier: Apache-2.0

import JSON

/// The gate and the door of a running reader, as its control socket reports them (docs/control.md).
struct ReaderStatus: Equatable {
    /// The members of the floor plan's reader: `threshold-dbm`, `window-ms`, `samples`.
    var gate = JSONObject()
    /// The members of the scene's reader: `door`, `lock`, `contact`, `lockdown`.
    var door = JSONObject()

    /// The status in an answer; nil for another line.
    init?(_ answer: JSONNode) {
        guard let door = answer["door"], case .string(let state)? = door["state"]?.content else { return nil }
        self.door = [
            "door": state, "lock": ["unlocked", "held-open"].contains(state),
            "contact": door["open"]?.content == .boolean(true), "lockdown": state == "lockdown",
        ]
        guard let gate = answer["gate"] else { return }
        for name in ["threshold-dbm", "window-ms", "samples"] {
            if let value = gate[name] { self.gate.add(name, json: value.written) }
        }
    }
}
