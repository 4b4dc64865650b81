// SPDX-License-Identifier: Apache-2.0

public import Commands
import Fleet
import Glibc
import JSON
import MQTT
import System
import Timekeeping

/// The program around a collector: its connection to the broker, and its lines.
public final class FleetCollectProgram {
    /// The time over which collectors spread their reconnections.
    private static let spread = Duration.seconds(1)
    /// The pause between two attempts to reopen the database.
    private static let databasePause = Duration.seconds(5)
    /// The time over which changes of readers are gathered.
    private static let pause = Duration.seconds(1)

    private static let topics = [
        FleetTopics.allEvents, FleetTopics.allStates, FleetTopics.allPresences, FleetTopics.allFirmware,
    ]

    private let access: FleetAccess
    private let json: Bool
    private var broker: Broker { access.broker }
    private let site: FleetSite
    private let place: DatabasePlace
    private var database: FleetDatabase
    private var collector: FleetCollector
    private var overview: FleetOverview
    private var isOverviewDue = false
    private let reactor: Reactor
    private var connection: MQTTConnection?
    /// The last attempt, which may still be resolving the name after it has failed.
    private weak var attempt: MQTTConnection?
    private var marks = MarkQueue()
    private var reconnection = Reconnection(spread: spread)
    private var random = SystemRandomNumberGenerator()
    private var failure: CommandError?
    private var toldFault: String?

    /// - Parameter sitePath: the file of the site.
    /// - Parameter database: the place of the database.
    public init(_ access: FleetAccess, sitePath: String, database: String, json: Bool) throws(CommandError) {
        (self.access, self.json) = (access, json)
        do throws(CredentialError) {
            site = try FleetSite(CredentialStore.site(sitePath), path: sitePath)
        } catch {
            throw .misuse(error.description)
        }
        place = try DatabasePlace(database)
        do throws(DatabaseFault) {
            self.database = try FleetDatabase(place)
            collector = try FleetCollector(site, self.database)
            overview = FleetOverview(try self.database.readers())
        } catch {
            throw CommandError(code: error.isPassing ? 1 : 2, text: "\(place): \(error.text)")
        }
        do throws(SystemError) { reactor = try Reactor.ofProgram() } catch { throw .failed("\(error)") }
    }

    /// Runs until a signal, or until the database fails.
    public func run() throws(CommandError) {
        do throws(SystemError) {
            try reactor.onSignal(Reactor.endingSignals) { [reactor] _ in reactor.stop() }
            if json { scheduleOverview() }
            connect()
            try reactor.run()
        } catch {
            throw .failed("\(error)")
        }
        connection?.close()
        if let failure { throw failure }
    }

    private func connect() {
        reconnection.begin(at: reactor.now)
        if attempt?.isLookingUp == true { return retry(MQTTConnection.endlessLookUp(broker)) }
        do throws(ProgramFailure) {
            let connection = MQTTConnection(
                broker, try TLSIdentity(broker), client: access.identity, will: nil, reactor
            ) {
                [weak self] in self?.receive($0)
            }
            (self.connection, attempt) = (connection, connection)
            connection.start()
        } catch {
            end(CommandError.misuse(error.description))
        }
    }

    private func receive(_ event: MQTTConnection.Event) {
        switch event {
        case .connected(let limits):
            guard limits.permitsWildcards, limits.retains, limits.maximumQoS > 0 else {
                return end(
                    CommandError.failed(
                        "\(broker): a collector needs wildcard subscriptions, retained messages and QoS 1; permit them there"
                    ))
            }
            report("connected to \(broker)")
            toldFault = nil
            reconnection.connect(at: reactor.now)
            for topic in FleetCollectProgram.topics {
                connection?.subscribe(topic)
            }
            publishMarks()
        case .subscribed(let filter, let reason) where reason.isFailure:
            report("the broker refuses the subscription to \(filter) (\(reason)); correct its ACL")
        case .subscribed: break
        case .published(_, let reason):
            if reason.isFailure { report("the broker refuses a mark (\(reason)); correct its ACL") }
            marks.acknowledge()
            publishMarks()
        case .received(let message): receive(message.payload, message.topic)
        case .failed(let failure): retry(failure.text)
        }
    }

    private func retry(_ text: String) {
        if text != toldFault { report("\(text); retries follow") }
        toldFault = text
        connection = nil
        marks.disconnect()
        let next = reconnection.fail(at: reactor.now, random: &random)
        reactor.schedule(at: next) { [weak self] in self?.connect() }
    }

    private func receive(_ payload: [UInt8], _ topic: String) {
        let outcome: FleetCollector.Outcome
        do throws(DatabaseFault) {
            outcome = try collector.store(payload, topic: topic, at: Int64(time(nil)))
            if json { try follow(outcome, payload, topic) }
        } catch {
            return lose(error)
        }
        switch outcome {
        case .stored(let name, let events, let lost, let mark):
            answer(mark, topic)
            show(name, events, lost, mark)
        case .known(let mark): answer(mark, topic)
        case .conflict(let name, let sequence, let mark):
            find(
                "refused: \(name): event \(sequence) is stored with other contents, or another chain: its log was "
                    + "altered, or is an older copy; look into the table conflict, then: readerd reset")
            answer(mark, topic)
        case .noted: break
        case .refused(let reason): find("refused: \(reason)")
        }
    }

    /// Publishes the mark as a retained message: a reader that reconnects continues after it.
    private func answer(_ mark: DeliveryMark, _ topic: String) {
        guard let device = FleetTopics.device(of: topic) else { return }
        marks.put(mark, of: device)
        publishMarks()
    }

    private func publishMarks() {
        guard let connection else { return }
        while let next = marks.next() {
            _ = connection.publish(next.mark.text, topic: FleetTopics(device: next.device).mark, isRetained: true)
        }
    }

    // MARK: - The database

    /// Handles a failure of the database. Without it the collector disconnects: the broker reports that to readers, and
    /// sends the retained messages when the collector subscribes again.
    private func lose(_ fault: DatabaseFault) {
        guard fault.isPassing else {
            return end(CommandError.failed("\(place): \(fault.text); nothing is lost, start again"))
        }
        report("\(place): \(fault.text); nothing is acknowledged, retries follow")
        connection?.close()
        connection = nil
        marks.disconnect()
        scheduleDatabase()
    }

    private func scheduleDatabase() {
        reactor.schedule(at: reactor.now + FleetCollectProgram.databasePause) { [weak self] in self?.openDatabase() }
    }

    private func openDatabase() {
        do throws(DatabaseFault) {
            database = try FleetDatabase(place)
            collector = try FleetCollector(site, database)
            overview.count(try database.readers())
        } catch {
            return error.isPassing ? scheduleDatabase() : lose(error)
        }
        report("\(place): serves again")
        connect()
    }

    // MARK: - Lines

    private func follow(_ outcome: FleetCollector.Outcome, _ payload: [UInt8], _ topic: String) throws(DatabaseFault) {
        overview.update(outcome, payload, topic: topic)
        switch outcome {
        case .conflict, .stored(_, _, _?, _): overview.count(try database.readers())
        case .stored, .known, .noted, .refused: break
        }
        scheduleOverview()
    }

    private func scheduleOverview() {
        guard !isOverviewDue else { return }
        isOverviewDue = true
        reactor.schedule(at: reactor.now + FleetCollectProgram.pause) { [weak self] in
            guard let self else { return }
            isOverviewDue = false
            for reader in overview.changes() { ConsoleOutput.write(reader.line, to: STDOUT_FILENO) }
        }
    }

    /// Reports a finding that needs an investigation.
    private func find(_ text: String) {
        report(text)
        guard json else { return }
        let object: JSONObject = ["event": "finding", "text": text]
        ConsoleOutput.write(object.text, to: STDOUT_FILENO)
    }

    private func show(_ name: String, _ events: [String], _ lost: ClosedRange<UInt64>?, _ mark: DeliveryMark) {
        if let lost { find("\(name): events \(lost.lowerBound) to \(lost.upperBound) are lost") }
        guard json else {
            return ConsoleOutput.write("\(name): \(events.count) events, up to \(mark.upTo)", to: STDOUT_FILENO)
        }
        for event in events {
            ConsoleOutput.write(
                "{\"reader\":\(JSONObject.quoted(name)),\(event.dropFirst())".onOneLine, to: STDOUT_FILENO)
        }
    }

    private func report(_ text: String) {
        ConsoleOutput.write("readerlab fleet collect: \(text)", to: STDERR_FILENO)
    }

    private func end(_ error: CommandError) {
        failure = error
        reactor.stop()
    }
}
