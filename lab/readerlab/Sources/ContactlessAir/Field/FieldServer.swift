// SPDX-License-Identifier: Apache-2.0

package import Commands
package import Console
package import Emulation
package import System
import Timekeeping

/// The fields of an air: the lines to the readers' chips, and the socket for cards, around a `FieldSession`.
///
/// A line is a pseudo-terminal, or ends in this process.
package final class FieldServer {
    /// The maximum number of octets queued for a card or a reader that does not read them.
    private static let maximumWaiting = 64 * 1024
    /// The maximum number of connections to the socket.
    private static let connectionLimit = 64

    private let reactor: Reactor
    private var session: FieldSession
    private let terminals: [PlaceTerminal?]
    private var streams: [OctetStream?]
    /// Cards' processes, with the names of the cards.
    private let cards: LineServer
    private let report: (String?, FieldEvent) -> Void
    /// Receives the chip's octets for the reader of this process. They are to be handled after the call.
    package var attached: ([UInt8]) -> Void = { _ in }
    private lazy var timer = reactor.timer { [weak self] in
        guard let self else { return }
        session.advance(to: reactor.now)
        settle()
    }

    /// Prepares the fields. `report` receives each event with the name of its reader.
    package init(
        _ plan: FieldPlan, on reactor: Reactor, report: @escaping (String?, FieldEvent) -> Void
    ) throws(CommandError) {
        self.reactor = reactor
        self.report = report
        session = FieldSession(readers: plan.readers.map(\.name))
        terminals = try plan.readers.map { reader throws(CommandError) in
            try reader.path.map { path throws(CommandError) in try PlaceTerminal(path: path) }
        }
        streams = plan.readers.map { _ in nil }
        cards = try LineServer(
            path: plan.socket, clientLimit: FieldServer.connectionLimit, maximumWaiting: FieldServer.maximumWaiting)
    }

    /// The names of the readers.
    package var names: [String] { session.readers }

    /// Opens the lines and the socket.
    package func open() throws(CommandError) {
        for (number, terminal) in terminals.enumerated() {
            guard let terminal else { continue }
            try hold(number, terminal)
            report(session.readers[number], .open(connection: "pn532_uart:\(terminal.path)"))
        }
        try cards.open(
            on: reactor, receive: { [weak self] in self?.receive($0, from: $1) },
            part: { [weak self] in self?.part($0) })
    }

    /// Closes everything.
    package func close() {
        timer.cancel()
        for stream in streams { stream?.stop() }
        cards.close()
        for terminal in terminals { terminal?.remove() }
    }

    /// Executes a typed command.
    package func execute(_ order: FieldOrder) throws(CommandFault) -> TypedAnswer {
        defer { settle() }
        return try session.execute(order, at: reactor.now)
    }

    // MARK: - Readers

    /// Handles octets of the reader of this process.
    package func receive(_ octets: [UInt8]) {
        session.receive(octets.span, from: 0, at: reactor.now)
        settle()
    }

    private func hold(_ number: Int, _ terminal: PlaceTerminal) throws(CommandError) {
        let stream = OctetStream(try terminal.open(), isSocket: false)
        do throws(SystemError) {
            try stream.watch(on: reactor) { [weak self] in self?.readyReader(number) }
        } catch { throw .failed("pty:\(terminal.path): \(error)") }
        streams[number] = stream
    }

    private func readyReader(_ number: Int) {
        guard let stream = streams[number] else { return }
        let now = reactor.now
        let isOpen = stream.read { session.receive($0, from: number, at: now) }
        if !isOpen || !stream.flush() { replace(number) }
        settle()
    }

    /// A terminal hangs up when its host closes it, and is replaced by a new one.
    private func replace(_ number: Int) {
        guard let terminal = terminals[number] else { return }
        session.closed(number, at: reactor.now)
        streams[number]?.stop()
        streams[number] = nil
        do throws(CommandError) { try hold(number, terminal) } catch {
            report(session.readers[number], .violation("\(error.text); the field is closed"))
        }
    }

    // MARK: - Cards

    private func receive(_ lines: [String], from client: LineServer.Client) {
        for line in lines { receive(line, from: client) }
        settle()
    }

    private func part(_ client: LineServer.Client) {
        if let name = client.name { session.part(name, at: reactor.now) }
        settle()
    }

    private func receive(_ line: String, from client: LineServer.Client) {
        do throws(CommandFault) {
            switch (try CardLine(line), client.name) {
            case (.introduction(let name, let activation), nil):
                try session.join(name, activation)
                client.name = name
            case (.introduction, _?): throw CommandFault("the card is introduced already")
            case (_, nil): throw CommandFault("introduce the card first: card NAME id=HEX")
            case (.place(let place), let name?): _ = try session.move(name, to: place, at: reactor.now)
            case (.response(let number, let response), let name?):
                return session.respond(name, response, number: number, at: reactor.now)
            default: throw CommandFault("a card writes card, near, away and response")
            }
            client.send(CardLine.accepted.text)
        } catch {
            client.send(CardLine.rejected(error.description).text)
        }
    }

    /// Performs the effects, and sets the timer.
    private func settle() {
        for effect in session.takeEffects() {
            switch effect {
            case .host(let number, let octets):
                if terminals[number] == nil { attached(octets) } else { streams[number]?.append(octets) }
            case .card(let name, let line):
                cards.clients.first { $0.name == name }?.send(line.text)
            case .event(let number, let event): report(number.map { session.readers[$0] }, event)
            }
        }
        for stream in streams { _ = stream?.flush() }
        cards.flush()
        timer.set(session.deadline)
    }
}
