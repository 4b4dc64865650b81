// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
package import System

/// A connected non-blocking descriptor on a reactor: received octets, and a bounded queue of octets to send. Closed on
/// deinitialization.
package final class OctetStream {
    /// The size of one read, so that other streams get their turn.
    private static let readCount = 16 * 1024

    package let descriptor: CInt
    private let isSocket: Bool
    private var watch: Watch?
    private var queue: [UInt8] = []
    private var head = 0

    /// Takes ownership of a non-blocking descriptor.
    package init(_ descriptor: CInt, isSocket: Bool) {
        self.descriptor = descriptor
        self.isSocket = isSocket
    }

    deinit { readerd_close(descriptor) }

    /// The number of queued octets.
    package var waiting: Int { queue.count - head }

    /// Calls `ready` whenever octets can be read or queued octets written.
    package func watch(on reactor: Reactor, ready: @escaping () -> Void) throws(SystemError) {
        watch = try reactor.watch(descriptor, .readable) { _ in ready() }
    }

    /// Ends the watch, before the owner releases the stream.
    package func stop() {
        watch?.cancel()
        watch = nil
    }

    /// Passes the octets of one read to `take`. False if the peer has closed.
    package func read(_ take: (Span<UInt8>) -> Void) -> Bool {
        let count = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: OctetStream.readCount) { buffer in
            let count = readerd_read(descriptor, buffer.baseAddress, buffer.count)
            if count < buffer.count { watch?.drained() }
            if count > 0 { take(UnsafeBufferPointer(rebasing: buffer[..<Int(count)]).span) }
            return count
        }
        return count > 0 || count == -Int64(EAGAIN)
    }

    /// Queues octets.
    package func append(_ octets: [UInt8]) {
        if head == queue.count {
            queue.removeAll(keepingCapacity: true)
            head = 0
        }
        queue.append(contentsOf: octets)
    }

    /// Writes queued octets as much as possible. False if the peer has closed.
    package func flush() -> Bool {
        while head < queue.count {
            let count = queue.withUnsafeBytes { octets in
                let rest = octets.baseAddress.map { $0 + head }
                return isSocket
                    ? readerd_send(descriptor, rest, octets.count - head)
                    : readerd_write(descriptor, rest, octets.count - head)
            }
            if count == -Int64(EAGAIN) { break }
            guard count > 0 else { return false }
            head += Int(count)
        }
        if head == queue.count {
            queue.removeAll(keepingCapacity: true)
            head = 0
        } else if head >= OctetStream.readCount {
            queue.removeFirst(head)
            head = 0
        }
        try? watch?.modify(waiting > 0 ? [.readable, .writable] : .readable)
        return true
    }
}
