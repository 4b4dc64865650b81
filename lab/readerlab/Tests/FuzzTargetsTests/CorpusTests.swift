// SPDX-License-Identifier: Apache-2.0

import Foundation
import FuzzTargets
import TestSupport
import Testing

/// The corpus of `script/fuzz` with the targets as the tests are built: without libFuzzer, in a part of its time. A
/// finding ends the process, with a line that names it.
///
/// One after the other: a target may keep what it has made for its next input.
@Suite("the fuzz targets' corpus", .serialized) struct CorpusTests {
    /// So many inputs are made from each of the corpus.
    private static let variants = 8

    private static let corpus = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fuzz/Corpus")

    @Test("every input, and inputs with a change, keep the target's promises", arguments: FuzzTarget.all.map(\.name))
    func promises(name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let folder = CorpusTests.corpus.appending(path: name)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(!files.isEmpty)
        for file in files {
            let octets = try [UInt8](Data(contentsOf: folder.appending(path: file)))
            target(octets)
            var random = SplitMix64(seed: UInt64(octets.count))
            for _ in 0..<CorpusTests.variants { target(CorpusTests.changed(octets, &random)) }
        }
    }

    @Test("each folder of the corpus is a target's") func folders() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: CorpusTests.corpus.path)
        #expect(Set(folders) == Set(FuzzTarget.all.map(\.name)))
    }

    /// The input with an octet that is another, one more or one less, or without its end.
    private static func changed(_ octets: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
        let other = UInt8.random(in: 0...255, using: &random)
        guard let place = octets.indices.randomElement(using: &random) else { return [other] }
        var changed = octets
        switch Int.random(in: 0..<4, using: &random) {
        case 0: changed[place] = other
        case 1: changed.insert(other, at: place)
        case 2: changed.remove(at: place)
        default: changed.removeSubrange(place...)
        }
        return changed
    }
}
