// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import LockChannel
import System
import TestSupport
import Testing
import Timekeeping

@testable import readerd_matter

/// The connection to the reader, on a real socket.
struct ReaderConnectionTests {
    /// A reader of another version is told, also where it was missing before.
    @Test
    func eachReasonIsToldOnce() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/reader.sock"
        let reactor = try Reactor()
        let connection = ReaderConnection(path, reactor)
        var told: [String] = []
        var listener: CInt = -1
        connection.start { event in
            guard case .lost(let reason) = event else { return }
            told.append(reason)
            if told.count == 1 {
                listener = readerd_listen_unix(path, path.utf8.count, 0o600, 4)
                _ = try? reactor.watch(listener, .readable) { _ in
                    let peer = readerd_accept(listener)
                    guard peer >= 0 else { return }
                    _ = readerd_send(peer, "{\"reader\":{}}\n", 14)
                    readerd_close(peer)
                }
            } else {
                // One more round with the same reason.
                reactor.schedule(at: reactor.now + .milliseconds(2500)) { reactor.stop() }
            }
        }
        try reactor.run()
        connection.close()
        readerd_close(listener)
        #expect(told.count == 2)
        #expect(told.first == "cannot connect: No such file or directory")
        #expect(told.last?.contains("the reader sent an invalid message: 1: reader: lacks") == true, "\(told)")
    }
}
