// SPDX-License-Identifier: Apache-2.0

/// The modes of the camera (Bandit §3.5), each combination an entry.
public enum ModeTable {
    /// The video modes. The rates and fields of view are the documented ones.
    public static let video: [CameraMode] =
        CameraMode.FieldOfView.allCases.flatMap { view in
            [
                CameraMode(.normal, .fullHD, framerate: 30, view), CameraMode(.normal, .fullHD, framerate: 60, view),
                CameraMode(.normal, .hd, framerate: 60, view), CameraMode(.normal, .hd, framerate: 120, view),
                CameraMode(.slowMotion, .fullHD, framerate: 60, view),
                CameraMode(.slowMotion, .hd, framerate: 120, view),
            ]
        } + [CameraMode(.slowMotion, .wvga, framerate: 180)]
        + lapse(.timeLapse, [1, 5, 10, 15, 30, 60, 0]) + lapse(.nightLapse, [10, 15, 30, 60])

    /// The image modes. Their numbers are not public (Bandit §15.9).
    public static let image: [CameraMode] =
        [.megapixels16, .megapixels8].flatMap { (resolution: CameraMode.Resolution) -> [CameraMode] in
            [CameraMode(.single, resolution)]
                + [1, 2, 3].map { CameraMode(.burst, resolution, duration: $0, count: 10) }
                + [1, 5, 10, 30, 60].map { CameraMode(.continuous, resolution, interval: $0) }
        }

    private static func lapse(_ kind: CameraMode.Kind, _ intervals: [Int]) -> [CameraMode] {
        [.uhd, .fullHD].flatMap { (resolution: CameraMode.Resolution) -> [CameraMode] in
            [15, 30].flatMap { rate in
                intervals.map { CameraMode(kind, resolution, framerate: rate, interval: $0) }
            }
        }
    }

    /// All modes.
    static var all: [CameraMode] { video + image }

    /// The settings of a mode that was never used.
    static func first(_ kind: CameraMode.Kind) -> CameraMode? { all.first { $0.kind == kind } }

    /// A pair of transcoding: input and output.
    struct Transcoding {
        var input: (resolution: CameraMode.Resolution, framerate: Int)
        var output: (resolution: CameraMode.Resolution, framerate: Int)
    }

    /// The possible copies: 1080p and 720p at 30 frames a second, at or below the input (Bandit §3.5).
    static let transcodings: [Transcoding] = {
        var inputs: [(resolution: CameraMode.Resolution, framerate: Int)] = []
        for mode in video
        where !inputs.contains(where: { $0.resolution == mode.resolution && $0.framerate == mode.playbackRate }) {
            inputs.append((mode.resolution, mode.playbackRate))
        }
        return inputs.flatMap { input in
            [CameraMode.Resolution.fullHD, .hd].compactMap { output in
                guard output.size.height <= input.resolution.size.height, input.framerate >= 30 else { return nil }
                return Transcoding(input: input, output: (output, 30))
            }
        }
    }()
}
