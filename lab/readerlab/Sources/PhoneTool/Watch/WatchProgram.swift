// SPDX-License-Identifier: Apache-2.0

import CLinux
package import Commands
import Glibc
import System
import Timekeeping

/// A connection to a reader's control socket, which requests the status and subscribes to events and notices.
package final class WatchProgram {
    /// The longest line, and the most that may wait to be sent, in octets. A status with every fault is far shorter.
    private static let limits = (line: 64 * 1024, waiting: 4096)

    private let path: String
    private let json: Bool
    private let reactor: Reactor
    private let socket: LineSocket
    private let begin: Instant
    private var watched = WatchedReader()
    private var failure: CommandError?
    /// Asks for the status again, for a page: soon after a notice, and else from time to time.
    private var question: Timer?
    private static let (soon, later) = (Duration.milliseconds(100), Duration.seconds(2))

    /// Connects to the reader.
    ///
    /// - Parameter path: the reader's control socket.
    package init(_ path: String, json: Bool) throws(CommandError) {
        (self.path, self.json) = (path, json)
        do throws(SystemError) { reactor = try Reactor.ofProgram() } catch { throw .failed("\(error)") }
        begin = reactor.now
        var isConnecting = false
        let descriptor = readerd_connect_unix(path, path.utf8.count, false, &isConnecting)
        guard descriptor >= 0 else {
            throw .failed(
                "\(path): cannot reach a reader: \(String(cString: strerror(-descriptor))); is it running, and may you "
                    + "use its socket?")
        }
        socket = LineSocket(
            descriptor, lineLimit: WatchProgram.limits.line, waitingLimit: WatchProgram.limits.waiting)
    }

    /// Runs until a signal. Throws if the reader ends.
    package func run() throws(CommandError) {
        do throws(SystemError) {
            try reactor.onSignal(Reactor.endingSignals) { [reactor] _ in reactor.stop() }
            try socket.watch(on: reactor) { [weak self] in self?.ready() }
            for request in WatchedReader.requests { socket.send(request) }
            if json { question = reactor.schedule(at: reactor.now) { [weak self] in self?.ask() } }
            try reactor.run()
        } catch {
            throw .failed("\(error)")
        }
        if let failure { throw failure }
    }

    private func ask() {
        socket.send(WatchedReader.question)
        socket.flush()
        socket.updateInterest()
        question?.reschedule(at: reactor.now + WatchProgram.later)
    }

    private func ready() {
        socket.receive()
        socket.flush()
        let milliseconds = (reactor.now - begin).wholeMilliseconds
        while let octets = socket.nextLine({ $0 }) {
            do throws(CommandError) {
                guard let line = try watched.receive(octets, atMilliseconds: milliseconds) else { continue }
                if let text = json ? line.json : line.sentence { ConsoleOutput.write(text, to: STDOUT_FILENO) }
                if line.sentence != nil, let question {
                    question.reschedule(at: min(question.deadline, reactor.now + WatchProgram.soon))
                }
            } catch {
                return end(error)
            }
        }
        guard !socket.isLost, !socket.inputHasEnded, !socket.isTooLong else {
            return end(CommandError.failed("\(path): the reader has ended, or has dropped this client"))
        }
        socket.updateInterest()
    }

    private func end(_ failure: CommandError) {
        self.failure = failure
        reactor.stop()
    }
}
