// SPDX-License-Identifier: Apache-2.0

import Fleet
import Glibc
import JSON
import Logging
import MQTT
import System
import Timekeeping

/// The running link: the session, the connection to the reader, and the connection to the broker. Everything is on the
/// reactor's thread.
final class LinkProcess {
    /// The time in seconds before the broker tells the fleet that the reader is gone: a short loss is none.
    private static let willDelaySeconds: UInt32 = 30
    /// The time between two looks at the files of the own identity.
    private static let identityPause = Duration.seconds(60)

    private let options: LinkOptions.Run
    private let reactor: Reactor
    private let log: Logger
    private let reader: CompanionConnection
    private var session: FleetSession
    private var identity: LinkIdentity?
    private var broker: MQTTConnection?
    /// The last attempt, which may still look up the name after it has failed.
    private weak var attempt: MQTTConnection?
    /// The messages that the broker has not acknowledged, by their numbers.
    private var published: [Int32: (purpose: FleetSession.Purpose, octets: Int)] = [:]
    private lazy var timer = reactor.timer { [weak self] in
        guard let self else { return }
        session.advance(to: reactor.now)
        settle()
    }
    private var told: [LinkFault: String] = [:]

    init(_ options: LinkOptions.Run, _ reactor: Reactor, _ log: Logger) {
        self.options = options
        self.reactor = reactor
        self.log = log
        identity = LinkIdentity(options.broker)
        reader = CompanionConnection(options.reader, lineLimit: FleetLimits.lineCount, reactor)
        session = FleetSession(
            spread: .seconds(options.spreadSeconds), tellsHomeAssistant: options.tellsHomeAssistant,
            random: SystemRandomNumberGenerator())
    }

    /// Connects to the reader.
    func start() {
        reader.start { [weak self] in self?.take($0) }
        if identity != nil { watchIdentity() }
    }

    /// Says goodbye to the broker.
    func end() {
        reader.close()
        broker?.close()
    }

    private func take(_ event: CompanionConnection.Event) {
        switch event {
        case .lost(let reason):
            log.warning("\(options.reader): \(reason); retry every second")
            session.loseReader(at: reactor.now)
        case .line(let line):
            do throws(JSONPlaceFault) { take(try LinkReport(line: line)) } catch {
                reader.lose("the reader sent an invalid message: \(error); is it of another version?")
            }
        }
        settle()
    }

    private func take(_ report: LinkReport) {
        if case .reader(let reader) = report {
            guard reader.version == FleetLimits.channelVersion else {
                return self.reader.lose(
                    "the reader speaks version \(reader.version), not \(FleetLimits.channelVersion): install both of "
                        + "one release")
            }
            log.notice("reader \(reader.device), readerd \(reader.firmware), log \(reader.log)")
        }
        session.take(report, at: reactor.now)
    }

    // MARK: - The session

    private func settle() {
        while case let effects = session.takeEffects(), !effects.isEmpty {
            for effect in effects { perform(effect) }
        }
        timer.set(session.nextDeadline)
    }

    private func perform(_ effect: FleetSession.Effect) {
        switch effect {
        case .connect: connect()
        case .disconnect:
            broker?.close()
            broker = nil
        case .subscribe(let topic): broker?.subscribe(topic)
        case .publish(let text, let topic, let isRetained, let purpose):
            if let message = broker?.publish(text, topic: topic, isRetained: isRetained) {
                published[message] = (purpose, text.utf8.count)
            }
        case .answer(let text, let topic, let correlation):
            if let message = broker?.publish(text, topic: topic, isRetained: false, correlation: correlation) {
                published[message] = (.answer, text.utf8.count)
            }
        case .request(let request):
            if case .status(let status) = request { tell(status.faults) }
            reader.send(request.line)
        }
    }

    // MARK: - The broker

    private func connect() {
        guard let topics = session.topics else { return }
        broker?.close()
        published = [:]
        if attempt?.isLookingUp == true {
            return fail(.unresolved, MQTTConnection.endlessLookUp(options.broker))
        }
        log.debug("connect to \(options.broker)")
        do throws(ProgramFailure) {
            let will = MQTTWill(topic: topics.online, text: "0", delaySeconds: LinkProcess.willDelaySeconds)
            let broker = try MQTTConnection(
                options.broker, try identity?.begin(at: reactor.now), identity: topics.device, will: will, reactor
            ) { [weak self] in self?.take($0) }
            (self.broker, attempt) = (broker, broker)
            broker.start()
        } catch {
            fail(.identity, error.description)
        }
    }

    private func take(_ event: MQTTConnection.Event) {
        let now = reactor.now
        switch event {
        case .connected:
            log.notice("connected to \(options.broker)")
            identity?.connect()
            noteIdentity()
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
        broker = nil
        identity?.fail(fault, text, at: reactor.now)
        noteIdentity()
        session.fail(fault, text, at: reactor.now)
    }

    // MARK: - The own identity

    /// Looks at the files from time to time: renewed ones need no restart.
    private func watchIdentity() {
        reactor.schedule(at: reactor.now + LinkProcess.identityPause) { [weak self] in
            guard let self else { return }
            if identity?.isRenewed(at: reactor.now) == true {
                log.notice("the own identity was renewed")
                session.renew(at: reactor.now)
            }
            noteIdentity()
            settle()
            watchIdentity()
        }
    }

    private func noteIdentity() {
        guard let identity else { return }
        session.note(ownCertificate: identity.fault(at: Int64(time(nil))), at: reactor.now)
    }

    /// Logs the faults that are new, or have another cause.
    private func tell(_ faults: [LinkFault: String]) {
        for (fault, text) in faults.sorted(by: { $0.key < $1.key }) where told[fault] != text {
            log.warning("\(text)\(fault.preventsConnection ? "; retries follow" : "")")
        }
        told = faults
    }
}
