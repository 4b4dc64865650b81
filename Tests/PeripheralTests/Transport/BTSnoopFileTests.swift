// SPDX-License-Identifier: Apache-2.0

import Glibc
import Peripheral
import TestSupport
import Testing

/// A capture in a file.
@Suite struct BTSnoopFileTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path + "/a.btsnoop" }

    init() throws { directory = try TemporaryDirectory() }

    @Test func holdsHeaderAndPacketsAndIsPrivate() throws {
        let file = try BTSnoopFile(path: path)
        #expect(directory.mode(of: "a.btsnoop") == 0o600)
        let packet: [UInt8] = [0x04, 0x10, 0x01, 0x2A]
        try file.record(packet.span, .received)
        #expect(directory.size(of: "a.btsnoop") == 16)
        try file.flush()
        let octets = try directory.octets(of: "a.btsnoop")
        var reader = try BTSnoopReader(octets.span)
        let record = try #require(try reader.next(octets.span))
        #expect(Array(octets[record.packet]) == packet)
        #expect(record.direction == .received)
        // Not before this was written, and not in a far future.
        #expect((1_767_225_600_000_000...4_102_444_800_000_000).contains(record.microseconds))
        #expect(try reader.next(octets.span) == nil)
    }

    @Test func anOldFileIsEmptiedAndMadePrivate() throws {
        try directory.write("a.btsnoop", [UInt8](repeating: 0x55, count: 100))
        _ = try BTSnoopFile(path: path)
        #expect(directory.mode(of: "a.btsnoop") == 0o600)
        #expect(directory.size(of: "a.btsnoop") == 16)
    }

    @Test func whatCannotBeACaptureIsSaidInOneLine() throws {
        let link = directory.path + "/link"
        try #require(symlink(directory.path + "/elsewhere", link) == 0)
        for (path, end) in [
            (directory.path + "/no/a", "use an existing directory"), (directory.path, "use a file in it"),
            (link, "use its target"), ("/dev/null", "not a regular file; use another"),
        ] {
            let error = #expect(throws: CaptureFileError.self) { try BTSnoopFile(path: path) }
            #expect(error?.description.hasPrefix(path + ": ") == true)
            #expect(error?.description.hasSuffix(end) == true)
            #expect(error?.description.contains("\n") == false)
        }
        #expect(directory.names() == ["link"])
    }
}
