// SPDX-License-Identifier: Apache-2.0

import JSON
import Timekeeping

extension ActionCamera {
    /// Pictures, octets and sensor data of a recording, or of a tag's highlight.
    mutating func mediaPart(
        _ endpoint: CameraEndpoint, _ request: CameraRequest, _ query: CameraQuery, at now: Instant
    ) throws(CameraRefusal) -> CameraAnswer {
        let recording: Recording, part: CameraEndpoint.Part, interval: (start: Double, length: Double)?
        let moment: Double
        switch endpoint {
        case .videoPart(let id, let wanted):
            recording = try card.recording(id)
            part = wanted
            interval = nil
            moment = 0
        case .tagPart(let id, let tag, let wanted):
            recording = try card.recording(id)
            guard let tag = recording.tags.first(where: { $0.id == tag }) else { throw .notFound }
            part = wanted
            interval = (tag.start, tag.length)
            moment = tag.offset
        default: throw .notFound
        }
        switch part {
        case .thumb, .frames:
            let offset = try query.number("offset_secs") ?? moment
            guard offset >= 0, offset <= recording.length, query.has(only: ["offset_secs"]) else {
                throw .wrongParameter
            }
            let size = part == .thumb ? choices.thumbnail : recording.pictureSize
            return .response(.jpeg(recording.picture(at: offset, width: size.width, height: size.height)))
        case .contents: return try contents(recording, interval, query, at: now)
        case .sensors: return .response(try sensors(recording, interval, request, query, at: now))
        }
    }

    // MARK: - Contents

    private mutating func contents(
        _ recording: Recording, _ interval: (start: Double, length: Double)?, _ query: CameraQuery, at now: Instant
    ) throws(CameraRefusal) -> CameraAnswer {
        let allowed = ["resolution", "framerate"] + (interval == nil ? ["offset_secs", "length_secs"] : [])
        guard query.has(only: allowed) else { throw .wrongParameter }
        let start = try query.number("offset_secs") ?? interval?.start
        let length = try query.number("length_secs") ?? interval?.length
        guard start ?? 0 >= 0, start ?? 0 <= recording.length, length ?? 1 > 0,
            Recording.holds(length ?? 0, in: recording.length)
        else { throw .wrongParameter }
        let copy = try ActionCamera.copy(query, of: recording)
        let whole = start == nil && length == nil
        guard
            let body = recording.contents(
                card.library, from: start, length: length ?? (whole ? nil : recording.length - (start ?? 0)), as: copy)
        else { throw .cannotBeProcessed }
        let response = CameraResponse(200, type: "video/mp4", body)
        guard copy != nil else { return .response(response) }
        guard transcoding == nil else { throw .conflict }
        // First the copy is made, then it is sent.
        let copied = min(length ?? recording.length, recording.length - (start ?? 0))
        let time = Duration.nanoseconds(Int64(copied / choices.transcodingSpeed * 1e9))
        transcoding = (now, now + time, 0)
        return .later(time, response)
    }

    /// The resolution and the rate of a copy; nil if the file itself is wanted. Wrong words, and pairs that
    /// `capabilities/transcoding` does not have, are refused.
    private static func copy(
        _ query: CameraQuery, of recording: Recording
    ) throws(CameraRefusal) -> (resolution: CameraMode.Resolution, rate: Int)? {
        guard query["resolution"] != nil || query["framerate"] != nil else { return nil }
        var resolution = recording.mode.resolution, rate = min(30, recording.rate)
        if let text = query["resolution"] { resolution = try wanted(resolution: text) }
        if let text = query["framerate"] { rate = try wanted(framerate: text) }
        if resolution == recording.mode.resolution, rate == recording.rate { return nil }
        // Files of the user's are served as they are.
        guard case .prepared = recording.source,
            ModeTable.transcodings.contains(where: {
                $0.input == (recording.mode.resolution, recording.rate) && $0.output == (resolution, rate)
            })
        else { throw .wrongParameter }
        return (resolution, rate)
    }

    /// `1080p`, or the name of the iOS library's case (Bandit §2.3).
    private static func wanted(resolution text: String) throws(CameraRefusal) -> CameraMode.Resolution {
        switch text {
        case "UHD_4K": return .uhd
        case "WQHD_2K7": return .wqhd
        case "FHD_1080p": return .fullHD
        case "HD_720p": return .hd
        case "WVGA": return .wvga
        default:
            guard let resolution = CameraMode.Resolution(rawValue: text), resolution.aspectRatio == "16/9" else {
                throw .wrongParameter
            }
            return resolution
        }
    }

    /// `60fps` or `60`.
    private static func wanted(framerate text: String) throws(CameraRefusal) -> Int {
        let digits = text.hasSuffix("fps") ? text.dropLast(3) : text[...]
        guard let rate = Int(digits), [15, 30, 60, 120, 180].contains(rate) else { throw .wrongParameter }
        return rate
    }

    // MARK: - Transcoding

    private static let transcodingSteps = 4

    func transcodingStep(_ number: Int) -> Duration {
        guard let transcoding else { return .zero }
        return (transcoding.end - transcoding.start) * number / ActionCamera.transcodingSteps
    }

    func transcodingProgress(at now: Instant) -> Int {
        guard let transcoding else { return 0 }
        let whole = max(1e-9, (transcoding.end - transcoding.start).seconds)
        return max(0, min(100, Int((now - transcoding.start).seconds / whole * 100)))
    }

    mutating func advanceTranscoding(to now: Instant) {
        while let transcoding {
            let step = transcoding.told + 1
            guard transcoding.start + transcodingStep(step) <= now else { return }
            self.transcoding?.told = step
            notify("transcoding_progress", ["progress_pct": step * 100 / ActionCamera.transcodingSteps])
            if step == ActionCamera.transcodingSteps { self.transcoding = nil }
        }
    }

    // MARK: - Sensors

    private func sensors(
        _ recording: Recording, _ interval: (start: Double, length: Double)?, _ request: CameraRequest,
        _ query: CameraQuery, at now: Instant
    ) throws(CameraRefusal) -> CameraResponse {
        let allowed = ["filter"] + (interval == nil ? ["offset_secs", "length_secs"] : [])
        guard query.has(only: allowed) else { throw .wrongParameter }
        let start = try query.number("offset_secs") ?? interval?.start ?? 0
        let length = try query.number("length_secs") ?? interval?.length ?? recording.length
        guard start >= 0, start <= recording.length, length >= 0, Recording.holds(length, in: recording.length) else {
            throw .wrongParameter
        }
        var wanted = SensorData.Sensor.allCases
        if let text = query["filter"] { wanted = try SensorData.Sensor.list(text) }
        let data = SensorData(recording, surroundings, wanted)
        let first = Int(start.rounded(.up))
        let seconds = first..<max(first, Int(min(start + length, recording.length).rounded(.up)))
        if request.accept?.contains("binary/octet-stream") == true {
            return CameraResponse(200, type: "binary/octet-stream", .octets(data.records(seconds)))
        }
        return .json(data.json(seconds))
    }
}
