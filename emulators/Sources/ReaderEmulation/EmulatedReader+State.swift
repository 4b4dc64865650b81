// SPDX-License-Identifier: Apache-2.0

import Credentials
public import Emulation
import JSON
import Proximity
import Reader
import Timekeeping

extension EmulatedReader {
    /// The state of the reader, for a page.
    public var observed: ObservedState {
        let door = device.reader.doorStatus
        let gate = ProximityGate.Configuration()
        let onOff = ["on", "off"]
        func word(_ isOn: Bool) -> String { isOn ? "on" : "off" }
        return ObservedState(
            switches: [
                .init("rssi", distance(gate), of: ["real", "near", "too-far", "well-under", "none"]),
                .init("door", door.standsOpen ? "open" : "closed", of: ["open", "closed"]),
                .init("lockdown", word(door.isLockdown), of: onOff), .init("fire", word(door.isFire), of: onOff),
                .init("pool", configuration.maximumLinks == 0 ? "full" : "free", of: ["full", "free"]),
                .init("disk", disk.condition.rawValue, of: ReaderDisk.Condition.allCases.map(\.rawValue)),
                .init("clock", clock.civilTime(at: now) == nil ? "unset" : "real", of: ["real", "unset"]),
            ],
            faults: plan.observed + (field?.observed ?? []),
            details: [
                "lock": [
                    "state": door.state.rawValue, "open": door.standsOpen, "alarm": door.alarm?.rawValue,
                    "unlocked": door.isUnlocked, "lockdown": door.isLockdown,
                ] as JSONObject,
                "gate": [
                    "threshold-dbm": Int(gate.threshold), "window-ms": gate.window.wholeMilliseconds,
                    "samples": gate.samples,
                ] as JSONObject,
                "field": field.map { field -> JSONObject in
                    ["kinds": field.settings.kinds.map(\.rawValue), "listed": field.settings.cards.count]
                },
            ])
    }

    /// The word of `rssi` for the readings that the gate gets.
    private func distance(_ gate: ProximityGate.Configuration) -> String {
        switch wire.reading {
        case nil: "real"
        case 127?: "none"
        case let level?:
            ReaderDistance.margins.first { Int(gate.threshold) + $0.value == Int(level) }?.key ?? "\(level)"
        }
    }
}
