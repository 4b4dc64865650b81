// SPDX-License-Identifier: Apache-2.0

import Devices
import Emulation
import JSON
import MatterNode
import MatterTLV

extension MatterEmulation {
    /// The state of the device, for a page.
    var observed: ObservedState {
        let onOff = ["on", "off"]
        var state = ObservedState(
            switches: [
                .init("window", node.window == nil ? "closed" : "open", [("open", "button"), ("closed", "close")])
            ],
            faults: faults.map(\.observed),
            details: [
                "fabrics": node.fabrics.map { fabric -> JSONObject in
                    [
                        "index": Int(fabric.index.rawValue), "label": fabric.label,
                        "vendor": Int(fabric.vendor.rawValue),
                    ]
                }
            ])
        switch device {
        case .lock:
            let value = node.lockState.map { $0 == .locked ? "locked" : $0 == .unlocked ? "unlocked" : "\($0)" }
            state.switches.append(
                .init("bolt", value ?? "unknown", [("locked", "lock"), ("unlocked", "unlock"), ("jammed", "jam")]))
        case .light, .plug: state.switches.append(.init("power", node.isOn ? "on" : "off", of: onOff))
        case .contact: break
        }
        if let station { state.add(station) }
        return state
    }
}
