// SPDX-License-Identifier: Apache-2.0

import Configuration
import GPIO
import System

/// `readerd lock-off`: de-energises the lock, as at the reader's end, after a crash.
struct LockOffCommand: Equatable, ReaderdArguments {
    /// `--config`; nil for the default path.
    var configuration: String?

    var command: CommandName { .lockOff }

    var options: [CommandOption<LockOffCommand>] { [.value("--config") { $0.configuration = $1 }] }

    /// Carries out the command. Returns the exit status.
    func perform(_ console: Console) throws(ReaderdError) -> Int32 {
        let path = configuration ?? RunOptions.defaultConfiguration
        let settings = try SettingsFile.load(path, mayBeMissing: configuration == nil).settings
        guard let line = try LockOffCommand.takeCurrentOff(settings) else {
            console.print("no gpio.lock: nothing to de-energise")
            return 0
        }
        console.print("gpio.lock \(line): de-energised")
        return 0
    }

    /// De-energises the configured lock, and releases its line; nil for none.
    static func takeCurrentOff(_ settings: ReaderSettings) throws(ReaderdError) -> LineReference? {
        guard let text = settings.gpio.lines[.lock] else { return nil }
        do {
            // The level is part of the request, so the line never has another.
            return try OutputLine(
                LineReference(text), activeLow: settings.gpio.activeLow.contains(.lock), active: false
            ).reference
        } catch {
            throw .failed("gpio.lock: \(error)")
        }
    }

    static let help = """
        readerd lock-off [--config FILE]

        De-energises the lock, as the reader does at its own end: a lock with fail mode "secure" is then locked, one
        with "safe" unlocked. For a service manager, after an abnormal end of the reader (ExecStopPost). A line in use
        by a running reader is not changed, which is an error.

        --config FILE      The configuration, as for readerd run. Only faults of gpio.lock matter.

        The level of the line afterwards depends on its chip's driver: docs/operate/configuration.md.
        """
}
