// SPDX-License-Identifier: Apache-2.0

public import Fleet
public import System
import Timekeeping

/// The surroundings of a link: its reader, and its identity at the broker.
public protocol FleetLinkOwner: AnyObject {
    /// The own identity for an attempt that begins; nil without TLS.
    ///
    /// - Throws: `ProgramFailure` if it cannot be used: the attempt has failed.
    func identity() throws(ProgramFailure) -> TLSIdentity?
    /// The broker has taken the connection; the session follows.
    func connect()
    /// The attempt or the connection has failed; the session follows.
    func fail(_ fault: LinkFault, _ text: String)
    /// A message to the reader.
    func send(_ request: LinkRequest)
}

/// The session of a link on a reactor: its effects become calls of a connection to the broker, and what the broker says
/// goes into the session.
public final class FleetLink {
    /// The owner.
    public weak var owner: (any FleetLinkOwner)?
    /// The session; `settle` follows each change.
    public var session: FleetSession
    private let broker: Broker
    private let reactor: Reactor
    private var connection: MQTTConnection?
    /// The last attempt, which may still look up the name after it has failed.
    private weak var attempt: MQTTConnection?
    /// The messages that the broker has not acknowledged, by their numbers.
    private var published: [Int32: (purpose: FleetSession.Purpose, octets: Int)] = [:]
    private lazy var timer = reactor.timer { [weak self] in
        guard let self else { return }
        session.advance(to: reactor.now)
        settle()
    }

    /// A link to a broker that has not begun.
    public init(_ broker: Broker, _ session: FleetSession, _ reactor: Reactor) {
        (self.broker, self.session, self.reactor) = (broker, session, reactor)
    }

    /// Says goodbye to the broker.
    public func close() { connection?.close() }

    /// Carries out what has followed from changes of the session.
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
            if let message = connection?.publish(text, topic: topic, isRetained: isRetained) {
                published[message] = (purpose, text.utf8.count)
            }
        case .answer(let text, let topic, let correlation):
            if let message = connection?.publish(text, topic: topic, isRetained: false, correlation: correlation) {
                published[message] = (.answer, text.utf8.count)
            }
        case .request(let request): owner?.send(request)
        }
    }

    private func connect() {
        guard let topics = session.topics, let owner else { return }
        connection?.close()
        published = [:]
        if attempt?.isLookingUp == true { return fail(.unresolved, MQTTConnection.endlessLookUp(broker)) }
        do throws(ProgramFailure) {
            let will = MQTTWill(topic: topics.online, text: "0", delaySeconds: FleetLimits.willDelaySeconds)
            let connection = try MQTTConnection(
                broker, try owner.identity(), identity: topics.device, will: will, reactor
            ) { [weak self] in self?.take($0) }
            (self.connection, attempt) = (connection, connection)
            connection.start()
        } catch {
            fail(.identity, error.description)
        }
    }

    private func take(_ event: MQTTConnection.Event) {
        let now = reactor.now
        switch event {
        case .connected:
            owner?.connect()
            session.connect(at: now)
        case .subscribed(let reason): session.subscribe(reason: reason, at: now)
        case .published(let message, let reason):
            if let sent = published.removeValue(forKey: message) {
                session.acknowledge(sent.purpose, octets: sent.octets, reason: reason, at: now)
            }
        case .received(let payload, let topic, let isRetained, let correlation):
            session.receive(payload, topic: topic, isRetained: isRetained, correlation: correlation, at: now)
        case .failed(let fault, let text): fail(fault, text)
        }
        settle()
    }

    private func fail(_ fault: LinkFault, _ text: String) {
        connection = nil
        owner?.fail(fault, text)
        session.fail(fault, text, at: reactor.now)
    }
}
