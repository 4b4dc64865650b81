// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// A client of the control socket: sends one line and waits for one.
final class ControlCaller {
    private let path: String
    private let descriptor: CInt
    private var octets: [UInt8] = []
    private var timeoutMilliseconds = ControlCaller.timeoutMilliseconds

    /// The time for an answer: longer than a disk operation for which an opening waits.
    private static let timeoutMilliseconds: Int32 = 5000
    /// The maximum length of an answer in octets, many times the metrics.
    private static let answerCount = 1 << 20

    /// Connects to the reader that listens at `path`. One that does not listen yet, or is busy, is tried again after
    /// each of `pauses` calls of `pause`; no other failure passes by itself.
    init(path: String, pauses: Int = 0, pause: () -> Void = {}) throws(ReaderdError) {
        self.path = path
        var result = ControlCaller.connect(path)
        for _ in 0..<pauses where [-ENOENT, -ECONNREFUSED, -EAGAIN].contains(result) {
            pause()
            result = ControlCaller.connect(path)
        }
        descriptor = result
        guard descriptor >= 0 else { throw ControlCaller.failure(path, errno: -descriptor) }
    }

    /// The connected descriptor, or a negative error.
    private static func connect(_ path: String) -> CInt {
        var isConnecting = false
        return readerd_connect_unix(path, path.utf8.count, false, &isConnecting)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    private static func failure(_ path: String, errno: Int32) -> ReaderdError {
        switch errno {
        case ENOENT, ECONNREFUSED, ENOTDIR:
            .failed("\(path): no reader listens; start it, or name its socket with --control")
        case EACCES, EPERM:
            .failed("\(path): permission denied; run this as root or as a member of the socket's group")
        case EAGAIN: .failed("\(path): the reader is busy; try again")
        default: .file(path, "connect to it", errno: errno)
        }
    }

    /// Sends a request, and waits for its answer, which takes the reader `seconds` to prepare.
    func send(_ request: String, lasting seconds: Int = 0) throws(ReaderdError) -> [UInt8] {
        timeoutMilliseconds = ControlCaller.timeoutMilliseconds + Int32(seconds) * 1000
        // A request is far shorter than a new connection's buffer.
        let line = Array((request + "\n").utf8)
        let count = readerd_send(descriptor, line, line.count)
        // A reader that rejects the client sends its answer before it closes the connection.
        guard count == line.count || count == Int64(-EPIPE) else {
            throw .file(path, "send to it", errno: count < 0 ? Int32(-count) : EIO)
        }
        return try nextLine(ControlCaller.answerCount)
    }

    private func nextLine(_ limit: Int) throws(ReaderdError) -> [UInt8] {
        while true {
            if let end = octets.firstIndex(of: 0x0A) {
                let line = Array(octets[..<end])
                octets.removeFirst(end + 1)
                return line
            }
            guard octets.count <= limit else {
                throw .failed(
                    "\(path): the answer is too long for a reader's; check "
                        + "the socket")
            }
            try readMore()
        }
    }

    private func readMore() throws(ReaderdError) {
        var probe = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let ready = poll(&probe, 1, timeoutMilliseconds)
        if ready < 0, errno == EINTR { return }
        guard ready > 0 else { throw .failed("\(path): no answer from the reader; see its log") }
        var piece = [UInt8](repeating: 0, count: 1 << 14)
        let count = readerd_read(descriptor, &piece, piece.count)
        guard count > 0 else {
            if count == Int64(-EAGAIN) { return }
            throw .failed("\(path): the reader closed the connection; check that it runs")
        }
        octets.append(contentsOf: piece[..<Int(count)])
    }
}
