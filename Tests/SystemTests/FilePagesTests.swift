// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Testing

/// Release of mapped file pages during operation.
struct FilePagesTests {
    /// The size in kB of the file mappings that are resident in the process (proc(5)).
    private static func mappedOfFiles() throws -> Int {
        let file = try #require(fopen("/proc/self/status", "r"))
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, CInt(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard text.hasPrefix("RssFile:") else { continue }
            return try #require(Int(text.filter(\.isNumber)))
        }
        Issue.record("/proc/self/status has no RssFile")
        return 0
    }

    /// Constants and data relocated by the dynamic linker are unchanged: a table of functions is in RELRO.
    @Test func whatIsReadIsMappedLessAndWhatWasWrittenStays() throws {
        let words = ["door", "lock", "öffnen"]
        let before = try FilePagesTests.mappedOfFiles()
        var given = 0
        // Other tests run at the same time and fault pages in again.
        let least = try (0..<20).map { _ in
            given = readerd_give_back_file_pages()
            return try FilePagesTests.mappedOfFiles()
        }.min()
        #expect(given > 1_000_000)
        #expect(try #require(least) < before)
        #expect(words.map { $0.uppercased() } == ["DOOR", "LOCK", "ÖFFNEN"])
        let values: [any CustomStringConvertible] = [1, 2.5, "three", UInt8(4)]
        #expect(values.map(\.description) == ["1", "2.5", "three", "4"])
    }
}
