// SPDX-License-Identifier: Apache-2.0

import Commands
import Console
import System

/// The descriptors of one place: the listening socket or terminal, and the connected host's stream.
final class PlacePort {
    private enum Way {
        case socket(ListeningSocket)
        case terminal(PlaceTerminal)
    }

    /// The value of `--hci` for hosts.
    let hci: String
    /// The host's stream; nil without a host. A terminal always has one.
    private(set) var stream: OctetStream?
    private let way: Way
    private var listening: Watch?

    init(_ way: PlacePlan.Way) throws(CommandError) {
        switch way {
        case .tcp(let host, let port):
            let socket = try ListeningSocket(host: host, port: port)
            hci = "tcp-client:\(host.contains(":") ? "[\(host)]" : host):\(socket.port ?? port)"
            self.way = .socket(socket)
        case .unix(let path):
            self.way = .socket(try ListeningSocket(path: path))
            hci = "unix:\(path)"
        case .terminal(let path):
            let terminal = try PlaceTerminal(path: path)
            hci = "serial:\(terminal.path),115200"
            self.way = .terminal(terminal)
        }
    }

    /// True for a terminal, whose host is noticed only by its first octets.
    var isTerminal: Bool {
        if case .terminal = way { return true }
        return false
    }

    /// Accepts hosts. `came` decides whether a connected host may stay; `ready` is called when it has sent octets, has
    /// disconnected, or accepts octets again.
    func open(
        on reactor: Reactor, came: @escaping () -> Bool, ready: @escaping () -> Void
    ) throws(CommandError) {
        switch way {
        case .terminal(let terminal): try hold(OctetStream(try terminal.open(), isSocket: false), on: reactor, ready)
        case .socket(let socket):
            do {
                listening = try reactor.watch(socket.descriptor, .readable) { [weak self] _ in
                    while let connection = socket.accept() {
                        let stream = OctetStream(connection, isSocket: true)
                        guard let self, came() else { continue }
                        try? hold(stream, on: reactor, ready)
                    }
                }
            } catch { throw .failed("\(hci): \(error)") }
        }
    }

    private func hold(_ stream: OctetStream, on reactor: Reactor, _ ready: @escaping () -> Void) throws(CommandError) {
        do throws(SystemError) { try stream.watch(on: reactor, ready: ready) } catch {
            throw .failed("\(hci): \(error)")
        }
        self.stream = stream
    }

    /// Disconnects the host. A terminal hangs up, and is replaced by a new one.
    func drop(on reactor: Reactor, ready: @escaping () -> Void) throws(CommandError) {
        stream?.stop()
        stream = nil
        guard case .terminal(let terminal) = way else { return }
        try hold(OctetStream(try terminal.open(), isSocket: false), on: reactor, ready)
    }

    /// Closes everything.
    func close() {
        listening?.cancel()
        stream?.stop()
        stream = nil
        if case .terminal(let terminal) = way { terminal.remove() }
    }
}
