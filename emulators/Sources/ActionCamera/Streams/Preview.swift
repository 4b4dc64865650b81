// SPDX-License-Identifier: Apache-2.0

import Octets

/// A preview: pictures and sound of a recording, in the order of their times (Bandit §5).
public struct Preview: Equatable, Sendable {
    /// The clock of presentation times.
    static let clock = 90_000

    /// A packet, with the time in seconds at which it is due from the start at normal speed.
    public enum Packet: Equatable, Sendable {
        case start
        /// A picture, to be drawn and encoded.
        case picture(PictureRequest, milliseconds: Int, pts: UInt32)
        /// A frame of sound with its ADTS header.
        case sound([UInt8], pts: UInt32)
        case end
    }

    /// The types of packets (Bandit §5.2).
    public enum Kind: UInt32, Sendable {
        case video = 0
        case audio = 1
        case start = 127
        case end = 128
    }

    /// The client's address.
    public let host: String
    /// The client's port.
    public let port: Int
    /// The recording.
    public let recording: Recording
    /// The part, in seconds.
    public let offset: Double
    /// The length of the part.
    public let length: Double
    private let version: UInt32
    private let sound: AudioLoop?
    private var nextPicture: Int
    private var nextSound: Int
    private var hasStarted = false
    private var hasEnded = false

    init(
        _ recording: Recording, to host: String, port: Int, offset: Double, length: Double, version: UInt32,
        library: ClipLibrary
    ) {
        self.host = host
        self.port = port
        self.recording = recording
        self.version = version
        // 32-bit floats are clipped to the clip, not refused (Bandit §16.5).
        let start = max(0, min(offset, recording.length))
        self.offset = start
        self.length = max(0, min(length, recording.length - start))
        sound = library.sound(of: recording.mode.kind, slowness: recording.mode.slowness)
        nextPicture = Int((start * Double(min(30, recording.rate))).rounded(.up))
        nextSound = sound.map { Int((start * Double($0.rate) / Double(AudioLoop.frameSamples)).rounded(.up)) } ?? 0
    }

    /// Pictures a second: at most 30 (Bandit §5.3).
    public var rate: Int { min(30, recording.rate) }

    private var end: Double { offset + length }
    private var pictureTime: Double { Double(nextPicture) / Double(rate) }
    private var soundTime: Double? {
        sound.map { Double(nextSound * AudioLoop.frameSamples) / Double($0.rate) }
    }

    /// The time of the next packet in seconds from the start of the part; nil behind the last.
    public var due: Double? {
        if hasEnded { return nil }
        if !hasStarted { return 0 }
        return min(max(0, min(pictureTime, soundTime ?? .infinity) - offset), length)
    }

    /// The next packet; nil after the last. Presentation times are the file's, also in a part of it.
    public mutating func next() -> Packet? {
        guard !hasEnded else { return nil }
        guard hasStarted else {
            hasStarted = true
            return .start
        }
        let picture = pictureTime
        if let sound, let time = soundTime, time < min(picture, end) {
            defer { nextSound += 1 }
            return .sound(Array(sound.frame(nextSound)), pts: Preview.ticks(time))
        }
        guard picture < end else {
            hasEnded = true
            return .end
        }
        nextPicture += 1
        let size = Preview.size
        return .picture(
            recording.picture(at: picture, width: size.width, height: size.height),
            milliseconds: Int((picture * 1000).rounded()), pts: Preview.ticks(picture))
    }

    /// The size of pictures (Bandit §15.7).
    public static let size = (width: 768, height: 432)

    private static func ticks(_ seconds: Double) -> UInt32 {
        UInt32(truncatingIfNeeded: Int64((seconds * Double(clock)).rounded()))
    }

    /// The header of a packet: five words, most significant octet first.
    public func header(_ kind: Kind, size: Int, pts: UInt32) -> [UInt8] {
        var octets: [UInt8] = []
        octets.reserveCapacity(20)
        for word in [version, kind.rawValue, UInt32(truncatingIfNeeded: size), pts, 0] {
            octets.append(bigEndian: word)
        }
        return octets
    }
}
