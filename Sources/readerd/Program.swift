// SPDX-License-Identifier: Apache-2.0

import Configuration
import Journal
import Logging
import Peripheral
import Reader

/// The program: runs one command, from its arguments to its exit status.
struct Program {
    let console: Console
    /// De-energises the configured lock; tests substitute their own line.
    var takeCurrentOff: (ReaderSettings) throws(ReaderdError) -> Void = { settings throws(ReaderdError) in
        _ = try LockOffCommand.takeCurrentOff(settings)
    }

    /// Carries out the arguments' command. Returns the exit status.
    func perform(_ arguments: [String]) -> Int32 {
        do throws(ReaderdError) {
            return try perform(Command(arguments))
        } catch {
            console.complain("readerd: \(error)")
            return error.exitCode
        }
    }

    private func perform(_ command: Command) throws(ReaderdError) -> Int32 {
        switch command {
        case .help(let name):
            console.print(CommandHelp.text(name))
            return 0
        case .version:
            console.print("readerd \(FirmwareVersion.text)")
            return 0
        case .checkConfig(let options): return try CheckConfigCommand(options: options, console: console).perform()
        case .checkUpdate(let command): return try command.perform(console)
        case .run(let options): return try start(options)
        case .events(let options): return try EventsCommand(options: options, console: console).perform()
        case .provision(let options): return try ProvisionCommand(options: options, console: console).perform()
        case .reset(let options): return try ResetCommand(options: options, console: console).perform()
        case .policy(let options): return try PolicyCommand(options: options, console: console).perform()
        case .selfTest(let options): return try SelfTestCommand(options: options, console: console).perform()
        case .lockOff(let command): return try command.perform(console)
        case .aliro(let command): return try command.perform(console)
        case .pkoc(let command): return try command.perform(console)
        case .adapter(let command): return try command.perform()
        case .calibrate(let options): return try CalibrateCommand(options: options, console: console).perform()
        case .control(let options): return try ControlCommand(options: options, console: console).perform()
        }
    }

    /// Loads and checks everything that can fail before the reader runs.
    private func start(_ options: RunOptions) throws(ReaderdError) -> Int32 {
        let path = options.configuration ?? RunOptions.defaultConfiguration
        let decoded = try SettingsFile.load(path, mayBeMissing: options.configuration == nil)
        secureLock(decoded.settings)
        guard !decoded.hasFaults else {
            for diagnostic in decoded.diagnostics where diagnostic.severity == .fault {
                console.complain(SettingsFile.line(diagnostic, of: path))
            }
            return 1
        }
        let transport = try SettingsFile.transport(decoded.settings, named: options.hci)
        let capturesSecrets = try PacketCapture.hasSecrets(options, decoded.settings)
        let state = try StateDirectory(options.stateDirectory, keeping: .networkAdministration)
        let lock = try StateLock.acquire(state, for: .run)
        defer { lock.release() }
        let usable = try UsableIdentity.load(from: state)
        try IdentityFiles.check(usable.identity, mayDrive: decoded.settings)
        var settings = decoded.settings
        try usable.door?.apply(to: &settings)
        let (addresses, repairs) = try AddressBook.load(from: state)

        let threshold = LogThreshold(options.logLevel ?? Logger.Level(decoded.settings.logLevel))
        let log = StandardErrorLog.logger(threshold, label: "readerd")
        for diagnostic in decoded.diagnostics {
            let text: Logger.Message = "\(SettingsFile.line(diagnostic, of: path))"
            if diagnostic.severity == .warning { log.warning(text) } else { log.notice(text) }
        }
        for repair in repairs { log.warning("\(repair)") }
        if capturesSecrets {
            log.warning("--btsnoop-with-secrets: the capture contains link keys and passphrases; delete it after use")
        }
        if usable.identity.isDemo { log.warning("published demo identity: its keys are public") }
        if decoded.settings.gpio.lines[.lock] == nil { log.notice("no gpio.lock: the lock is simulated") }
        return try runReader(
            options, settings: settings, transport: transport, identity: usable, addresses: addresses,
            state: state, log: log, threshold: threshold)
    }

    /// De-energises the lock before anything of this start can fail: a killed reader may have left it energised, and a
    /// chip that holds its outputs would keep it so. Errors of the line are reported when the line is opened.
    ///
    /// Not for a lock that is energised while secured: after a crash it is secured, or in its fail mode.
    private func secureLock(_ settings: ReaderSettings) {
        guard !settings.door.failMode.securedIsEnergised else { return }
        try? takeCurrentOff(settings)
    }
}
