// SPDX-License-Identifier: Apache-2.0

import Emulation
import JSON

/// A recording on the card (Bandit §3.3).
public struct Recording: Equatable, Sendable {
    /// The origin of its octets.
    public enum Source: Equatable, Sendable {
        /// Prepared frames: so many of them.
        case prepared(frames: Int)
        /// A file of the user's, with its size.
        case file(path: String, size: Int, width: Int, height: Int)
    }

    /// The id.
    public var id: String
    /// The number in its name.
    public var number: Int
    /// The session: the files of one recording share it.
    public var session: Int
    /// Its start in seconds since 1970.
    public var created: Int64
    /// The mode.
    public var mode: CameraMode
    /// The octets.
    public var source: Source
    /// The length in seconds.
    public var length: Double
    /// The tags, earliest first.
    public var tags: [Tag] = []
    /// The number of the next tag.
    var nextTag = 1
    /// The octets of its file, once it is on a card.
    var knownSize: Int?

    /// Its name on the card.
    public func path(in directory: String) -> String { "\(directory)/MOV_\(CardNames.digits(number)).MP4" }

    /// Frames a second of its file.
    var rate: Int { mode.playbackRate }

    /// The frame that is shown at an offset.
    func frame(at offset: Double) -> Int { Int(max(0, min(offset, length)) * Double(rate) + 0.001) }

    /// The part that can be cut: from key frame to key frame, within the recording (Bandit §2.3).
    func cut(from start: Double, length wanted: Double) -> (start: Double, length: Double) {
        guard case .prepared(let frames) = source else { return (0, length) }
        let range = CutFrames.range(from: start, length: wanted, rate: rate, frames: frames)
        return (Double(range.lowerBound) / Double(rate), Double(range.count) / Double(rate))
    }

    /// The whole file, or a part of it, which is cut at key frames, or a smaller copy.
    func contents(
        _ library: ClipLibrary, from start: Double? = nil, length wanted: Double? = nil,
        as output: (resolution: CameraMode.Resolution, rate: Int)? = nil
    ) -> CameraBody? {
        guard case .prepared(let frames) = source else {
            guard case .file(let path, let size, _, _) = source else { return nil }
            return .file(path: path, count: size)
        }
        var range = CutFrames.range(from: start ?? 0, length: wanted ?? length, rate: rate, frames: frames)
        var playback = rate
        if let output, output.rate < rate {
            // A copy at half the rate has half the frames; its groups restart.
            range = range.lowerBound * output.rate / rate..<range.upperBound * output.rate / rate
            range = range.lowerBound / ClipLoop.group * ClipLoop.group..<max(range.upperBound, range.lowerBound + 1)
            playback = output.rate
        }
        guard let video = library.video(output?.resolution ?? mode.resolution) else { return nil }
        let sound = library.sound(of: mode.kind, slowness: mode.slowness)
        return .clip(Clip(video, sound, frames: range, rate: playback))
    }

    /// True if a length is at most the length of a whole video, in the precision in which clients send it.
    static func holds(_ length: Double, in total: Double) -> Bool { Float(length) <= Float(total) }

    /// The octets of its file.
    func size(_ library: ClipLibrary) -> Int {
        if let knownSize { return knownSize }
        switch contents(library) {
        case .clip(let clip): return clip.count
        case .file(_, let count): return count
        default: return 0
        }
    }

    /// A picture of it.
    func picture(at offset: Double, width: Int, height: Int) -> PictureRequest {
        var file: CameraFileMoment?
        if case .file(let path, _, _, _) = source { file = CameraFileMoment(path: path, offset: offset) }
        return PictureRequest(width: width, height: height, frame: frame(at: offset), file: file)
    }

    /// The size of its pictures.
    var pictureSize: (width: Int, height: Int) {
        if case .file(_, _, let width, let height) = source { return (width, height) }
        return mode.resolution.size
    }

    /// The JSON object.
    func json(_ card: Card, tags withTags: Bool = false, files: Int? = nil) -> JSONObject {
        [
            "id": id, "path": path(in: card.directory), "created": CameraDate.text(created),
            "size_bytes": size(card.library), "length_secs": length, "nr_highlights": tags.count,
            "mode": mode.kind.rawValue, "resolution": mode.resolution.rawValue,
            "aspect_ratio": mode.resolution.aspectRatio, "framerate_fps": mode.framerate,
            "interval_secs": mode.kind.isLapse ? mode.interval : nil, "is_valid": true,
            "tags": withTags ? tags.map { $0.json(of: self) } : nil, "number_of_files": files,
        ]
    }
}

/// The frames that a cut has: whole groups.
enum CutFrames {
    static func range(from start: Double, length: Double, rate: Int, frames: Int) -> Range<Int> {
        let group = ClipLoop.group
        let bounded = max(0, min(start, Double(frames) / Double(rate)))
        let end = max(bounded, min(bounded + length, Double(frames) / Double(rate)))
        let first = min(Int(bounded * Double(rate)) / group * group, max(0, (frames - 1) / group * group))
        let last = (Int((end * Double(rate)).rounded(.up)) + group - 1) / group * group
        return first..<max(first + 1, min(frames, last))
    }
}
