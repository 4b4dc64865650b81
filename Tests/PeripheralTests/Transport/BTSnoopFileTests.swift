// SPDX-License-Identifier: Apache-2.0

import Foundation
import Peripheral
import Testing

/// A capture in a file.
@Suite struct BTSnoopFileTests {
    private func inDirectory(_ body: (String) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("btsnoop-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: path, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: path) }
        try body(path.path)
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test func holdsHeaderAndPacketsAndIsPrivate() throws {
        try inDirectory { directory in
            let path = directory + "/a.btsnoop"
            let file = try BTSnoopFile(path: path)
            #expect(try mode(path) == 0o600)
            let packet: [UInt8] = [0x04, 0x10, 0x01, 0x2A]
            try file.record(packet.span, .received)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count == 16)
            try file.flush()
            let octets = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
            var reader = try BTSnoopReader(octets.span)
            let record = try #require(try reader.next(octets.span))
            #expect(Array(octets[record.packet]) == packet)
            #expect(record.direction == .received)
            // Not before this was written, and not in a far future.
            #expect((1_767_225_600_000_000...4_102_444_800_000_000).contains(record.microseconds))
            #expect(try reader.next(octets.span) == nil)
        }
    }

    @Test func anOldFileIsEmptiedAndMadePrivate() throws {
        try inDirectory { directory in
            let path = directory + "/a.btsnoop"
            try Data(repeating: 0x55, count: 100).write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            _ = try BTSnoopFile(path: path)
            #expect(try mode(path) == 0o600)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count == 16)
        }
    }

    @Test func whatCannotBeACaptureIsSaidInOneLine() throws {
        try inDirectory { directory in
            let link = directory + "/link"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: directory + "/elsewhere")
            for (path, end) in [
                (directory + "/no/a", "use an existing directory"), (directory, "use a file in it"),
                (link, "use its target"), ("/dev/null", "not a regular file; use another"),
            ] {
                let error = #expect(throws: CaptureFileError.self) { try BTSnoopFile(path: path) }
                #expect(error?.description.hasPrefix(path + ": ") == true)
                #expect(error?.description.hasSuffix(end) == true)
                #expect(error?.description.contains("\n") == false)
            }
            #expect(!FileManager.default.fileExists(atPath: directory + "/elsewhere"))
        }
    }
}
