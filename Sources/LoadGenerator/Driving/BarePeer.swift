import CLinux
import Glibc

/// The process that does nothing but the bare operations: `BareExchange` has what it is asked.
public enum BarePeer {
    /// Connects to the socket, given as a transport's name, `unix:PATH`, and does what it is asked until the other end
    /// closes. False if that could not be begun.
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
        // It does not block, no more than the reader's does: what waits is a call of its own.
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
