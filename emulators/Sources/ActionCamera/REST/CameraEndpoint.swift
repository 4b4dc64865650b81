// SPDX-License-Identifier: Apache-2.0

/// A resource of the camera (Bandit §2.1).
public enum CameraEndpoint: Equatable, Sendable {
    /// A part of a recording, its tag, or a photo.
    public enum Part: String, Sendable {
        case thumb
        case frames
        case contents
        case sensors
    }

    case version
    case status
    case record
    case tagRecording
    case viewfinder
    case preview
    case capabilities(String)
    case settings
    case setting(String)
    case videos
    case video(String)
    case videoPart(String, Part)
    case tags(String)
    case tag(String, String)
    case tagPart(String, String, Part)
    case images
    case image(String)
    case imagePart(String, Part)
    case sessions(String)
    case datetime
    case firmware
    case upload(String)
    case license
    case log

    /// The resource of a path; nil for an unknown path. Names are case-sensitive.
    init?(_ segments: [String]) {
        guard segments.first == "api" else { return nil }
        if segments == ["api", "version"] {
            self = .version
            return
        }
        guard segments.count >= 3, segments[1] == "2" else { return nil }
        let path = Array(segments[2...])
        switch (path[0], path.count) {
        case ("status", 1): self = .status
        case ("record", 1): self = .record
        case ("record", 2) where path[1] == "tag": self = .tagRecording
        case ("viewfinder", 1): self = .viewfinder
        case ("preview", 1): self = .preview
        case ("capabilities", 2) where ["recording", "transcoding", "scenes"].contains(path[1]):
            self = .capabilities(path[1])
        case ("settings", 1): self = .settings
        case ("settings", 2) where ["camera", "scene", "video", "image"].contains(path[1]): self = .setting(path[1])
        case ("videos", _):
            guard let video = CameraEndpoint.video(path) else { return nil }
            self = video
        case ("images", 1): self = .images
        case ("images", 2): self = .image(path[1])
        case ("images", 3):
            guard let part = Part(rawValue: path[2]), part == .thumb || part == .contents else { return nil }
            self = .imagePart(path[1], part)
        case ("sessions", 2) where ["videos", "images"].contains(path[1]): self = .sessions(path[1])
        case ("datetime", 1): self = .datetime
        case ("firmware", 1): self = .firmware
        case ("quickgpsfix", 1), ("glonass", 1): self = .upload(path[0])
        case ("license", 1): self = .license
        case ("log", 1): self = .log
        default: return nil
        }
    }

    private static func video(_ path: [String]) -> CameraEndpoint? {
        switch path.count {
        case 1: return .videos
        case 2: return .video(path[1])
        case 3 where path[2] == "tags": return .tags(path[1])
        case 3: return Part(rawValue: path[2]).map { .videoPart(path[1], $0) }
        case 4 where path[2] == "tags": return .tag(path[1], path[3])
        case 5 where path[2] == "tags":
            return Part(rawValue: path[4]).flatMap { $0 == .frames ? nil : .tagPart(path[1], path[3], $0) }
        default: return nil
        }
    }

    /// The methods that it has.
    var methods: [String] {
        switch self {
        case .record, .tagRecording, .viewfinder, .preview, .upload: ["POST"]
        case .setting(let name): name == "video" || name == "image" ? ["PUT", "POST"] : ["PUT"]
        case .video, .image: ["GET", "DELETE"]
        case .tags: ["GET", "POST", "DELETE"]
        case .tag: ["GET", "PUT", "DELETE"]
        case .datetime, .firmware: ["GET", "POST"]
        default: ["GET"]
        }
    }

    /// The name in faults and the timeline.
    public var step: String {
        switch self {
        case .version: "version"
        case .status: "status"
        case .record: "record"
        case .tagRecording: "record-tag"
        case .viewfinder: "viewfinder"
        case .preview: "preview"
        case .capabilities: "capabilities"
        case .settings, .setting: "settings"
        case .videos: "videos"
        case .video: "video"
        case .videoPart(_, let part): "video-\(part.rawValue)"
        case .tags, .tag: "tags"
        case .tagPart(_, _, let part): "tag-\(part.rawValue)"
        case .images: "images"
        case .image: "image"
        case .imagePart(_, let part): "image-\(part.rawValue)"
        case .sessions: "sessions"
        case .datetime: "datetime"
        case .firmware, .upload: "upload"
        case .license: "license"
        case .log: "log"
        }
    }

    /// The names of all steps.
    public static let steps = [
        "version", "status", "record", "record-tag", "viewfinder", "preview", "capabilities", "settings", "videos",
        "video", "video-thumb", "video-frames", "video-contents", "video-sensors", "tags", "tag-thumb", "tag-contents",
        "tag-sensors", "images", "image", "image-thumb", "image-contents", "sessions", "datetime", "upload", "license",
        "log",
    ]
}

extension CameraRequest {
    /// The resource that is asked for; nil for none.
    public var endpoint: CameraEndpoint? { segments.flatMap { CameraEndpoint($0) } }
}
