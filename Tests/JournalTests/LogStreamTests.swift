// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Testing

@testable import Journal

@Suite struct LogStreamTests {
    /// A door whose log nobody reads goes on: the write must not wait, here on a pipe that blocks.
    @Test func aStreamThatNobodyReadsLosesLinesAndSaysSo() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let stream = LogStream(ends[1])
        let line = String(repeating: "x", count: 99) + "\n"
        // The pipe holds 64 KiB.
        for _ in 0..<1000 { stream.write(line) }
        var read = drain(ends[0])
        #expect(read.count > 600 && read.count < 1000)
        #expect(read.allSatisfy { $0 == String(line.dropLast()) })
        let lost = 1000 - read.count

        stream.write("later\n")
        stream.write("and later\n")
        read = drain(ends[0])
        #expect(read == ["(\(lost) log lines lost here: standard error was not read)", "later", "and later"])
    }

    /// The lines that stand in the pipe.
    private func drain(_ descriptor: Int32) -> [String] {
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        var stream = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while poll(&stream, 1, 0) == 1 {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            text += buffer[..<count]
        }
        return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
