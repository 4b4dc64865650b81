// SPDX-License-Identifier: Apache-2.0

import Emulation
import JSON

/// A recording mode with its parameters (Bandit §3.5).
public struct CameraMode: Equatable, Sendable {
    /// The modes of both kinds, with their names in JSON.
    public enum Kind: String, CaseIterable, Sendable {
        case normal
        case slowMotion = "slow_motion"
        case timeLapse = "time_lapse"
        case nightLapse = "night_lapse"
        case single
        case burst
        case continuous

        /// True if the mode records video.
        public var isVideo: Bool { [.normal, .slowMotion, .timeLapse, .nightLapse].contains(self) }
        /// True for the two lapse modes, which record no sound.
        public var isLapse: Bool { self == .timeLapse || self == .nightLapse }
    }

    /// The resolutions, with their names in JSON.
    public enum Resolution: String, CaseIterable, Sendable {
        case uhd = "4k"
        case wqhd = "2.7k"
        case fullHD = "1080p"
        case hd = "720p"
        case wvga
        case megapixels16 = "16MP"
        case megapixels8 = "8MP"

        /// The width and height in pixels. WVGA has one column more than the kits say: H.264 crops 4:2:0 by two.
        public var size: (width: Int, height: Int) {
            switch self {
            case .uhd: (3840, 2160)
            case .wqhd: (2740, 1524)
            case .fullHD: (1920, 1080)
            case .hd: (1280, 720)
            case .wvga: (854, 480)
            case .megapixels16: (4608, 3456)
            case .megapixels8: (3264, 2448)
            }
        }

        /// The aspect ratio in JSON.
        public var aspectRatio: String { self == .megapixels16 || self == .megapixels8 ? "4/3" : "16/9" }
    }

    /// The field of view.
    public enum FieldOfView: String, CaseIterable, Sendable {
        case wide
        case normal
    }

    /// The mode.
    public var kind: Kind
    /// The resolution.
    public var resolution: Resolution
    /// Frames per second: captured, but played back for the lapse modes; 0 for images.
    public var framerate: Int
    /// The field of view.
    public var fieldOfView: FieldOfView
    /// The interval of lapse modes and continuous photos in seconds; 0 is variable.
    public var interval: Int
    /// The duration of a burst in seconds.
    public var duration: Int
    /// The number of photos of a burst.
    public var count: Int

    /// A mode.
    public init(
        _ kind: Kind, _ resolution: Resolution, framerate: Int = 0, _ fieldOfView: FieldOfView = .wide,
        interval: Int = 0, duration: Int = 0, count: Int = 0
    ) {
        self.kind = kind
        self.resolution = resolution
        self.framerate = framerate
        self.fieldOfView = fieldOfView
        self.interval = interval
        self.duration = duration
        self.count = count
    }

    /// The factor by which slow motion is played slower: 2, 4, 6 by resolution; 1 for others.
    public var slowness: Int {
        guard kind == .slowMotion else { return 1 }
        return resolution == .fullHD ? 2 : resolution == .hd ? 4 : 6
    }

    /// Frames per second of the recorded file.
    public var playbackRate: Int { framerate / slowness }

    /// Media time per time of recording.
    var mediaTimeRate: Double {
        guard kind.isLapse else { return Double(slowness) }
        // A variable interval is played as an interval of a second.
        return 1 / (Double(max(1, interval)) * Double(playbackRate))
    }

    /// The JSON object. It contains all keys of a kind, since capabilities without `fov` and `interval_secs` are
    /// refused (Bandit §16.8).
    var json: JSONObject {
        let burst = kind == .burst ? count : nil
        return [
            "mode": kind.rawValue, "resolution": resolution.rawValue, "framerate_fps": kind.isVideo ? framerate : nil,
            "fov": fieldOfView.rawValue, "slow_motion_rate": kind == .slowMotion ? slowness : nil,
            "interval_secs": interval, "duration_secs": kind.isVideo ? nil : duration, "burst_count": burst,
            "count": burst,
        ]
    }
}
