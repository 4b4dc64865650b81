// SPDX-License-Identifier: Apache-2.0

public import Emulation
import JSON
public import Timekeeping

extension ActionCamera {
    /// The state of the camera, for a page. Only the latest recordings are listed.
    public func observed(at now: Instant) -> ObservedState {
        let onOff = ["on", "off"]
        func word(_ isOn: Bool) -> String { isOn ? "on" : "off" }
        let recordings = card.recordings
        return ObservedState(
            switches: [
                .init("power", word(isOn), [("on", "power on"), ("off", "power off")]),
                .init(
                    "recording", word(capture != nil),
                    capture == nil ? [("on", "button record")] : [("off", "button record")]),
                .init("mode", mode.kind.rawValue, of: CameraMode.Kind.allCases.map(\.rawValue)),
                .init("card", card.isPresent ? "in" : "out", [("in", "card insert"), ("out", "card pull")]),
                .init(
                    "space", card.ballast > 0 ? "taken" : "free", [("free", "card free"), ("taken", "card fill")]),
                .init("charging", word(surroundings.isCharging), of: onOff),
                .init("gnss", word(surroundings.hasFix), of: onOff),
            ],
            details: [
                "camera": [
                    "battery": surroundings.battery, "viewfinder": viewfinder.map { "\($0.host):\($0.port)" },
                    "recording-s": capture.map { Int((now - $0.start).components.seconds) },
                ] as JSONObject,
                "card": [
                    "free": freeBytes(at: now), "recordings": recordings.count, "photos": card.photos.count,
                    "latest": recordings.suffix(ActionCamera.listed).reversed().map { recording -> JSONObject in
                        [
                            "name": recording.path(in: ""), "created": CameraDate.text(recording.created),
                            "length-s": recording.length, "mode": recording.mode.kind.rawValue,
                            "size": recording.size(card.library), "tags": recording.tags.count,
                        ]
                    },
                ] as JSONObject,
            ])
    }

    /// The number of recordings in a state: more than a page shows without scrolling.
    private static let listed = 20
}
