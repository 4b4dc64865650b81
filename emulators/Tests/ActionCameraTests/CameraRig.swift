// SPDX-License-Identifier: Apache-2.0

import ActionCamera
import Testing
import Timekeeping

/// A camera on a virtual clock: 2026-11-22T10:00:00Z at its start.
struct CameraRig {
    static let epoch = 1_795_341_600.0

    var camera: ActionCamera
    var now = Instant.origin

    init(_ change: (inout CameraChoices) -> Void = { _ in }) {
        var choices = CameraChoices()
        change(&choices)
        camera = ActionCamera(choices, epoch: CameraRig.epoch, at: .origin)
    }

    /// A camera that has recorded so many seconds in its first mode.
    static func withRecording(_ seconds: Int = 12) -> CameraRig {
        var rig = CameraRig()
        rig.record(seconds)
        return rig
    }

    mutating func wait(_ seconds: Double) {
        now = now + .milliseconds(Int64(seconds * 1000))
        camera.advance(to: now)
    }

    mutating func answer(_ request: CameraRequest) -> CameraAnswer { camera.answer(request, at: now) }

    /// The response to a request that is answered at once.
    mutating func ask(_ method: String, _ path: String, _ body: String = "", accept: String? = nil) -> CameraResponse {
        let request = CameraRequest(method, path, body: Array(body.utf8), accept: accept)
        guard case .response(let response) = camera.answer(request, at: now) else {
            Issue.record("\(method) \(path) is not answered at once")
            return CameraResponse(599)
        }
        return response
    }

    mutating func status(_ method: String, _ path: String, _ body: String = "") -> Int {
        ask(method, path, body).status
    }

    mutating func text(_ method: String, _ path: String, _ body: String = "") -> String {
        let response = ask(method, path, body)
        #expect(response.status == 200)
        guard case .octets(let octets) = response.body else { return "" }
        return String(decoding: octets, as: UTF8.self)
    }

    mutating func record(_ seconds: Int) {
        #expect(status("POST", "/api/2/record", #"{"recording_active":true}"#) == 200)
        wait(Double(seconds))
        #expect(status("POST", "/api/2/record", #"{"recording_active":false}"#) == 200)
        _ = effects()
    }

    mutating func effects() -> [CameraEffect] {
        var effects: [CameraEffect] = []
        while let effect = camera.nextEffect() { effects.append(effect) }
        return effects
    }

    mutating func lines() -> [String] {
        effects().compactMap { if case .notify(let line) = $0 { line } else { nil } }
    }

    mutating func receive(_ control: CameraControl) -> String? { camera.apply(control, at: now) }

    /// The id of the recording with this index.
    func id(_ index: Int = 0) -> String { camera.card.recordings[index].id }
}
