// SPDX-License-Identifier: Apache-2.0

import Glibc
import System
import TestSupport
import Testing

@Suite struct LocalDatagramSocketTests {
    private static func octets(_ text: String) -> [UInt8] { Array(text.utf8) }

    private static func received(_ socket: LocalDatagramSocket) throws -> [UInt8]? {
        var result: [UInt8]?
        let isThere = try socket.receive { datagram in
            result = (0..<datagram.count).map { datagram[$0] }
        }
        #expect(isThere == (result != nil))
        return result
    }

    /// Two sockets that answer each other: the daemon's end needs a name, too.
    @Test func talksBothWays() throws {
        let directory = try TemporaryDirectory()
        let here = "\(directory.path)/here"
        let there = "\(directory.path)/there"
        // A socket of this name has to exist first.
        let placeholder = try LocalDatagramSocketTests.bound(there)
        let one = try LocalDatagramSocket(to: there, own: here)
        #expect(try Self.received(one) == nil)
        try one.send(Self.octets("PING"))
        var datagram = [UInt8](repeating: 0, count: 16)
        #expect(recv(placeholder, &datagram, 16, 0) == 4)
        #expect(datagram.prefix(4) == [0x50, 0x49, 0x4E, 0x47])
        close(placeholder)
    }

    @Test func strangersAreNotHeard() throws {
        let directory = try TemporaryDirectory()
        let here = "\(directory.path)/here"
        let there = "\(directory.path)/there"
        let daemon = try LocalDatagramSocketTests.bound(there)
        defer { close(daemon) }
        let one = try LocalDatagramSocket(to: there, own: here)
        // A connected socket accepts datagrams from its peer only.
        #expect(throws: SystemError(call: "connect", code: EPERM)) {
            try LocalDatagramSocket(to: here, own: "\(directory.path)/answering")
        }
        #expect(try Self.received(one) == nil)
    }

    @Test func itsFileIsForItsOwnerAndGoesWithIt() throws {
        let directory = try TemporaryDirectory()
        let here = "\(directory.path)/here"
        let there = "\(directory.path)/there"
        let daemon = try LocalDatagramSocketTests.bound(there)
        defer { close(daemon) }
        do {
            let one = try LocalDatagramSocket(to: there, own: here)
            var found = stat()
            #expect(lstat(here, &found) == 0)
            #expect(found.st_mode & 0o777 == 0o600)
            withExtendedLifetime(one) {}
        }
        #expect(access(here, F_OK) == -1)
    }

    @Test func nameOfAProcessThatIsGoneIsTaken() throws {
        let directory = try TemporaryDirectory()
        let here = "\(directory.path)/here"
        let there = "\(directory.path)/there"
        let daemon = try LocalDatagramSocketTests.bound(there)
        defer { close(daemon) }
        close(try LocalDatagramSocketTests.bound(here))
        _ = try LocalDatagramSocket(to: there, own: here)
        // A file that is not a socket is kept.
        close(open(here, O_CREAT | O_WRONLY, 0o600))
        #expect(throws: SystemError(call: "connect", code: EADDRINUSE)) {
            try LocalDatagramSocket(to: there, own: here)
        }
        #expect(access(here, F_OK) == 0)
    }

    @Test func nobodyThere() throws {
        let directory = try TemporaryDirectory()
        #expect(throws: SystemError(call: "connect", code: ENOENT)) {
            try LocalDatagramSocket(to: "\(directory.path)/there", own: "\(directory.path)/here")
        }
        #expect(access("\(directory.path)/here", F_OK) == -1)
        let there = "\(directory.path)/there"
        let daemon = try LocalDatagramSocketTests.bound(there)
        let one = try LocalDatagramSocket(to: there, own: "\(directory.path)/here")
        close(daemon)
        #expect(throws: SystemError(call: "send", code: ECONNREFUSED)) { try one.send([0x00]) }
    }

    /// A datagram socket with this name.
    private static func bound(_ path: String) throws -> CInt {
        let descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) {
            $0.copyBytes(from: Array(path.utf8).prefix($0.count - 1))
        }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw SystemError(call: "bind", code: errno) }
        return descriptor
    }
}
