// SPDX-License-Identifier: Apache-2.0

import Journal
import Logging
import System
import Reader

/// The effect of a reloaded configuration: keys that take effect at once, and keys that need a restart.
struct Reload: Equatable {
    /// The settings in force from now on.
    var settings: ReaderSettings
    /// The keys that took effect.
    var applied: [String] = []
    /// The keys whose new values take effect at the next start.
    var deferred: [String] = []

    /// Adopts from `new` the settings that can change while the reader runs.
    init(from old: ReaderSettings, to new: ReaderSettings, logLevelIsFixed: Bool) {
        settings = old
        settings.advertising = new.advertising
        settings.proximity = new.proximity
        settings.links = new.links
        let failMode = old.door.failMode
        settings.door = new.door
        settings.door.failMode = failMode
        settings.link.may = new.link.may
        settings.link.maySet = new.link.maySet
        if !logLevelIsFixed { settings.logLevel = new.logLevel }
        for key in SettingKey.all {
            let (before, wanted) = (key.written(old), key.written(new))
            guard before != wanted else { continue }
            if key.written(settings) == wanted { applied.append(key.name) } else { deferred.append(key.name) }
        }
    }
}

extension ReaderProcess {
    /// Reloads the configuration. A faulty one changes nothing.
    func reload() {
        operation.service?.reloading(at: reactor.now)
        defer { operation.service?.ready(status: serviceStatus) }
        let path = operation.configurationPath
        let decoded: DecodedSettings
        do throws(ReaderdError) {
            decoded = try SettingsFile.load(path, mayBeMissing: operation.configurationMayBeMissing)
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
        do throws(ReaderdError) { try operation.door?.apply(to: &settings) } catch {
            return reject("nothing changed: \(error)", "\(error)")
        }
        apply(Reload(from: operation.settings, to: settings, logLevelIsFixed: operation.logLevel == nil))
    }

    /// Reports a rejected configuration; the former one remains in force.
    private func reject(_ line: String, _ why: String) {
        log.error("reload: \(line)")
        raise(
            .configurationRejected,
            "the configuration has faults, the former one stays in use: \(why); correct it, and reload")
        flush()
    }

    private func apply(_ reload: Reload) {
        if !reload.applied.isEmpty {
            do {
                let configuration = try AccessConfiguration(reload.settings, addresses: operation.addresses)
                // A notice about unserved modes, if any, follows directly.
                servesAllModes = metrics.isControllerReady
                try device.reconfigure(configuration, door: reload.settings.door.configuration, at: moment)
            } catch {
                return reject("nothing changed: \(error)", "\(error)")
            }
            operation.logLevel?.level = Logger.Level(reload.settings.logLevel)
            let formerly = operation.settings.link.maySet
            operation.settings = reload.settings
            applyDesiredSettings(formerly: formerly)
            reconsiderDesired()
            audit.configured(reload.settings, actor: "")
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

extension Logger.Level {
    /// The log level of the configuration.
    init(_ level: ReaderSettings.LogLevel) { self = Logger.Level(rawValue: level.rawValue) ?? .info }
}
