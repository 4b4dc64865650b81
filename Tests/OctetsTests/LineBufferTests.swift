// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Octets

@Suite struct LineBufferTests {
    private func all(_ lines: inout LineBuffer) -> [String] {
        var found: [String] = []
        while let line = lines.next() { found.append(String(decoding: line, as: UTF8.self)) }
        return found
    }

    @Test func linesComeInAnyPieces() {
        let text = Array("one\r\n\ntwo\nthree".utf8)
        for size in 1...text.count {
            var lines = LineBuffer(limit: 5)
            var found: [String] = []
            for start in stride(from: 0, to: text.count, by: size) {
                lines.append(text[start..<min(start + size, text.count)])
                found += all(&lines)
            }
            #expect(found == ["one", "", "two"])
            #expect(!lines.isTooLong)
        }
    }

    /// The longest line is taken, one octet more ends it, whether its end has come or not, and with any pieces.
    @Test func linesAreBounded() {
        for size in [1, 3, 100] {
            for (count, isTooLong) in [(5, false), (6, true), (50, true)] {
                var lines = LineBuffer(limit: 5)
                var found: [String] = []
                let text = Array((String(repeating: "x", count: count) + "\nnext\n").utf8)
                for start in stride(from: 0, to: text.count, by: size) {
                    lines.append(text[start..<min(start + size, text.count)])
                    found += all(&lines)
                }
                #expect(lines.isTooLong == isTooLong)
                #expect(found == (isTooLong ? [] : ["xxxxx", "next"]))
            }
        }
        var endless = LineBuffer(limit: 5)
        endless.append([UInt8](repeating: 0x20, count: 8))
        #expect(endless.next() == nil && endless.isTooLong)
    }
}
