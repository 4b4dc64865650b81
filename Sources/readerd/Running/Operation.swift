// SPDX-License-Identifier: Apache-2.0

import Fleet
import Journal
import Logging
import System
import Reader
import Timekeeping

/// The operator's view of a running reader: its configuration, control socket, service manager and companions.
struct Operation {
    /// The path of the configuration file; `configurationMayBeMissing` is true for the default path.
    var configurationPath = RunOptions.defaultConfiguration
    var configurationMayBeMissing = true
    /// The settings in force.
    var settings = ReaderSettings()
    /// The identity's door, used where the configuration does not state one; nil if the identity names none.
    var door: ProvisionedDoor?
    /// The damage of the identity, in one line; nil for none.
    var identityFault: String?
    var addresses = AddressBook()
    /// The reader's identifier, true for the published demo identity, and the controller's name.
    var deviceID = ""
    var isDemo = false
    /// The keys of the identity.
    var keys: [KeyHistory.Key] = []
    var controller = ""
    /// The parts shown as missing; nil without `--tell-missing`.
    var missing: MissingParts?
    /// The log level; nil if the command line has fixed it.
    var logLevel: LogThreshold?
    var control: ControlServer?
    /// The reason for a missing control socket; nil if it exists or is not wanted.
    var controlFault: String?
    var service: ServiceManager?
    /// The release of this program.
    var firmware = FirmwareRelease.own
    /// The platform's updater.
    var updater: UpdaterService?
    /// The Wi-Fi provisioning service; nil if not configured.
    var provisioning: GatewayService?
    /// `--rssi-trace`; nil without.
    var trace: SignalTrace?
    /// The site survey under way; nil for none.
    var survey: SurveyRecording?
    /// The line to an access panel; nil if not configured.
    var panel: PanelService?
    /// The lines to an access panel that takes cards only; nil if not configured.
    var wiegand: WiegandService?
    /// The channel to the process of the Matter lock; nil if not configured.
    var matter: MatterService?
    /// The channel to the process of the link to a fleet; nil if not configured.
    var link: LinkService?
    /// The timer of the watchdog.
    var watchdogTimer: Timer?
}

extension ReaderProcess {
    /// Starts the services, and notifies the service manager. The door is started before. Those with clients follow
    /// when the stored contents are known (`serveClients`).
    func startOperation() {
        startUpdater()
        operation.provisioning?.start(self)
        startPanel()
        audit.onRecord = { [weak self] record in self?.publish(record) }
        if let why = operation.controlFault {
            raise(.controlSocketMissing, "\(why); no status until a restart")
            updateFaults()
        }
        if let fault = operation.identityFault { raise(.identityDamaged, fault) }
        operation.service?.ready(status: serviceStatus)
        startWatchdog()
    }

    /// Serves the clients of sockets, which have waited so far: before the stored contents are known, orders would be
    /// refused for no reason of theirs, and the status would be without faults.
    func serveClients() {
        startMatter()
        startLink()
        do throws(SystemError) { try operation.control?.serve(self) } catch {
            raise(.controlSocketMissing, "the control socket cannot be served: \(error); restart the reader")
        }
    }

    /// Tells a stored record to clients and to the fleet.
    private func publish(_ record: AuditRecord) {
        let (control, link) = (operation.control, operation.link)
        guard control?.hasSubscribers(to: .events) == true || link?.isGreeted == true else { return }
        let event = EventLine.json(record)
        control?.publish(event, to: .events)
        link?.send(.occasion(event, kind: record.event.kind.name))
    }

    /// The status text for the service manager: the controller and the faults.
    var serviceStatus: String {
        let codes = faults.faults.map(\.code.rawValue)
        return (servesPhones ? "serving on " : "waiting for ") + operation.controller
            + (codes.isEmpty ? "" : "; faults: " + codes.joined(separator: ", "))
    }

    /// Ends the services; clients may read their last lines.
    func endOperation() {
        operation.watchdogTimer?.cancel()
        operation.watchdogTimer = nil
        operation.updater?.close()
        operation.provisioning?.close()
        operation.panel?.close()
        operation.wiegand?.close()
        closeMatter()
        operation.link?.close()
        audit.onRecord = nil
        operation.control?.close()
        operation.control = nil
    }

    /// The watchdog is notified from the loop, only while the door was advanced in time: a loop that hangs, or runs
    /// without the door, lets it expire.
    private func startWatchdog() {
        guard let interval = operation.service?.watchdogInterval else { return }
        operation.watchdogTimer = reactor.schedule(at: reactor.now + interval) { [weak self] in
            guard let self, let timer = operation.watchdogTimer else { return }
            let now = reactor.now
            if Progress.isSound(due: device.nextDeadline, at: now) {
                operation.service?.watchdog()
            } else {
                log.error("the door was not updated in time: watchdog not triggered")
            }
            timer.reschedule(at: now + interval)
        }
        operation.service?.watchdog()
    }
}

/// The supervision of the door's deadlines.
enum Progress {
    /// The tolerated delay of the door: far longer than a turn of the loop.
    static let tolerance = Duration.seconds(1)

    /// True if the deadline `due` is not overdue.
    static func isSound(due: Instant?, at now: Instant) -> Bool {
        due.map { now - $0 <= tolerance } ?? true
    }
}
