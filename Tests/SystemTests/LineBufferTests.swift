// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import System

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
                lines.append(text[start..<min(start + size, text.count)].span)
                found += all(&lines)
            }
            #expect(found == ["one", "", "two"])
            let isTooLong = lines.isTooLong
            #expect(!isTooLong)
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
                    lines.append(text[start..<min(start + size, text.count)].span)
                    found += all(&lines)
                }
                let wasTooLong = lines.isTooLong
                #expect(wasTooLong == isTooLong)
                #expect(found == (isTooLong ? [] : ["xxxxx", "next"]))
            }
        }
        var endless = LineBuffer(limit: 5)
        let spaces = [UInt8](repeating: 0x20, count: 8)
        endless.append(spaces.span)
        let line = endless.next()
        let isTooLong = endless.isTooLong
        #expect(line == nil && isTooLong)
    }

    /// Octets that have left a queue are gone from its storage.
    @Test func consumedOctetsAreOverwritten() {
        var queue = WipedQueue()
        Array("secret\nrest".utf8).withUnsafeBytes { queue.append($0) }
        let start = queue.octets
        queue.removeFirst(7)
        let count = queue.count
        #expect(count == 4 && start.prefix(7).allSatisfy { $0 == 0 } && start.dropFirst(7).elementsEqual("rest".utf8))
        queue.removeFirst(4)
        let isEmpty = queue.count == 0
        #expect(isEmpty)
    }

    /// Lines one after the other need no new storage, and find nothing of the last one there.
    @Test func anEmptyQueueKeepsOneWipedPiece() {
        var queue = WipedQueue()
        var places: Set<UnsafeRawPointer?> = []
        for number in 0..<50 {
            let written = queue.write(room: WipedQueue.keptCount) { room in
                #expect(number == 0 || room.allSatisfy { $0 == 0 })
                places.insert(UnsafeRawPointer(room.baseAddress))
                // More than is kept, as of a read that fails.
                room.copyBytes(from: "secret".utf8)
                return 3
            }
            #expect(written == 3)
            queue.removeFirst(3)
        }
        #expect(places.count == 1)
        // A longer piece is not kept.
        _ = queue.write(room: WipedQueue.keptCount + 1) { _ in 1 }
        queue.removeFirst(1)
        let capacity = queue.capacity
        #expect(capacity == 0)
    }

    /// Content that outgrows its storage, and pieces of a writer that has less than the room, or fails.
    @Test func aQueueKeepsTheOrder() {
        var queue = WipedQueue()
        var expected: [UInt8] = []
        for number in 0..<200 {
            let piece = [UInt8](repeating: UInt8(number), count: number % 7 * 31)
            if number.isMultiple(of: 2) {
                piece.withUnsafeBytes { queue.append($0) }
            } else {
                let written = queue.write(room: piece.count + 5) {
                    $0.copyBytes(from: piece)
                    return Int64(piece.count)
                }
                #expect(written == Int64(piece.count))
            }
            #expect(queue.write(room: 9) { _ in -11 } == -11)
            expected += piece
            let gone = min(expected.count, number % 5 * 20)
            queue.removeFirst(gone)
            expected.removeFirst(gone)
            let content = Array(queue.octets)
            #expect(content == expected)
        }
    }
}
