// SPDX-License-Identifier: Apache-2.0

import Configuration
import JSON
import Logging
import Reader
import System
import Timekeeping

/// A neighbour of the reader that takes part in the turns of its process, such as a panel or a companion process.
///
/// All calls are on the reactor's thread. In each phase of a turn the services act in the order of
/// `ReaderProcess.services`. A service declares what it needs: the other requirements have empty implementations.
protocol ReaderService: AnyObject {
    var process: ReaderProcess { get }

    // MARK: The life of the process

    /// Starts: the door is started, and nothing is known of an earlier run.
    func start() throws(SystemError)
    /// Called once all services are started.
    func started()
    /// Continues with the stored contents, also with those that are refused.
    func restore(_ contents: StoredContents)
    /// Continues with the stored contents of a policy that is accepted.
    func adopt(_ contents: StoredContents)
    /// Serves clients: the stored contents are known, or known to be lost. Orders from before would be refused for no
    /// reason of theirs.
    func serve()
    /// Follows a reloaded configuration, which replaces these settings.
    func reconfigured(from former: ReaderSettings)
    /// Called when the reader begins to stop: nothing new may start.
    func stop()
    /// Ends, while records are still accepted. Clients may read their last lines.
    func close()
    /// Releases what may take time, after the log is closed.
    func release()

    // MARK: Phases of a turn

    /// Executes an effect of the reader, if it is for this service. Effects of `TurnPhase.notices` follow the packets.
    func perform(_ effect: ReaderEffect)
    /// `TurnPhase.services`: follows the state of the reader. Its effects and packets leave in this turn.
    func settle()
    /// `TurnPhase.notices`: receives a notice of the reader.
    func receive(_ notice: ReaderNotice)
    /// `TurnPhase.reports`: reports the state of the reader to others, when no phone waits any more.
    func report()

    // MARK: Events

    /// Receives an answer of the store to this service's own request.
    func receive(_ outcome: EventRecorder.Outcome)
    /// Receives the change of an output that was set.
    func receive(_ action: DoorAction)
    /// Receives a record that is on the disk.
    func receive(_ event: inout StoredEvent)
    /// Receives the decision about an opening before the door does.
    func receive(_ verdict: OpeningVerdict)
    /// Called after the clock was read or set.
    func clockChanged()
    /// Called when faults were raised or cleared.
    func faultsChanged()

    // MARK: Requests of operators

    /// Executes a timed request of the control socket; nil for another service's request.
    func perform(_ verb: TimedVerb, seconds: Int64, ticket: UInt64) -> TimedOutcome?
    /// The member of the status; nil for none.
    var status: (name: String, report: JSONObject)? { get }
    /// The parts that the board lacks.
    var missing: MissingParts { get }
    /// The reason against a restart now; nil for none.
    var disturbance: Disturbance? { get }
}

extension ReaderService {
    func start() throws(SystemError) {}
    func started() {}
    func restore(_ contents: StoredContents) {}
    func adopt(_ contents: StoredContents) {}
    func serve() {}
    func reconfigured(from former: ReaderSettings) {}
    func stop() {}
    func close() {}
    func release() {}
    func perform(_ effect: ReaderEffect) {}
    func settle() {}
    func receive(_ notice: ReaderNotice) {}
    func report() {}
    func receive(_ outcome: EventRecorder.Outcome) {}
    func receive(_ action: DoorAction) {}
    func receive(_ event: inout StoredEvent) {}
    func receive(_ verdict: OpeningVerdict) {}
    func clockChanged() {}
    func faultsChanged() {}
    func perform(_ verb: TimedVerb, seconds: Int64, ticket: UInt64) -> TimedOutcome? { nil }
    var status: (name: String, report: JSONObject)? { nil }
    var missing: MissingParts { [] }
    var disturbance: Disturbance? { nil }
}

/// The parts of the process that services use.
extension ReaderService {
    var reactor: Reactor { process.reactor }
    var log: Logger { process.log }
    var audit: EventRecorder { process.audit }
    var settings: ReaderSettings { process.setup.settings }
    var moment: Moment { process.moment }
    var auditTime: AuditTime { process.auditTime }

    func record(_ event: AuditEvent) { process.record(event) }
    func raise(_ code: FaultCode, _ text: String) { process.raise(code, text) }
    func clear(_ code: FaultCode) { process.clear(code) }
    func updateFaults() { process.updateFaults() }
    func flush() { process.flush() }
}

/// A record that is on the disk, with its line for programs.
struct StoredEvent {
    let record: AuditRecord
    /// The line, made when it is first wanted.
    private(set) lazy var json = EventLine.json(record)

    init(_ record: AuditRecord) { self.record = record }
}

extension ReaderProcess {
    /// The service of this type; nil if it is not configured.
    func service<Service: ReaderService>(_ type: Service.Type = Service.self) -> Service? {
        for case let service as Service in services { return service }
        return nil
    }
}
