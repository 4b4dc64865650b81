// SPDX-License-Identifier: Apache-2.0

import Commands
import Fleet
import Glibc
import MQTT
import System
import Timekeeping

/// The desk's exchange with one reader: connects to the broker, subscribes to the reader's answers, and runs until it
/// is ended or its time is over.
final class FleetExchange {
    /// A change of the exchange.
    enum Event {
        /// The subscription to answers is complete: messages may be sent.
        case ready
        /// The broker has acknowledged a message with this reason code.
        case published(message: UInt16, MQTTReason)
        /// A message to the topic of answers.
        case received([UInt8])
        /// The time is over. The receiver of this event ends the exchange.
        case over
    }

    private let access: FleetAccess
    private var broker: Broker { access.broker }
    /// The reader's topics.
    let topics: FleetTopics
    private let reactor: Reactor
    private var connection: MQTTConnection?
    private var take: ((Event) -> Void)?
    private var isReady = false
    private var failure: CommandError?
    /// The text after a connection failure, which says what may still happen.
    var underWay = "nothing was sent"
    /// True after the end.
    private(set) var isOver = false

    init(_ access: FleetAccess, _ topics: FleetTopics) throws(CommandError) {
        (self.access, self.topics) = (access, topics)
        do throws(SystemError) {
            signal(SIGPIPE, SIG_IGN)
            reactor = try Reactor()
        } catch {
            throw .failed("\(error)")
        }
    }

    /// Runs until the end, for at most so many seconds, and passes each event to `take`.
    func run(seconds: Int, _ take: @escaping (Event) -> Void) throws(CommandError) {
        self.take = take
        do throws(ProgramFailure) {
            connection = MQTTConnection(
                broker, try TLSIdentity(broker), client: access.identity, will: nil, reactor
            ) { [weak self] in self?.receive($0) }
        } catch {
            throw .misuse(error.description)
        }
        connection?.start()
        let limit = reactor.schedule(at: reactor.now + .seconds(seconds)) { [weak self] in self?.timeOut(seconds) }
        do throws(SystemError) { try reactor.run() } catch { throw .failed("\(error)") }
        withExtendedLifetime(limit) {}
        connection?.close()
        self.take = nil
        if let failure { throw failure }
    }

    /// Publishes a message. Returns its number; nil without a connection.
    func publish(
        _ octets: [UInt8], topic: String, isRetained: Bool, correlation: [UInt8] = []
    ) -> UInt16? {
        connection?.publish(octets: octets, topic: topic, isRetained: isRetained, correlation: correlation)
    }

    /// Calls `body` after this time, unless the exchange is over.
    func schedule(after pause: Duration, _ body: @escaping () -> Void) {
        reactor.schedule(at: reactor.now + pause) { [weak self] in
            if self?.isOver == false { body() }
        }
    }

    /// Ends the exchange, with this failure if there is one.
    func end(_ failure: CommandError? = nil) {
        self.failure = failure
        isOver = true
        reactor.stop()
    }

    private func end(_ text: String) { end(CommandError.failed(text)) }

    private func receive(_ event: MQTTConnection.Event) {
        switch event {
        case .connected: connection?.subscribe(topics.answers)
        case .subscribed(_, let reason) where reason.isFailure:
            end("the broker refuses the subscription to answers (\(reason)), so nothing was sent; correct its ACL")
        case .subscribed:
            guard !isReady else { return }
            isReady = true
            take?(.ready)
        case .published(let message, let reason): take?(.published(message: message, reason))
        case .received(let message): take?(.received(message.payload))
        case .failed(let failure): end("\(failure.text); \(underWay)")
        }
    }

    private func timeOut(_ seconds: Int) {
        guard isReady else { return end("\(broker): no answer within \(seconds) s; nothing was sent") }
        take?(.over)
    }
}
