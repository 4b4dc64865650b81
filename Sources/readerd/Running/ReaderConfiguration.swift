// SPDX-License-Identifier: Apache-2.0

import Configuration
import Journal
import Logging
import Reader
import System
import Timekeeping

/// The configuration file of a running reader, which is reloaded on request, and the service manager that requests it.
final class ReaderConfiguration: ReaderService {
    unowned let process: ReaderProcess
    /// The path of the configuration file; `mayBeMissing` is true for the default path.
    private let path: String
    private let mayBeMissing: Bool
    /// The identity's door, used where the configuration does not state one; nil if the identity names none.
    private let door: ProvisionedDoor?
    /// The log level; nil if the command line has fixed it.
    private let logLevel: LogThreshold?
    private let manager: ServiceManager?
    private var watchdogTimer: Timer?

    init(
        _ process: ReaderProcess, path: String, mayBeMissing: Bool, door: ProvisionedDoor?, logLevel: LogThreshold?,
        manager: ServiceManager?
    ) {
        (self.process, self.path, self.mayBeMissing) = (process, path, mayBeMissing)
        (self.door, self.logLevel, self.manager) = (door, logLevel, manager)
    }

    // MARK: - The service manager

    func started() {
        manager?.ready(status: process.serviceStatus)
        startWatchdog()
    }

    func receive(_ notice: ReaderNotice) {
        switch notice {
        case .controllerReady, .advertising: manager?.status(process.serviceStatus)
        default: break
        }
    }

    func faultsChanged() { manager?.status(process.serviceStatus) }

    func stop() { manager?.stopping() }

    func close() {
        watchdogTimer?.cancel()
        watchdogTimer = nil
    }

    /// The watchdog is notified from the loop, only while the door was advanced in time: a loop that hangs, or runs
    /// without the door, lets it expire.
    private func startWatchdog() {
        guard let interval = manager?.watchdogInterval else { return }
        watchdogTimer = reactor.schedule(at: reactor.now + interval) { [weak self] in
            guard let self, let timer = watchdogTimer else { return }
            let now = reactor.now
            if Progress.isSound(due: process.device.nextDeadline, at: now) {
                manager?.watchdog()
            } else {
                log.error("the door was not updated in time: watchdog not triggered")
            }
            timer.reschedule(at: now + interval)
        }
        manager?.watchdog()
    }
}

extension ReaderProcess {
    /// The status text for the service manager: the controller and the faults.
    var serviceStatus: String {
        let codes = faults.faults.map(\.code.rawValue)
        return (servesPhones ? "serving on " : "waiting for ") + setup.controller
            + (codes.isEmpty ? "" : "; faults: " + codes.joined(separator: ", "))
    }
}

// MARK: - Reloading

extension ReaderConfiguration {
    /// Reloads the configuration. A faulty one changes nothing.
    func reload() {
        manager?.reloading(at: reactor.now)
        defer { manager?.ready(status: process.serviceStatus) }
        process.service(ReaderCards.self)?.load()
        let decoded: DecodedSettings
        do throws(ReaderdError) {
            decoded = try SettingsFile.load(path, mayBeMissing: mayBeMissing)
        } catch {
            return reject("nothing changed: \(error)", "\(error)")
        }
        let diagnostics = decoded.diagnostics.filter { $0.severity != .notice }
        for diagnostic in diagnostics {
            let line: Logger.Message = "reload: \(SettingsFile.line(diagnostic, of: path))"
            if diagnostic.severity == .fault { log.error(line) } else { log.warning(line) }
        }
        guard !decoded.hasFaults else {
            let first = diagnostics.first { $0.severity == .fault }
            return reject(
                "\(path) has faults: nothing changed", first.map { SettingsFile.line($0, of: path) } ?? path)
        }
        var settings = decoded.settings
        do throws(ReaderdError) { try door?.apply(to: &settings) } catch {
            return reject("nothing changed: \(error)", "\(error)")
        }
        apply(Reload(from: self.settings, to: settings, logLevelIsFixed: logLevel == nil))
    }

    /// Reports a rejected configuration; the previous one remains in force.
    private func reject(_ line: String, _ why: String) {
        log.error("reload: \(line)")
        raise(
            .configurationRejected,
            "the configuration has faults, the previous one stays in use: \(why); correct it, and reload")
        flush()
    }

    private func apply(_ reload: Reload) {
        if !reload.applied.isEmpty {
            do {
                let configuration = try AccessConfiguration(reload.settings, addresses: process.setup.addresses)
                // A notice about unserved modes, if any, follows directly.
                process.reported.servesAllModes = process.metrics.isControllerReady
                try process.device.reconfigure(configuration, door: reload.settings.doorConfiguration, at: moment)
            } catch {
                return reject("nothing changed: \(error)", "\(error)")
            }
            logLevel?.level = Logger.Level(reload.settings.logLevel)
            let former = settings
            process.setup.settings = reload.settings
            for service in process.services { service.reconfigured(from: former) }
            audit.configured(reload.settings, &process.device.reader.ledger)
            log.notice("reload: changed \(reload.applied.joined(separator: ", "))")
        }
        clear(.configurationRejected)
        if !reload.deferred.isEmpty {
            log.warning("reload: takes effect with a restart: \(reload.deferred.joined(separator: ", "))")
        }
        if reload.applied.isEmpty, reload.deferred.isEmpty { log.notice("reload: no changes") }
        flush()
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
