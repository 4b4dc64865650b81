// SPDX-License-Identifier: Apache-2.0

import JSON
import Timekeeping

extension ActionCamera {
    // MARK: - Viewfinder

    /// Starts or stops the viewfinder (Bandit §4.2). It goes to the address of the request.
    mutating func setViewfinder(_ request: CameraRequest, at now: Instant) throws(CameraRefusal) -> CameraResponse {
        let fields = try request.fields()
        guard let active = fields.boolean("viewfinder_active") else { throw .wrongParameter }
        guard active else {
            endViewfinder()
            return .empty
        }
        let port = fields.has("viewfinder_streaming_port") ? fields.integer("viewfinder_streaming_port") : 4001
        guard let port, (1...65_535).contains(port) else { throw CameraRefusal(choices.badPortStatus) }
        guard viewfinder == nil else {
            effects.append(
                .mistake(
                    rule: "second-viewfinder",
                    "started a viewfinder while one ran: look at viewfinder_active, and stop it first"))
            throw CameraRefusal(choices.secondViewfinderStatus)
        }
        if preview != nil, let status = choices.viewfinderWithPreviewStatus { throw CameraRefusal(status) }
        viewfinder = (request.peer, port)
        lastViewfinderPort = port
        effects.append(.startViewfinder(host: request.peer, port: port))
        notifyViewfinder(isActive: true)
        return .empty
    }

    /// Ends the viewfinder, which is no longer requested or no longer received.
    public mutating func endViewfinder() {
        guard viewfinder != nil else { return }
        viewfinder = nil
        effects.append(.stopViewfinder)
        notifyViewfinder(isActive: false)
    }

    private mutating func notifyViewfinder(isActive: Bool) {
        notify(isActive ? "viewfinder_started" : "viewfinder_stopped", ["viewfinder_active": isActive])
    }

    // MARK: - Preview

    /// Starts or stops a preview (Bandit §5.1). A stop is never refused, whatever it names (§16.4).
    mutating func setPreview(_ request: CameraRequest) throws(CameraRefusal) -> CameraAnswer {
        let fields = try request.fields()
        guard let active = fields.boolean("preview_active") else { throw .wrongParameter }
        guard active else {
            endPreview()
            return .response(.empty)
        }
        guard let id = fields.text("id") else { throw .wrongParameter }
        let recording = try card.recording(id)
        guard let port = fields.integer("preview_port"), choices.previewPorts.contains(port) else {
            throw CameraRefusal(choices.badPortStatus)
        }
        guard !fields.has("offset_secs") || fields.number("offset_secs") != nil,
            !fields.has("length_secs") || fields.number("length_secs") != nil
        else { throw .wrongParameter }
        guard preview == nil, !isPreviewConnecting else {
            effects.append(
                .mistake(rule: "second-preview", "started a preview while one ran: stop it first"))
            throw .conflict
        }
        if viewfinder != nil, let status = choices.viewfinderWithPreviewStatus { throw CameraRefusal(status) }
        if !(4010...4999).contains(port) {
            effects.append(
                .mistake(
                    rule: "preview-port", "asked for a preview at port \(port), outside 4010 to 4999 that the kits use")
            )
        }
        isPreviewConnecting = true
        return .connect(
            Preview(
                recording, to: request.peer, port: port, offset: fields.number("offset_secs") ?? 0,
                length: fields.number("length_secs") ?? recording.length, version: choices.previewVersion,
                library: card.library))
    }

    /// Takes the connection of a preview; the response is for the client that asked.
    public mutating func previewConnected(_ preview: Preview) -> CameraResponse {
        isPreviewConnecting = false
        self.preview = preview
        return .empty
    }

    /// The client could not be reached; the response is for it.
    public mutating func previewUnreachable() -> CameraResponse {
        isPreviewConnecting = false
        return CameraResponse(choices.unreachableStatus)
    }

    /// Ends the preview by the camera.
    mutating func endPreview() {
        isPreviewConnecting = false
        guard preview != nil else { return }
        preview = nil
        effects.append(.stopPreview)
    }

    /// The preview is over: its end was sent, or the client has closed.
    public mutating func previewEnded() { preview = nil }
}
