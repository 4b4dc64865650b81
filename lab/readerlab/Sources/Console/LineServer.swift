// SPDX-License-Identifier: Apache-2.0

package import Commands
package import System

/// A Unix socket whose clients write commands, one a line, and receive lines.
package final class LineServer {
    /// A connection.
    package final class Client {
        fileprivate let stream: OctetStream
        fileprivate var lines = CommandLines()
        /// The name of an introduced client.
        package var name: String?

        fileprivate init(_ stream: OctetStream) { self.stream = stream }

        /// Queues a line.
        package func send(_ line: String) { stream.append(Array((line + "\n").utf8)) }
    }

    private let path: String
    private let socket: ListeningSocket
    private let clientLimit: Int
    private let maximumWaiting: Int
    private var listening: Watch?
    package private(set) var clients: [Client] = []
    private var receive: ([String], Client) -> Void = { _, _ in }
    private var part: (Client) -> Void = { _ in }

    /// Creates the socket.
    ///
    /// - Parameter clientLimit: the maximum number of clients; further ones are disconnected.
    /// - Parameter maximumWaiting: the maximum number of octets queued for a client that does not read them.
    package init(path: String, clientLimit: Int, maximumWaiting: Int) throws(CommandError) {
        (self.path, self.clientLimit, self.maximumWaiting) = (path, clientLimit, maximumWaiting)
        socket = try ListeningSocket(path: path)
    }

    /// Accepts clients. `receive` handles the lines that have arrived, without empty ones, and `part` the end of a
    /// client.
    package func open(
        on reactor: Reactor, receive: @escaping ([String], Client) -> Void,
        part: @escaping (Client) -> Void = { _ in }
    ) throws(CommandError) {
        (self.receive, self.part) = (receive, part)
        do throws(SystemError) {
            listening = try reactor.watch(socket.descriptor, .readable) { [weak self] _ in
                guard let self else { return }
                while let connection = socket.accept() { accept(OctetStream(connection, isSocket: true), on: reactor) }
            }
        } catch { throw .failed("unix:\(path): \(error)") }
    }

    /// Closes the socket and its clients.
    package func close() {
        listening?.cancel()
        for client in clients { client.stream.stop() }
        clients.removeAll()
    }

    /// Writes queued lines as much as possible.
    package func flush() { for client in clients { _ = client.stream.flush() } }

    private func accept(_ stream: OctetStream, on reactor: Reactor) {
        guard clients.count < clientLimit else { return }
        let client = Client(stream)
        do throws(SystemError) {
            try stream.watch(on: reactor) { [weak self, weak client] in
                if let self, let client { ready(client) }
            }
        } catch { return }
        clients.append(client)
    }

    private func ready(_ client: Client) {
        var lines: [String] = []
        let isOpen = client.stream.read { octets in
            octets.withUnsafeBufferPointer { lines = client.lines.append(Array($0)[...]) }
        }
        receive(lines.filter { !$0.isEmpty }, client)
        guard !isOpen || !client.stream.flush() || client.stream.waiting > maximumWaiting else { return }
        client.stream.stop()
        clients.removeAll { $0 === client }
        part(client)
    }
}
