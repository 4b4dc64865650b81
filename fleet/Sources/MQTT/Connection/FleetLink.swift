// SPDX-License-Identifier: Apache-2.0

public import Fleet
public import System
import Timekeeping

/// The surroundings of a link: its reader, and its identity at the broker.
public protocol FleetLinkOwner: AnyObject {
    /// The own identity for a new attempt; nil without TLS.
    ///
    /// - Throws: `ProgramFailure` if it cannot be used; the attempt then fails.
    func identity() throws(ProgramFailure) -> TLSIdentity?
    /// Handles an accepted connection.
    func connect()
    /// Handles the failure of the attempt or the connection, before the session does.
    func fail(_ failure: LinkFailure)
    /// Sends a message to the reader.
    func send(_ request: LinkRequest)
}

/// The session of a link on a reactor: its effects become calls of a connection to the broker, and the connection's
/// events are the session's input.
public final class FleetLink {
    /// The owner.
    public weak var owner: (any FleetLinkOwner)?
    /// The session; `settle` follows each change.
    public var session: FleetSession
    private let broker: Broker
    private let reactor: Reactor
    private var connection: MQTTConnection?
    /// The last attempt, whose look-up may still run after the attempt has failed.
    private weak var attempt: MQTTConnection?
    /// The messages that the broker has not acknowledged, by their numbers.
    private var published: [UInt16: (purpose: FleetSession.Purpose, octets: Int)] = [:]
    private lazy var timer = reactor.timer { [weak self] in
        guard let self else { return }
        session.advance(to: reactor.now)
        settle()
    }

    /// Creates a link to a broker, without connecting.
    public init(_ broker: Broker, _ session: FleetSession, _ reactor: Reactor) {
        (self.broker, self.session, self.reactor) = (broker, session, reactor)
    }

    /// Ends the connection in order.
    public func close() { connection?.close() }

    /// Performs the effects of changes of the session.
    public func settle() {
        while case let effects = session.takeEffects(), !effects.isEmpty {
            for effect in effects { perform(effect) }
        }
        timer.set(session.nextDeadline)
    }

    private func perform(_ effect: FleetSession.Effect) {
        switch effect {
        case .connect: connect()
        case .disconnect:
            connection?.close()
            connection = nil
        case .subscribe(let topic): connection?.subscribe(topic)
        case .publish(let text, let topic, let isRetained, let purpose):
            remember(connection?.publish(text, topic: topic, isRetained: isRetained), purpose, text)
        case .answer(let text, let topic, let correlation):
            remember(
                connection?.publish(text, topic: topic, isRetained: false, correlation: correlation), .answer, text)
        case .request(let request): owner?.send(request)
        }
    }

    private func remember(_ message: UInt16?, _ purpose: FleetSession.Purpose, _ text: String) {
        if let message { published[message] = (purpose, text.utf8.count) }
    }

    private func connect() {
        guard let topics = session.topics, let owner else { return }
        connection?.close()
        published = [:]
        if attempt?.isLookingUp == true {
            return fail(LinkFailure(.unresolved, MQTTConnection.endlessLookUp(broker)))
        }
        do throws(ProgramFailure) {
            let will = MQTTWill(topic: topics.online, text: "0", delaySeconds: FleetLimits.willDelaySeconds)
            let connection = MQTTConnection(
                broker, try owner.identity(), client: topics.device, will: will, reactor
            ) { [weak self] in self?.receive($0) }
            (self.connection, attempt) = (connection, connection)
            connection.start()
        } catch {
            fail(LinkFailure(.identity, error.description))
        }
    }

    private func receive(_ event: MQTTConnection.Event) {
        let now = reactor.now
        switch event {
        case .connected(let limits):
            owner?.connect()
            session.connect(limits, at: now)
        case .subscribed(let filter, let reason): session.subscribe(filter, reason, at: now)
        case .published(let message, let reason):
            if let sent = published.removeValue(forKey: message) {
                session.acknowledge(sent.purpose, octets: sent.octets, reason: reason, at: now)
            }
        case .received(let message):
            session.receive(
                message.payload, topic: message.topic, isRetained: message.isRetained, correlation: message.correlation,
                at: now)
        case .failed(let failure): fail(failure)
        }
        settle()
    }

    private func fail(_ failure: LinkFailure) {
        connection = nil
        owner?.fail(failure)
        session.fail(failure, at: reactor.now)
    }
}
