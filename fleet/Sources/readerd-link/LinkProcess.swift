// SPDX-License-Identifier: Apache-2.0

import Fleet
import Glibc
import JSON
import Logging
import MQTT
import System
import Timekeeping

/// The running link: the connection to the reader, the own identity, and the link to the broker. Everything runs on the
/// reactor's thread.
final class LinkProcess {
    /// The interval at which the files of the own identity are checked.
    private static let identityPause = Duration.seconds(60)

    private let options: LinkOptions.Run
    private let reactor: Reactor
    private let log: Logger
    private let reader: CompanionConnection
    private let link: FleetLink
    private var ownIdentity: LinkIdentity?
    private var told: [LinkFault: String] = [:]

    init(_ options: LinkOptions.Run, _ reactor: Reactor, _ log: Logger) {
        self.options = options
        self.reactor = reactor
        self.log = log
        ownIdentity = LinkIdentity(options.broker)
        reader = CompanionConnection(options.reader, lineLimit: FleetLimits.lineCount, reactor)
        let session = FleetSession(
            spread: .seconds(options.spreadSeconds), tellsHomeAssistant: options.tellsHomeAssistant,
            random: SystemRandomNumberGenerator())
        link = FleetLink(options.broker, session, reactor)
    }

    /// Connects to the reader.
    func start() {
        link.owner = self
        reader.start { [weak self] in self?.receive($0) }
        if ownIdentity != nil { watchIdentity() }
    }

    /// Disconnects from the broker.
    func end() {
        reader.close()
        link.close()
    }

    private func receive(_ event: CompanionConnection.Event) {
        switch event {
        case .lost(let reason):
            log.warning("\(options.reader): \(reason); retry every second")
            link.session.loseReader(at: reactor.now)
        case .line(let line):
            do throws(JSONPlaceFault) { receive(try LinkReport(line: line)) } catch {
                reader.lose("the reader sent an invalid message: \(error); is it of another version?")
            }
        }
        link.settle()
    }

    private func receive(_ report: LinkReport) {
        if case .reader(let reader) = report {
            guard reader.version == FleetLimits.channelVersion else {
                return self.reader.lose(
                    "the reader speaks version \(reader.version), not \(FleetLimits.channelVersion): install both of "
                        + "one release")
            }
            log.notice("reader \(reader.device), readerd \(reader.firmware), log \(reader.log)")
        }
        link.session.receive(report, at: reactor.now)
    }

    // MARK: - The own identity

    /// Checks the files at intervals, so that renewed files need no restart.
    private func watchIdentity() {
        reactor.schedule(at: reactor.now + LinkProcess.identityPause) { [weak self] in
            guard let self else { return }
            if ownIdentity?.isRenewed(at: reactor.now) == true {
                log.notice("the own identity was renewed")
                link.session.renew(at: reactor.now)
            }
            noteIdentity()
            link.settle()
            watchIdentity()
        }
    }

    private func noteIdentity() {
        guard let ownIdentity else { return }
        link.session.update(ownCertificate: ownIdentity.fault(at: Int64(time(nil))), at: reactor.now)
    }

    /// Logs faults that are new, or whose cause has changed.
    private func report(_ faults: [LinkFault: String]) {
        for (fault, text) in faults.sorted(by: { $0.key < $1.key }) where told[fault] != text {
            log.warning("\(text)\(fault.preventsConnection ? "; retries follow" : "")")
        }
        told = faults
    }
}

extension LinkProcess: FleetLinkOwner {
    func identity() throws(ProgramFailure) -> TLSIdentity? {
        log.debug("connect to \(options.broker)")
        return try ownIdentity?.begin(at: reactor.now)
    }

    func connect() {
        log.notice("connected to \(options.broker)")
        ownIdentity?.connect()
        noteIdentity()
    }

    func fail(_ failure: LinkFailure) {
        ownIdentity?.fail(failure.fault, failure.text, at: reactor.now)
        noteIdentity()
    }

    func send(_ request: LinkRequest) {
        if case .status(let status) = request { report(status.faults) }
        reader.send(request.line)
    }
}
