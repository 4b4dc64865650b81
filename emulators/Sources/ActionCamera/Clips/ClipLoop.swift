// SPDX-License-Identifier: Apache-2.0

import CActionCameraMedia

/// Prepared frames of H.264, which repeat: groups of `group` frames, each of which begins with a key frame.
struct ClipLoop: Equatable, Sendable {
    /// The frames of a group.
    static let group = 30

    let width: Int
    let height: Int
    /// The sequence and the picture parameter set (ISO/IEC 14496-10, 7.3.2).
    let parameters: (sequence: [UInt8], picture: [UInt8])
    /// The access units, each NAL unit behind its length in four octets.
    let octets: [UInt8]
    /// The places of the frames in `octets`, one behind the other.
    let frames: [Range<Int>]

    /// Reads a byte stream (ISO/IEC 14496-10, Annex B) with one slice a frame; nil for other octets.
    init?(width: Int, height: Int, byteStream: [UInt8]) {
        var octets: [UInt8] = []
        var frames: [Range<Int>] = []
        var sequence: [UInt8]?, picture: [UInt8]?
        for unit in ClipLoop.units(byteStream) {
            switch byteStream[unit.lowerBound] & 0x1F {
            case 7: sequence = Array(byteStream[unit])
            case 8: picture = Array(byteStream[unit])
            case 1, 5:
                let start = octets.count
                octets.append(bigEndian: UInt32(truncatingIfNeeded: unit.count))
                octets += byteStream[unit]
                frames.append(start..<octets.count)
            default: break
            }
        }
        guard let sequence, let picture, sequence.count >= 4, !frames.isEmpty,
            frames.count.isMultiple(of: ClipLoop.group)
        else { return nil }
        self.width = width
        self.height = height
        parameters = (sequence, picture)
        self.octets = octets
        self.frames = frames
    }

    /// The NAL units of a byte stream, without their start codes.
    private static func units(_ stream: [UInt8]) -> [Range<Int>] {
        var units: [Range<Int>] = []
        var start: Int?
        var zeros = 0
        for (index, octet) in stream.enumerated() {
            if octet == 1, zeros >= 2 {
                let end = index - zeros
                if let start, start < end { units.append(start..<end) }
                start = index + 1
            }
            zeros = octet == 0 ? zeros + 1 : 0
        }
        if let start, start < stream.count { units.append(start..<stream.count) }
        return units
    }

    static func == (one: ClipLoop, other: ClipLoop) -> Bool {
        one.octets == other.octets && one.parameters.sequence == other.parameters.sequence
    }
}

/// Prepared frames of AAC-LC, mono, which repeat, each with its ADTS header (ISO/IEC 13818-7, 6.2).
public struct AudioLoop: Equatable, Sendable {
    /// The samples of a frame.
    public static let frameSamples = 1024
    /// The octets of a header without a checksum.
    static let header = 7

    /// Samples a second.
    public let rate: Int
    let octets: [UInt8]
    let frames: [Range<Int>]

    /// Reads frames; nil if the octets are not frames.
    init?(rate: Int, octets: [UInt8]) {
        var frames: [Range<Int>] = []
        var at = 0
        while at < octets.count {
            guard at + AudioLoop.header <= octets.count, octets[at] == 0xFF, octets[at + 1] & 0xF6 == 0xF0 else {
                return nil
            }
            let count = Int(octets[at + 3] & 3) << 11 | Int(octets[at + 4]) << 3 | Int(octets[at + 5]) >> 5
            guard count > AudioLoop.header, at + count <= octets.count else { return nil }
            frames.append(at..<at + count)
            at += count
        }
        guard !frames.isEmpty else { return nil }
        self.rate = rate
        self.octets = octets
        self.frames = frames
    }

    /// The frame with this number, with its header.
    public func frame(_ number: Int) -> ArraySlice<UInt8> { octets[frames[number % frames.count]] }

    /// The place of a frame's data, behind its header.
    func data(_ number: Int) -> Range<Int> {
        let frame = frames[number % frames.count]
        return frame.lowerBound + AudioLoop.header..<frame.upperBound
    }
}

/// The prepared frames that come with the camera.
public struct ClipLibrary: Equatable, Sendable {
    private let loops: [CameraMode.Resolution: ClipLoop]
    private let sounds: [Int: AudioLoop]

    /// The frames that are compiled in.
    public static let shipped = ClipLibrary()

    private init() {
        var loops: [CameraMode.Resolution: ClipLoop] = [:]
        let videos: [(CameraMode.Resolution, Int32)] = [(.uhd, 0), (.fullHD, 1), (.hd, 2), (.wvga, 3)]
        for (resolution, index) in videos {
            let (width, height) = resolution.size
            loops[resolution] = ClipLoop(width: width, height: height, byteStream: ClipLibrary.media(index))
        }
        var sounds: [Int: AudioLoop] = [:]
        for (rate, index) in [(48_000, Int32(4)), (24_000, 5), (12_000, 6), (8_000, 7)] {
            sounds[rate] = AudioLoop(rate: rate, octets: ClipLibrary.media(index))
        }
        self.loops = loops
        self.sounds = sounds
    }

    private static func media(_ index: Int32) -> [UInt8] {
        var count = 0
        guard let first = action_camera_media(index, &count) else { return [] }
        return Array(UnsafeBufferPointer(start: first, count: count))
    }

    /// The frames of a resolution; the 1080p frames for a resolution that is never recorded.
    func video(_ resolution: CameraMode.Resolution) -> ClipLoop? { loops[resolution] ?? loops[.fullHD] }

    /// The sound of a mode: slower for slow motion, none for lapses (Bandit §5.3).
    public func sound(of kind: CameraMode.Kind, slowness: Int) -> AudioLoop? {
        kind.isLapse ? nil : sounds[48_000 / slowness]
    }
}
