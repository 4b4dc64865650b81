// SPDX-License-Identifier: Apache-2.0

import Testing
import Timekeeping

@testable import readerd

@Suite struct ControlLinesTests {
    private func all(_ lines: inout ControlLines) -> [String] {
        var found: [String] = []
        while let line = lines.next() { found.append(String(decoding: line, as: UTF8.self)) }
        return found
    }

    @Test func linesComeInAnyPieces() {
        let text = Array("one\r\n\ntwo\nthree".utf8)
        for size in 1...text.count {
            var lines = ControlLines(limit: 5)
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
                var lines = ControlLines(limit: 5)
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
        var endless = ControlLines(limit: 5)
        endless.append([UInt8](repeating: 0x20, count: 8))
        #expect(endless.next() == nil && endless.isTooLong)
    }
}

@Suite struct IdempotencyCacheTests {
    private let key = IdempotencyCache.Key(user: 1000, id: "a")
    private func at(_ seconds: Int) -> Instant { .origin + .seconds(seconds) }

    @Test func aRequestIsCarriedOutOnceAndAnsweredTheSame() {
        var memory = IdempotencyCache()
        #expect(memory.state(of: key, .unlock(.pulse), at: at(0)) == .new)
        #expect(memory.state(of: key, .unlock(.pulse), at: at(1)) == .underWay)
        // However long it takes.
        #expect(memory.state(of: key, .unlock(.pulse), at: at(100)) == .underWay)
        memory.answer(key, .refused(.logFull), at: at(100))
        #expect(memory.state(of: key, .unlock(.pulse), at: at(159)) == .answered(.refused(.logFull)))
        #expect(memory.state(of: key, .unlock(.extended), at: at(159)) == .other)
        // Another user's is another request.
        #expect(memory.state(of: .init(user: 1001, id: "a"), .unlock(.pulse), at: at(159)) == .new)
        #expect(memory.state(of: key, .unlock(.extended), at: at(160)) == .new)
    }

    /// What is not over is not forgotten for another's sake.
    @Test func withoutRoomARequestIsRefused() {
        var memory = IdempotencyCache()
        for number in 0..<IdempotencyCache.limit {
            let key = IdempotencyCache.Key(user: 0, id: "\(number)")
            #expect(memory.state(of: key, .tamperReset, at: at(0)) == .new)
            if number != 0 { memory.answer(key, .done, at: at(number == 1 ? 0 : 30)) }
        }
        #expect(memory.state(of: key, .tamperReset, at: at(59)) == .full)
        #expect(memory.state(of: key, .tamperReset, at: at(60)) == .new)
        #expect(memory.state(of: .init(user: 0, id: "0"), .tamperReset, at: at(500)) == .underWay)
    }
}
