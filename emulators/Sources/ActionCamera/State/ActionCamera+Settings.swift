// SPDX-License-Identifier: Apache-2.0

import Emulation
import JSON

extension ActionCamera {
    /// The settings (Bandit §3.6): of the two modes only the active one.
    var allSettings: JSONObject {
        [
            "camera": settings.json, "wifi": ["ssid": choices.ssid] as JSONObject, "scene": scene.json,
            mode.kind.isVideo ? "video" : "image": mode.json,
        ]
    }

    /// Changes a section.
    mutating func set(_ section: String, _ request: CameraRequest) throws(CameraRefusal) -> CameraResponse {
        let fields = try request.fields()
        switch section {
        case "camera":
            try settings.apply(fields)
            return .empty
        case "scene":
            guard let scene = CameraScene(fields) else { throw .wrongParameter }
            self.scene = scene
            return .json(scene.json)
        default:
            let wanted = try mode(of: fields, isVideo: section == "video", isExplicit: request.method == "POST")
            guard capture == nil else { throw CameraRefusal(choices.busySettingsStatus) }
            use(wanted)
            return request.method == "POST" ? .empty : .json(wanted.json)
        }
    }

    /// Makes a mode the active one.
    mutating func use(_ wanted: CameraMode) {
        mode = wanted
        lastModes[wanted.kind] = wanted
        if wanted.kind.isVideo { lastVideo = wanted } else { lastImage = wanted }
    }

    /// The mode that a request means: PUT switches to a mode with its most recent settings, POST contains the settings
    /// (Bandit §2.1, 13 to 16).
    private func mode(
        of fields: JSONFields, isVideo: Bool, isExplicit: Bool
    ) throws(CameraRefusal) -> CameraMode {
        guard let kind = fields.text("mode").flatMap(CameraMode.Kind.init), kind.isVideo == isVideo,
            let first = ModeTable.first(kind)
        else { throw .wrongParameter }
        guard isExplicit else { return lastModes[kind] ?? first }
        guard let resolution = fields.text("resolution").flatMap(CameraMode.Resolution.init) else {
            throw .wrongParameter
        }
        let view = fields.text("fov").flatMap(CameraMode.FieldOfView.init) ?? .wide
        guard !fields.has("fov") || fields.text("fov") == view.rawValue else { throw .wrongParameter }
        let fitting = ModeTable.all.first { mode in
            mode.kind == kind && mode.resolution == resolution && (!isVideo || mode.fieldOfView == view)
                && (!isVideo || fields.integer("framerate_fps") == mode.framerate)
                && (kind != .slowMotion || !fields.has("slow_motion_rate")
                    || fields.integer("slow_motion_rate") == mode.slowness)
                && (!fields.has("interval_secs") || fields.integer("interval_secs") == mode.interval)
                && (!fields.has("duration_secs") || fields.integer("duration_secs") == mode.duration)
                && ["burst_count", "count"].allSatisfy { !fields.has($0) || fields.integer($0) == mode.count }
        }
        guard let fitting else { throw .wrongParameter }
        return fitting
    }
}
