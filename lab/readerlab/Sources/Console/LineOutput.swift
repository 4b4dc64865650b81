// SPDX-License-Identifier: Apache-2.0

import Glibc
package import System

/// Non-blocking output of lines on a shared descriptor such as standard output, which stays in blocking mode and is
/// written only while it is writable. Lines are queued for a slow reader; beyond a limit they are dropped and counted.
package final class LineOutput {
    /// The maximum number of queued octets.
    private static let maximumWaiting = 1 << 20
    /// The maximum number of octets per write: a writable pipe accepts this many without blocking (PIPE_BUF).
    private static let pieceCount = 4096

    private let descriptor: CInt
    private let reactor: Reactor
    private var queue: [UInt8] = []
    private var omitted = 0
    private var watch: Watch?
    private var isClosed = false

    package init(_ descriptor: CInt, on reactor: Reactor) {
        self.descriptor = descriptor
        self.reactor = reactor
    }

    /// Writes a line now, or queues it.
    package func write(_ line: String) {
        guard !isClosed else { return }
        guard queue.count < LineOutput.maximumWaiting else {
            omitted += 1
            return
        }
        if omitted > 0 {
            queue += Array("readerlab: \(omitted) lines are left out\n".utf8)
            omitted = 0
        }
        queue += Array((line + "\n").utf8)
        flush()
    }

    /// Ends the watch. Lines that cannot be written at once are lost.
    package func close() {
        flush()
        watch?.cancel()
        isClosed = true
    }

    private func flush() {
        while !queue.isEmpty {
            var probe = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard poll(&probe, 1, 0) > 0 else { return wait() }
            let count = queue.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress, min($0.count, LineOutput.pieceCount))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                // The reader has closed its end.
                isClosed = true
                queue.removeAll()
                break
            }
            queue.removeFirst(count)
        }
        watch?.cancel()
        watch = nil
    }

    private func wait() {
        guard watch == nil else { return }
        watch = try? reactor.watch(descriptor, .writable) { [weak self] _ in self?.flush() }
    }
}
