// SPDX-License-Identifier: Apache-2.0

import CLinux
import Commands
import Glibc
import Peripheral
import System

/// The control port of `python -m rig.radio`, which answers each line with `ok …` or `error …`, in order.
final class RadioControl {
    /// The longest answer (the port's own limit), and the most that may wait to be sent (seconds of levels), in octets.
    private static let limits = (line: 4096, waiting: 256 * 1024)

    private let socket: LineSocket
    private var waiting: [(line: String, answered: (String) -> Void)] = []
    private let failed: (CommandError) -> Void

    /// Connects to the port at `unix:PATH` or `tcp-client:HOST:PORT`.
    ///
    /// - Parameter failed: receives an error answer, or the loss of the connection.
    init(_ place: TransportName, _ reactor: Reactor, failed: @escaping (CommandError) -> Void) throws {
        self.failed = failed
        socket = LineSocket(
            try RadioControl.connect(place), lineLimit: RadioControl.limits.line,
            waitingLimit: RadioControl.limits.waiting)
        try socket.watch(on: reactor) { [weak self] in self?.ready() }
    }

    private static func connect(_ place: TransportName) throws -> CInt {
        var (isConnecting, resolution) = (false, CInt(0))
        let descriptor =
            switch place {
            case .unix(let path): readerd_connect_unix(path, path.utf8.count, false, &isConnecting)
            case .tcpClient(let host, let port): readerd_connect_tcp(host, String(port), &isConnecting, &resolution)
            default: -EINVAL
            }
        guard descriptor >= 0 else {
            throw CommandError.failed(
                "\(place): cannot reach the radio: \(String(cString: strerror(-descriptor))); start it with "
                    + "python -m rig.radio --control")
        }
        return descriptor
    }

    /// Sends a line. `answered` receives the text after `ok`.
    func send(_ words: String..., answered: @escaping (String) -> Void = { _ in }) {
        let line = words.joined(separator: " ")
        waiting.append((line, answered))
        socket.send(line)
        socket.updateInterest()
    }

    private func ready() {
        socket.receive()
        socket.flush()
        while let text = socket.nextLine({ String(decoding: $0, as: UTF8.self) }) {
            guard !waiting.isEmpty else { break }
            let asked = waiting.removeFirst()
            guard text == "ok" || text.hasPrefix("ok ") else {
                return failed(CommandError.failed("the radio refuses \(asked.line.debugDescription): \(text)"))
            }
            asked.answered(String(text.dropFirst(3)))
        }
        guard !socket.isLost, !socket.inputHasEnded, !socket.isTooLong else {
            return failed(CommandError.failed("the radio has ended; its log says why (--log FILE)"))
        }
        socket.updateInterest()
    }
}
