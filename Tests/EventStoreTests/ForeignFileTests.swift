// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reader
import TestSupport
import Testing

@testable import EventStore

/// Other things in the place of the log's files: a FIFO would hold an open for reading up for ever, and root with it.
@Suite struct ForeignFileTests {
    static let kinds = ["fifo", "socket", "directory", "link"]

    private static func make(_ kind: String, at path: String) throws {
        unlink(path)
        switch kind {
        case "fifo": try #require(mkfifo(path, 0o600) == 0)
        case "directory": try #require(mkdir(path, 0o700) == 0)
        case "link": try #require(symlink("/dev/zero", path) == 0)
        default:
            let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            let isBound = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            close(socket)
            try #require(isBound == 0)
        }
    }

    @Test(arguments: kinds) func isNoLog(kind: String) throws {
        let bench = try StoreBench()
        try Self.make(kind, at: bench.directory + "/events.db")
        #expect(throws: DiskFault.self) { try EventArchive(directory: bench.directory) }
        // A reader puts it aside, and begins another log.
        let log = try bench.database()
        #expect(log.state.loss?.hasPrefix("the file was damaged, and renamed to events.db.damaged-1") == true)
    }

    /// Beside a log: what SQLite keeps there.
    @Test(arguments: kinds, ["-wal", "-shm", "-journal"]) func isNoPartOfALog(kind: String, suffix: String) throws {
        let bench = try StoreBench()
        try bench.fill(3)
        try Self.make(kind, at: bench.directory + "/events.db" + suffix)
        // With or without an error: it ends.
        _ = try? EventArchive(directory: bench.directory).state()
    }

    @Test(arguments: kinds) func isNoHead(kind: String) throws {
        let bench = try StoreBench()
        try Self.make(kind, at: bench.directory + "/events.head")
        #expect(HeadFile.read(in: bench.directory) == .unreadable)
    }
}
