// SPDX-License-Identifier: Apache-2.0

import Commands
import Console
import System

/// The control socket of the air: one command per line, answered to its client.
final class AirControl {
    /// The maximum number of clients; further ones are disconnected.
    private static let maximumClients = 8
    /// The maximum number of octets queued for a client that does not read its answers.
    private static let maximumWaiting = 256 * 1024

    private final class Client {
        let stream: OctetStream
        var lines = CommandLines()

        init(_ stream: OctetStream) { self.stream = stream }
    }

    private let socket: ListeningSocket
    private var listening: Watch?
    private var clients: [Client] = []
    private var answer: (String) -> [String] = { _ in [] }

    init(path: String) throws(CommandError) {
        socket = try ListeningSocket(path: path)
    }

    /// Accepts clients. `answer` executes a line, and returns the lines of the answer.
    func open(on reactor: Reactor, answer: @escaping (String) -> [String]) throws(CommandError) {
        self.answer = answer
        do {
            listening = try reactor.watch(socket.descriptor, .readable) { [weak self] _ in
                guard let self else { return }
                while let connection = socket.accept() { accept(OctetStream(connection, isSocket: true), on: reactor) }
            }
        } catch { throw .failed("the control socket: \(error)") }
    }

    /// Closes the socket and its clients.
    func close() {
        listening?.cancel()
        for client in clients { client.stream.stop() }
        clients.removeAll()
    }

    private func accept(_ stream: OctetStream, on reactor: Reactor) {
        guard clients.count < AirControl.maximumClients else { return }
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
        var isOpen = client.stream.read { octets in
            octets.withUnsafeBufferPointer { lines = client.lines.append(Array($0)[...]) }
        }
        for line in lines where !line.isEmpty {
            for answer in answer(line) { client.stream.append(Array((answer + "\n").utf8)) }
        }
        isOpen = client.stream.flush() && isOpen && client.stream.waiting <= AirControl.maximumWaiting
        guard !isOpen else { return }
        client.stream.stop()
        clients.removeAll { $0 === client }
    }
}
