// SPDX-License-Identifier: Apache-2.0

import ActionCamera

/// A reader of MP4 files for tests, which shares no code with the writer.
struct MP4File {
    private let octets: [UInt8]
    private var boxes: [(path: String, content: Range<Int>)] = []
    /// The names of the outermost boxes.
    private(set) var top: [String] = []

    init?(_ clip: Clip) {
        octets = clip.octets(in: 0..<clip.count)
        guard octets.count == clip.count, walk(0..<octets.count, "") else { return nil }
    }

    private mutating func walk(_ range: Range<Int>, _ path: String) -> Bool {
        var at = range.lowerBound
        while at < range.upperBound {
            guard at + 8 <= range.upperBound else { return false }
            let size = word(at), name = String(decoding: octets[at + 4..<at + 8], as: UTF8.self)
            guard size >= 8, at + size <= range.upperBound else { return false }
            let content = at + 8..<at + size
            if path.isEmpty { top.append(name) }
            boxes.append((path + "/" + name, content))
            if ["moov", "trak", "mdia", "minf", "stbl", "dinf"].contains(name) {
                guard walk(content, path + "/" + name) else { return false }
            }
            at += size
        }
        return true
    }

    func word(_ at: Int) -> Int { octets[at..<at + 4].reduce(0) { $0 << 8 | Int($1) } }

    /// The content of a box of the track with this handler.
    func box(_ name: String, of handler: String) -> ArraySlice<UInt8>? {
        var isWanted = false
        for box in boxes {
            if box.path.hasSuffix("/hdlr") {
                let at = box.content.lowerBound + 8
                isWanted = octets[at..<at + 4].elementsEqual(handler.utf8)
            }
            if isWanted, box.path.hasSuffix("/" + name) { return octets[box.content] }
        }
        return nil
    }

    /// The number of samples of a track.
    func samples(of handler: String) -> Int? { box("stsz", of: handler).map { word($0.startIndex + 8) } }

    /// The place of each sample: from the chunks and the sizes.
    func places(of handler: String) -> [Range<Int>] {
        guard let sizes = box("stsz", of: handler), let chunks = box("stco", of: handler),
            let runs = box("stsc", of: handler)
        else { return [] }
        var places: [Range<Int>] = []
        var run = 0
        for chunk in 0..<word(chunks.startIndex + 4) {
            while run + 1 < word(runs.startIndex + 4), word(runs.startIndex + 8 + (run + 1) * 12) <= chunk + 1 {
                run += 1
            }
            var at = word(chunks.startIndex + 8 + chunk * 4)
            for _ in 0..<word(runs.startIndex + 12 + run * 12) {
                let size = word(sizes.startIndex + 12 + places.count * 4)
                places.append(at..<at + size)
                at += size
            }
        }
        return places
    }

    subscript(_ range: Range<Int>) -> ArraySlice<UInt8> { octets[range] }

    /// The width and height of the pictures.
    var size: [Int]? {
        boxes.first { $0.path.hasSuffix("/tkhd") }.map { box in
            [word(box.content.upperBound - 8) >> 16, word(box.content.upperBound - 4) >> 16]
        }
    }

    /// The time scale of the movie.
    var timeScale: Int? { boxes.first { $0.path.hasSuffix("/mvhd") }.map { word($0.content.lowerBound + 12) } }
}
