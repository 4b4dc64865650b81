import Logging
import System
import Reader
import Timekeeping

/// What an operator sees and changes of a running reader, and how the service manager is told.
struct Operation {
    /// The configuration's file, and whether there may be none.
    var configurationPath = RunOptions.defaultConfiguration
    var configurationMayBeMissing = true
    /// What is in force.
    var settings = ReaderSettings()
    /// The door that the identity names, in the place of what the configuration does not say; nil if it names none.
    var door: ProvisionedDoor?
    var addresses = AddressBook()
    /// The reader's identifier, whether it is the published one, and the controller's name.
    var deviceID = ""
    var isDemo = false
    var controller = ""
    /// The level of the log; nil where the command line has fixed it.
    var logLevel: LogThreshold?
    var control: ControlServer?
    /// Why there is no control socket where one was to be; nil where there is one, or none was wanted.
    var controlFault: String?
    var service: ServiceManager?
    /// The platform's updater.
    var updater: UpdaterService?
    /// How phones bring the device into a Wi-Fi network; nil without.
    var provisioning: GatewayService?
    /// Beats the watchdog.
    var watchdogTimer: Timer?
}

extension ReaderProcess {
    /// The door has been started: clients are served, and the service manager is told.
    func startOperation() {
        operation.control?.owner = self
        startUpdater()
        operation.provisioning?.start(self)
        audit.onRecord = { [weak self] record in
            guard let control = self?.operation.control, control.hasSubscribers else { return }
            control.publish(event: EventLine.json(record))
        }
        if let why = operation.controlFault {
            raise(.controlSocketMissing, "\(why); until a restart nobody can ask for the status")
            settleFaults()
        }
        operation.service?.ready(status: serviceStatus)
        startWatchdog()
    }

    /// What a person who looks at the service is shown: the controller, and which faults there are.
    var serviceStatus: String {
        let codes = faults.faults.map(\.code.rawValue)
        return (metrics.isControllerReady ? "serving on " : "waiting for ") + operation.controller
            + (codes.isEmpty ? "" : "; faults: " + codes.joined(separator: ", "))
    }

    /// Lets clients read their last lines.
    func endOperation() {
        operation.watchdogTimer?.cancel()
        operation.watchdogTimer = nil
        operation.updater?.close()
        operation.provisioning?.close()
        audit.onRecord = nil
        operation.control?.close()
        operation.control = nil
    }

    /// The watchdog is fed from the loop, and only while the door was advanced in time: a loop that hangs, or goes
    /// round without the door, starves it.
    private func startWatchdog() {
        guard let interval = operation.service?.watchdogInterval else { return }
        operation.watchdogTimer = reactor.schedule(at: reactor.now + interval) { [weak self] in
            guard let self, let timer = operation.watchdogTimer else { return }
            let now = reactor.now
            if Progress.isSound(due: device.nextDeadline, at: now) {
                operation.service?.watchdog()
            } else {
                log.error("the door was not advanced in time: the watchdog is not fed")
            }
            timer.reschedule(at: now + interval)
        }
        operation.service?.watchdog()
    }
}

/// Whether the door is moved on in time.
enum Progress {
    /// How late the door may be: far longer than a turn of the loop, and shorter than anybody waits at a door.
    static let tolerance = Duration.seconds(1)

    /// Whether what was due is not overdue.
    static func isSound(due: Instant?, at now: Instant) -> Bool {
        due.map { now - $0 <= tolerance } ?? true
    }
}
