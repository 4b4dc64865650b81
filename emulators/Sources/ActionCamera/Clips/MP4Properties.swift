// SPDX-License-Identifier: Apache-2.0

/// The properties of an MP4 file in lists, read from its `moov` (ISO/IEC 14496-12).
public struct MP4Properties: Equatable, Sendable {
    /// The length in seconds.
    public var seconds = 0.0
    /// The width in pixels.
    public var width = 0
    /// The height in pixels.
    public var height = 0
    /// Frames a second.
    public var rate = 0.0

    /// Reads the content of `moov`; nil without a movie header and a picture.
    public init?(moov: [UInt8]) {
        let boxes = MP4Box.list(moov, 0..<moov.count)
        guard let header = boxes.first(where: { $0.name == "mvhd" }),
            let time = MP4Properties.time(moov, header.content), time.scale > 0
        else { return nil }
        seconds = Double(time.duration) / Double(time.scale)
        for track in boxes where track.name == "trak" { readPicture(moov, track) }
        guard width > 1, height > 1, seconds > 0, rate > 0 else { return nil }
    }

    private mutating func readPicture(_ octets: [UInt8], _ track: MP4Box) {
        let boxes = MP4Box.list(octets, track.content)
        guard let media = boxes.first(where: { $0.name == "mdia" }),
            let header = boxes.first(where: { $0.name == "tkhd" }), header.content.count >= 8
        else { return }
        let parts = MP4Box.list(octets, media.content)
        guard let handler = parts.first(where: { $0.name == "hdlr" }), handler.content.count >= 12,
            octets[handler.content.lowerBound + 8..<handler.content.lowerBound + 12].elementsEqual("vide".utf8),
            let times = parts.first(where: { $0.name == "mdhd" }),
            let time = MP4Properties.time(octets, times.content), time.scale > 0, time.duration > 0,
            let information = parts.first(where: { $0.name == "minf" }),
            let table = MP4Box.list(octets, information.content).first(where: { $0.name == "stbl" }),
            let sizes = MP4Box.list(octets, table.content).first(where: { $0.name == "stsz" }),
            let count = MP4Box.word(octets, sizes.content, 8),
            let wide = MP4Box.word(octets, header.content, header.content.count - 8),
            let high = MP4Box.word(octets, header.content, header.content.count - 4)
        else { return }
        width = Int(wide >> 16) & ~1
        height = Int(high >> 16) & ~1
        rate = Double(count) * Double(time.scale) / Double(time.duration)
    }

    /// The time scale and the duration of `mvhd` or `mdhd`, of both versions.
    private static func time(_ octets: [UInt8], _ content: Range<Int>) -> (scale: UInt32, duration: UInt64)? {
        guard let version = content.isEmpty ? nil : octets[content.lowerBound] else { return nil }
        if version == 0 {
            guard let scale = MP4Box.word(octets, content, 12), let duration = MP4Box.word(octets, content, 16) else {
                return nil
            }
            return (scale, UInt64(duration))
        }
        guard let scale = MP4Box.word(octets, content, 20), let high = MP4Box.word(octets, content, 24),
            let low = MP4Box.word(octets, content, 28)
        else { return nil }
        return (scale, UInt64(high) << 32 | UInt64(low))
    }
}

/// A box of an MP4 file.
public struct MP4Box: Equatable, Sendable {
    /// The name.
    public var name: String
    /// The place of its content.
    public var content: Range<Int>

    /// The boxes in a range; what is no box ends the list.
    static func list(_ octets: [UInt8], _ range: Range<Int>) -> [MP4Box] {
        var boxes: [MP4Box] = []
        var at = range.lowerBound
        while let size = word(octets, range, at - range.lowerBound), at + 8 <= range.upperBound {
            guard size >= 8, Int(size) <= range.upperBound - at else { return boxes }
            let name = String(decoding: octets[at + 4..<at + 8], as: UTF8.self)
            boxes.append(MP4Box(name: name, content: at + 8..<at + Int(size)))
            at += Int(size)
        }
        return boxes
    }

    /// Four octets, most significant first; nil if they are not all there.
    static func word(_ octets: [UInt8], _ content: Range<Int>, _ index: Int) -> UInt32? {
        let at = content.lowerBound + index
        guard index >= 0, at + 4 <= content.upperBound else { return nil }
        return octets[at..<at + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The name and the size of a box from its first 16 octets, whose size may be of 64 bits; a size of 0 is up to the
    /// end of the file.
    public static func header(_ octets: [UInt8], left: Int) -> (name: String, header: Int, size: Int)? {
        guard octets.count >= 8, let size = word(octets, 0..<8, 0) else { return nil }
        let name = String(decoding: octets[4..<8], as: UTF8.self)
        if size == 0 { return (name, 8, left) }
        guard size == 1 else { return size >= 8 ? (name, 8, Int(size)) : nil }
        guard octets.count >= 16, let high = word(octets, 0..<16, 8), let low = word(octets, 0..<16, 12) else {
            return nil
        }
        guard let whole = Int(exactly: UInt64(high) << 32 | UInt64(low)), whole >= 16 else { return nil }
        return (name, 16, whole)
    }
}
