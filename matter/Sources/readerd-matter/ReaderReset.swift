// SPDX-License-Identifier: Apache-2.0

import LockChannel
import System
import Timekeeping

/// The end of everything that the fabrics have provisioned at the reader, for `reset`.
final class ReaderReset {
    /// The result at the reader.
    enum Outcome: Equatable {
        /// The reader has stored the end of its key and of all keys of users.
        case ended
        /// Matter does not provision this reader.
        case nothing
        /// The reader may still have them, for this reason.
        case failed(String)
    }

    /// The time for the reader's answers, which wait for its disk.
    private static let answerTime = Duration.seconds(5)

    private let reactor: Reactor
    private let connection: ReaderConnection
    private var unanswered: Set<UInt32> = [1, 2]
    private var outcome: Outcome?

    private init(_ path: String, _ reactor: Reactor) {
        self.reactor = reactor
        connection = ReaderConnection(path, reactor)
    }

    /// Asks the reader at this socket, and waits for its answers.
    static func perform(_ path: String) throws(SystemError) -> Outcome {
        let reset = ReaderReset(path, try Reactor.ofProgram())
        try reset.run()
        return reset.outcome ?? .failed("it gives no answer")
    }

    private func run() throws(SystemError) {
        connection.start { [weak self] in self?.receive($0) }
        defer { connection.close() }
        guard outcome == nil else { return }
        reactor.schedule(at: reactor.now + Self.answerTime) { [weak self] in self?.end(.failed("it gives no answer")) }
        try reactor.run()
    }

    private func receive(_ event: ReaderConnection.Event) {
        switch event {
        case .lost(let reason): end(.failed(reason))
        case .report(.reader(let reader)):
            guard reader.version == LockChannelLimits.version else { return end(.failed("it is of another release")) }
            guard reader.aliro != nil else { return end(.nothing) }
            connection.send(.aliro(LockAliroRequest(number: 1, change: .clear)))
            connection.send(.aliro(LockAliroRequest(number: 2, change: .keys([]))))
        case .report(.aliro(let request, let answer)):
            guard answer == .done else { return end(.failed("it cannot store the change; see its log")) }
            unanswered.remove(request)
            if unanswered.isEmpty { end(.ended) }
        case .report: break
        }
    }

    private func end(_ outcome: Outcome) {
        guard self.outcome == nil else { return }
        self.outcome = outcome
        reactor.stop()
    }
}
