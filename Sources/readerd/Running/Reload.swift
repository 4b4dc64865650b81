// SPDX-License-Identifier: Apache-2.0

import Configuration
import Journal
import Logging
import System
import Reader

/// The effect of a reloaded configuration: keys that take effect at once, and keys that need a restart.
struct Reload: Equatable {
    /// The settings in force after it.
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
        settings.lights = new.lights
        settings.reader.holidays = new.reader.holidays
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

extension Logger.Level {
    /// The log level of the configuration.
    init(_ level: ReaderSettings.LogLevel) { self = Logger.Level(rawValue: level.rawValue) ?? .info }
}
