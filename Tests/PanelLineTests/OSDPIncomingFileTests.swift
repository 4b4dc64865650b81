// SPDX-License-Identifier: Apache-2.0

import Crypto
import Glibc
import System
import TestSupport
import Testing

@testable import PanelLine

/// A file that a panel sends: never whole before its last octet is on the disk.
struct OSDPIncomingFileTests {
    private let directory: TemporaryDirectory
    private let file: OSDPIncomingFile

    init() throws {
        directory = try TemporaryDirectory()
        file = OSDPIncomingFile(path: directory.path + "/osdp.update")
    }

    private func mode(_ path: String) -> mode_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : nil
    }

    @Test func partsBecomeAFile() throws {
        try file.append(Array("ab".utf8), at: 0)
        #expect(mode(file.path) == nil && mode(file.incompletePath) == 0o600)
        try file.append(Array("c".utf8), at: 2)
        // SHA-256 of "abc", FIPS 180-4.
        #expect(
            try file.finish(count: 3)
                == octets("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"))
        #expect(mode(file.path) == 0o600 && mode(file.incompletePath) == nil)
        // A later one replaces it when it is whole, and not before.
        try file.append([1], at: 0)
        file.removeIncomplete()
        #expect(mode(file.path) == 0o600 && mode(file.incompletePath) == nil)
    }

    @Test func whatIsMissingIsNoFile() throws {
        #expect(throws: DurableFile.Failure.self) { try file.append([1], at: 5) }
        try file.append([1, 2], at: 0)
        #expect(throws: DurableFile.Failure.self) { try file.append([3], at: 3) }
        #expect(throws: DurableFile.Failure.self) { try file.finish(count: 3) }
        #expect(mode(file.path) == nil)
    }

    /// Nobody's link leads the octets elsewhere.
    @Test func linksAreNotFollowed() throws {
        try directory.write("other", "")
        #expect(symlink(directory.path + "/other", file.incompletePath) == 0)
        #expect(throws: DurableFile.Failure.self) { try file.append([1], at: 1) }
        try file.append([1], at: 0)
        var status = stat()
        #expect(stat(directory.path + "/other", &status) == 0 && status.st_size == 0)
    }
}
