// SPDX-License-Identifier: Apache-2.0

import Octets

/// An MP4 file that is put together of prepared frames when it is read: only its head is kept.
public struct Clip: Equatable, Sendable {
    /// A run of octets behind the head.
    struct Part: Equatable, Sendable {
        /// The place in the file.
        var start: Int
        /// The place in the prepared sound, or frames.
        var source: Range<Int>
        var isSound: Bool
    }

    private let head: [UInt8]
    private let parts: [Part]
    private let video: ClipLoop
    private let sound: AudioLoop?
    /// The number of octets.
    public let count: Int

    /// The frames `frames`, the first of which begins a group, played `rate` a second.
    init(_ video: ClipLoop, _ sound: AudioLoop?, frames: Range<Int>, rate: Int) {
        let plan = ClipPlan(video, sound, frames: frames, rate: rate)
        let head = MP4Writer.head(plan)
        self.head = head
        self.video = video
        self.sound = sound
        parts = plan.parts.map { Part(start: $0.start + head.count, source: $0.source, isSound: $0.isSound) }
        count = head.count + plan.count
    }

    /// Octets of the file.
    public func octets(in range: Range<Int>) -> [UInt8] {
        let range = range.clamped(to: 0..<count)
        var octets: [UInt8] = []
        octets.reserveCapacity(range.count)
        if range.lowerBound < head.count { octets += head[range.clamped(to: 0..<head.count)] }
        var index = firstPart(endingAfter: range.lowerBound)
        while index < parts.count, parts[index].start < range.upperBound {
            let part = parts[index]
            let wanted = range.clamped(to: part.start..<part.start + part.source.count)
            let from = part.source.lowerBound + wanted.lowerBound - part.start
            let source = part.isSound ? sound?.octets ?? [] : video.octets
            octets += source[from..<from + wanted.count]
            index += 1
        }
        return octets
    }

    private func firstPart(endingAfter place: Int) -> Int {
        var low = 0, high = parts.count
        while low < high {
            let middle = (low + high) / 2
            if parts[middle].start + parts[middle].source.count <= place { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// The samples of a clip and their order: a group of frames, then the sound until its end, and so on.
struct ClipPlan {
    let video: ClipLoop
    let sound: AudioLoop?
    let frames: Range<Int>
    let rate: Int
    /// The samples of each chunk, and its place behind the head.
    private(set) var videoChunks: [(count: Int, start: Int)] = []
    private(set) var soundChunks: [(count: Int, start: Int)] = []
    private(set) var parts: [Clip.Part] = []
    private(set) var soundFrames = 0
    /// The number of octets behind the head.
    private(set) var count = 0

    init(_ video: ClipLoop, _ sound: AudioLoop?, frames: Range<Int>, rate: Int) {
        self.video = video
        self.sound = sound
        self.frames = frames
        self.rate = rate
        for first in stride(from: frames.lowerBound, to: frames.upperBound, by: ClipLoop.group) {
            addFrames(first..<min(frames.upperBound, first + ClipLoop.group))
        }
    }

    private mutating func addFrames(_ chunk: Range<Int>) {
        let loop = video.frames.count
        let source =
            video.frames[chunk.lowerBound % loop].lowerBound..<video.frames[(chunk.upperBound - 1) % loop].upperBound
        videoChunks.append((chunk.count, count))
        add(source, isSound: false)
        guard let sound else { return }
        let due = (chunk.upperBound - frames.lowerBound) * sound.rate / (rate * AudioLoop.frameSamples)
        guard due > soundFrames else { return }
        soundChunks.append((due - soundFrames, count))
        for number in soundFrames..<due { add(sound.data(number), isSound: true) }
        soundFrames = due
    }

    private mutating func add(_ source: Range<Int>, isSound: Bool) {
        parts.append(Clip.Part(start: count, source: source, isSound: isSound))
        count += source.count
    }
}
