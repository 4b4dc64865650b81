// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// The process that performs only the bare operations; `BareExchange` defines its requests.
public enum BarePeer {
    /// Connects to the socket, given as the transport name `unix:PATH`, and performs requests until the peer closes
    /// it. False if the connection failed.
    public static func serve(_ transport: String) -> Bool {
        let prefix = "unix:"
        guard transport.hasPrefix(prefix), var work = BareWork() else { return false }
        let path = transport.dropFirst(prefix.count)
        var isConnecting = false
        let descriptor = String(path).withCString {
            readerd_connect_unix($0, path.utf8.count, false, &isConnecting)
        }
        guard descriptor >= 0 else { return false }
        defer { readerd_close(descriptor) }
        // The socket is non-blocking, as the reader's is; waiting is a separate call.
        var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        var request = [UInt8](repeating: 0, count: 4096)
        while poll(&wait, 1, -1) >= 0 || errno == EINTR {
            let count = readerd_read(descriptor, &request, request.count)
            if count == -Int64(EAGAIN) { continue }
            let processor = ProcessMeter.nanoseconds(of: CLOCK_THREAD_CPUTIME_ID) ?? 0
            let start = readerd_monotonic_nanoseconds()
            guard count > 0 else { return true }
            let isDone = work.carryOut(BareExchange.Request(rawValue: request[0]))
            let took = readerd_monotonic_nanoseconds() - start
            let used = (ProcessMeter.nanoseconds(of: CLOCK_THREAD_CPUTIME_ID) ?? 0) - processor
            let answer: InlineArray<3, Int64> = [isDone ? 1 : 0, took, used]
            let sent = answer.span.withUnsafeBufferPointer {
                readerd_send(descriptor, $0.baseAddress, BareExchange.answerCount)
            }
            guard sent == Int64(BareExchange.answerCount) else { return true }
        }
        return true
    }
}
