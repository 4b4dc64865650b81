// SPDX-License-Identifier: Apache-2.0

import Octets

/// The head of an MP4 file (ISO/IEC 14496-12, -14, -15), as the camera's files have it: `moov` before `mdat`, a
/// movie time scale of 90,000 (Bandit §8.2).
enum MP4Writer {
    static let timeScale = 90_000
    private static let unity: [UInt32] = [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000]

    /// `ftyp`, `moov` and the header of `mdat`.
    static func head(_ plan: ClipPlan) -> [UInt8] {
        let type = box("ftyp", Array("avc1".utf8) + word(0) + Array("avc1isomiso2mp41".utf8))
        // The size of `moov` does not depend on the places in it.
        let size = type.count + movie(plan, at: 0).count + 8
        return type + movie(plan, at: size) + word(plan.count + 8) + Array("mdat".utf8)
    }

    private static func movie(_ plan: ClipPlan, at start: Int) -> [UInt8] {
        let duration = plan.frames.count * timeScale / plan.rate
        let header = full(
            "mvhd",
            words([0, 0, timeScale, duration, 0x1_0000]) + half(0x100) + [UInt8](repeating: 0, count: 10)
                + unity.flatMap { word(Int($0)) } + [UInt8](repeating: 0, count: 24) + word(3))
        var content = header + videoTrack(plan, duration, at: start)
        if let sound = plan.sound, plan.soundFrames > 0 { content += soundTrack(plan, sound, duration, at: start) }
        return box("moov", content)
    }

    // MARK: - Tracks

    private static func videoTrack(_ plan: ClipPlan, _ duration: Int, at start: Int) -> [UInt8] {
        let loop = plan.video
        let (sequence, picture) = loop.parameters
        let configuration = box(
            "avcC",
            [1, sequence[1], sequence[2], sequence[3], 0xFF, 0xE1] + half(sequence.count) + sequence + [1]
                + half(picture.count) + picture)
        var entry = [UInt8](repeating: 0, count: 6) + half(1) + [UInt8](repeating: 0, count: 16)
        entry += half(loop.width) + half(loop.height) + words([0x48_0000, 0x48_0000, 0]) + half(1)
        entry += [UInt8](repeating: 0, count: 32) + half(0x18) + half(0xFFFF) + configuration
        let sizes = plan.frames.map { loop.frames[$0 % loop.frames.count].count }
        let keys = stride(from: 1, through: plan.frames.count, by: ClipLoop.group).map { $0 }
        var table = description("avc1", entry)
        table += full("stts", words([1, plan.frames.count, timeScale / plan.rate]))
        table += full("stss", words([keys.count] + keys))
        table += chunks(plan.videoChunks, sizes, at: start)
        return track(
            1, duration, (loop.width, loop.height), handler: "vide", scale: timeScale, length: duration,
            header: full("vmhd", half(0) + half(0) + half(0) + half(0), flags: 1), table)
    }

    private static func soundTrack(
        _ plan: ClipPlan, _ sound: AudioLoop, _ duration: Int, at start: Int
    ) -> [UInt8] {
        let index = [48_000: 3, 24_000: 6, 12_000: 9, 8_000: 11][sound.rate] ?? 3
        // AudioSpecificConfig of AAC-LC, one channel (ISO/IEC 14496-3, 1.6.2.1).
        let specific = half(2 << 11 | index << 7 | 1 << 3)
        let decoder = descriptor(4, [0x40, 0x15] + [0, 0, 0] + words([64_000, 64_000]) + descriptor(5, specific))
        let stream = full("esds", descriptor(3, half(2) + [0] + decoder + descriptor(6, [2])))
        var entry = [UInt8](repeating: 0, count: 6) + half(1) + words([0, 0]) + half(1) + half(16) + words([0])
        entry += word(sound.rate << 16) + stream
        let sizes = (0..<plan.soundFrames).map { sound.data($0).count }
        var table = description("mp4a", entry)
        table += full("stts", words([1, plan.soundFrames, AudioLoop.frameSamples]))
        table += chunks(plan.soundChunks, sizes, at: start)
        return track(
            2, min(duration, plan.soundFrames * AudioLoop.frameSamples * timeScale / sound.rate), nil, handler: "soun",
            scale: sound.rate, length: plan.soundFrames * AudioLoop.frameSamples, header: full("smhd", words([0])),
            table)
    }

    private static func track(
        _ number: Int, _ duration: Int, _ size: (width: Int, height: Int)?, handler: String, scale: Int, length: Int,
        header: [UInt8], _ table: [UInt8]
    ) -> [UInt8] {
        let trackHeader = full(
            "tkhd",
            words([0, 0, number, 0, duration, 0, 0]) + half(0) + half(0) + half(size == nil ? 0x100 : 0) + half(0)
                + unity.flatMap { word(Int($0)) } + word((size?.width ?? 0) << 16) + word((size?.height ?? 0) << 16),
            flags: 3)
        // "und" in three letters of five bits (ISO/IEC 14496-12, 8.4.2.3).
        let mediaHeader = full("mdhd", words([0, 0, scale, length]) + half(0x55C4) + half(0))
        let name = full("hdlr", word(0) + Array(handler.utf8) + words([0, 0, 0]) + [0])
        let reference = box("dinf", full("dref", word(1) + full("url ", [], flags: 1)))
        let information = box("minf", header + reference + box("stbl", table))
        return box("trak", trackHeader + box("mdia", mediaHeader + name + information))
    }

    // MARK: - Sample tables

    private static func description(_ format: String, _ entry: [UInt8]) -> [UInt8] {
        full("stsd", word(1) + box(format, entry))
    }

    private static func chunks(_ chunks: [(count: Int, start: Int)], _ sizes: [Int], at start: Int) -> [UInt8] {
        var runs: [Int] = []
        for (index, chunk) in chunks.enumerated() where index == 0 || chunk.count != chunks[index - 1].count {
            runs += [index + 1, chunk.count, 1]
        }
        return full("stsc", words([runs.count / 3] + runs)) + full("stsz", words([0, sizes.count] + sizes))
            + full("stco", words([chunks.count] + chunks.map { start + $0.start }))
    }

    // MARK: - Boxes

    private static func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
        word(content.count + 8) + Array(name.utf8) + content
    }

    private static func full(_ name: String, _ content: [UInt8], flags: Int = 0) -> [UInt8] {
        box(name, word(flags) + content)
    }

    private static func descriptor(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        [tag, UInt8(truncatingIfNeeded: content.count)] + content
    }

    private static func word(_ value: Int) -> [UInt8] {
        var octets: [UInt8] = []
        octets.append(bigEndian: UInt32(truncatingIfNeeded: value))
        return octets
    }

    private static func words(_ values: [Int]) -> [UInt8] {
        var octets: [UInt8] = []
        octets.reserveCapacity(values.count * 4)
        for value in values { octets.append(bigEndian: UInt32(truncatingIfNeeded: value)) }
        return octets
    }

    private static func half(_ value: Int) -> [UInt8] {
        var octets: [UInt8] = []
        octets.append(bigEndian: UInt16(truncatingIfNeeded: value))
        return octets
    }
}
