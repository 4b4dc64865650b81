// SPDX-License-Identifier: Apache-2.0

import Emulation
import JSON
public import Timekeeping

extension ActionCamera {
    /// Answers a request.
    public mutating func answer(_ request: CameraRequest, at now: Instant) -> CameraAnswer {
        advance(to: now)
        do throws(CameraRefusal) {
            return try reply(request, at: now)
        } catch {
            return .response(refused(error))
        }
    }

    private func refused(_ refusal: CameraRefusal) -> CameraResponse {
        guard choices.describesErrors else { return CameraResponse(refusal.status) }
        let object: JSONObject = ["error": refusal.status]
        return CameraResponse(refusal.status, type: "application/json", .octets(Array(object.text.utf8)))
    }

    private mutating func reply(_ request: CameraRequest, at now: Instant) throws(CameraRefusal) -> CameraAnswer {
        guard let segments = request.segments, let query = request.query else { throw .wrongParameter }
        guard let endpoint = CameraEndpoint(segments) else { throw .notFound }
        guard endpoint.methods.contains(request.method) else { throw .wrongMethod }
        switch endpoint {
        case .viewfinder: return .response(try setViewfinder(request, at: now))
        case .preview: return try setPreview(request)
        case .videoPart, .tagPart: return try mediaPart(endpoint, request, query, at: now)
        case .videos, .video, .tags, .tag, .images, .image, .imagePart, .sessions:
            return .response(try library(endpoint, request, query))
        default: return .response(try device(endpoint, request, at: now))
        }
    }

    /// Resources of the camera itself.
    private mutating func device(
        _ endpoint: CameraEndpoint, _ request: CameraRequest, at now: Instant
    ) throws(CameraRefusal) -> CameraResponse {
        switch endpoint {
        case .version: return .json(version)
        case .status: return .json(status(at: now))
        case .record:
            guard let active = try request.fields().boolean("recording_active") else { throw .wrongParameter }
            if active { try startRecording(at: now) } else { try stopRecording(at: now) }
            return .empty
        case .tagRecording:
            guard try request.fields().boolean("tag_mobile") == true else { throw .wrongParameter }
            try tag("tag_mobile", at: now)
            return .empty
        case .capabilities(let name): return .json(capabilities(name))
        case .settings: return .json(allSettings)
        case .setting(let section): return try set(section, request)
        case .datetime:
            guard request.method == "POST" else { return .json(datetime(at: now)) }
            guard let seconds = try request.fields().text("datetime").flatMap(CameraDate.seconds) else {
                throw .wrongParameter
            }
            clock = (Double(seconds), now)
            return .empty
        case .firmware where request.method == "GET": return .json(firmware)
        case .firmware, .upload: return try upload(request, isFirmware: endpoint == .firmware)
        case .license: return CameraResponse(200, type: "text/html", .octets(CameraDocuments.license))
        case .log:
            return CameraResponse(200, type: "application/x-tar", .octets(CameraDocuments.log(at: date(at: now))))
        default: throw .notFound
        }
    }

    private var version: JSONObject {
        ["version": "2", "revision": choices.revision, "supported_versions": ["2"]]
    }

    private func datetime(at now: Instant) -> JSONObject {
        ["datetime": CameraDate.text(date(at: now))]
    }

    private var firmware: JSONObject {
        var object = JSONObject()
        let names = ["major", "minor", "revision", "build"]
        for (name, value) in zip(names, [1, 57, 500, 1]) { object.add(name, value) }
        for (name, value) in zip(names, firmwareIsPending ? [1, 57, 501, 1] : [0, 0, 0, 0]) {
            object.add("pending_\(name)", value)
        }
        return object
    }

    /// An upload: one part with a file (Bandit §2.1, 43 to 45). Its octets are counted, and not kept.
    private mutating func upload(_ request: CameraRequest, isFirmware: Bool) throws(CameraRefusal) -> CameraResponse {
        guard card.isPresent else { throw .cannotBeProcessed }
        guard MultipartForm.hasFile(request) else { throw .wrongParameter }
        if isFirmware { firmwareIsPending = true }
        effects.append(.tell("an upload of \(request.bodyCount) octets"))
        return .empty
    }

    private func capabilities(_ name: String) -> JSONObject {
        switch name {
        case "recording": ["video": ModeTable.video.map(\.json), "image": ModeTable.image.map(\.json)]
        case "transcoding":
            [
                "transcoder": ModeTable.transcodings.map { pair -> JSONObject in
                    [
                        "input_resolution": pair.input.resolution.rawValue,
                        "input_framerate_fps": pair.input.framerate,
                        "output_resolution": pair.output.resolution.rawValue,
                        "output_framerate_fps": pair.output.framerate,
                    ]
                }
            ]
        default:
            [
                "scenes": [CameraScene.Kind.auto, .bright, .night, .underwater].map { CameraScene($0).json },
                "limits": [JSONObject](),
            ]
        }
    }
}

extension CameraRequest {
    /// The object that the body is.
    func fields() throws(CameraRefusal) -> JSONFields {
        guard bodyCount == body.count, let fields = JSONFields(body: body) else { throw .wrongParameter }
        return fields
    }
}

/// The form of an upload (RFC 7578).
enum MultipartForm {
    /// True if the body begins with a part of a file.
    static func hasFile(_ request: CameraRequest) -> Bool {
        guard let type = request.contentType, type.lowercased().hasPrefix("multipart/form-data"),
            let parameter = type.split(separator: ";").first(where: {
                $0.drop { $0 == " " }.lowercased().hasPrefix("boundary=")
            })
        else { return false }
        let boundary = parameter.split(separator: "=", maxSplits: 1)[1].filter { $0 != "\"" }
        // The head of the first part: the file's octets follow an empty line.
        let head = request.body.prefix(2048)
        let text = String(decoding: head, as: UTF8.self)
        return !boundary.isEmpty && text.hasPrefix("--\(boundary)\r\n") && text.contains("\r\n\r\n")
            && text.lowercased().contains("content-disposition: form-data")
    }
}
