// SPDX-License-Identifier: Apache-2.0

import CLinux
import JSON
import System
import Timekeeping

/// The reader at the first place, observed at its control socket: its status, the notices of its gate, and the changes
/// of its lights and buzzer.
///
/// While the socket cannot be reached, it is tried again each second.
final class ObservedReader {
    /// The longest line, and the most that may wait to be sent, in octets.
    private static let limits = (line: 64 * 1024, waiting: 4096)
    private static let pause = Duration.seconds(1)
    private static let status = #"{"get":"status"}"#

    private let path: String
    private let reactor: Reactor
    private var socket: LineSocket?
    private lazy var timer = reactor.timer { [weak self] in self?.ask() }
    /// The present status; nil while the socket cannot be reached.
    private(set) var present: ReaderStatus?
    /// Receives each notice.
    var receive: (JSONNode) -> Void = { _ in }

    init(_ path: String, on reactor: Reactor) {
        (self.path, self.reactor) = (path, reactor)
    }

    func open() { ask() }

    func close() {
        timer.cancel()
        socket = nil
    }

    /// Asks for the status, and connects first.
    private func ask() {
        timer.set(reactor.now + ObservedReader.pause)
        if let socket { return send(ObservedReader.status, socket) }
        var isConnecting = false
        let descriptor = readerd_connect_unix(path, path.utf8.count, false, &isConnecting)
        guard descriptor >= 0 else { return }
        let socket = LineSocket(
            descriptor, lineLimit: ObservedReader.limits.line, waitingLimit: ObservedReader.limits.waiting)
        guard (try? socket.watch(on: reactor) { [weak self] in self?.ready() }) != nil else { return }
        self.socket = socket
        send(ObservedReader.status, socket)
        send(#"{"subscribe":"notices"}"#, socket)
        send(#"{"subscribe":"outputs"}"#, socket)
    }

    private func send(_ line: String, _ socket: LineSocket) {
        socket.send(line)
        socket.flush()
        socket.updateInterest()
    }

    private func ready() {
        guard let socket else { return }
        socket.receive()
        while let parsed = socket.nextLine({ try? JSONParser.parse($0) }) {
            guard let node = parsed else { continue }
            if let notice = node["notice"] {
                receive(notice)
                // The door may have changed.
                if notice["what"]?.content != .string("measured") { send(ObservedReader.status, socket) }
            } else if let change = node["output"] {
                present?.apply(change)
            } else if let status = ReaderStatus(node) {
                present = status
            }
        }
        socket.flush()
        if socket.isLost || socket.inputHasEnded || socket.isTooLong {
            (self.socket, present) = (nil, nil)
        } else {
            socket.updateInterest()
        }
    }
}
