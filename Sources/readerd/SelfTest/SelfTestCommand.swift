// SPDX-License-Identifier: Apache-2.0

import Configuration
import JSON
import NFC
import Peripheral
import Reader

/// `readerd self-test`: tests each part that a reader needs, or queries the running reader.
struct SelfTestCommand {
    let options: SelfTestOptions
    let console: Console
    /// A pause of a wait for another command, or for a reader that starts; tests substitute their own.
    var pause: () -> Void = StateLock.pause

    /// Carries out the command. Returns the exit status.
    func perform() throws(ReaderdError) -> Int32 {
        let path = options.configuration ?? RunOptions.defaultConfiguration
        let decoded = try SettingsFile.load(path, mayBeMissing: options.configuration == nil)
        guard !decoded.hasFaults else {
            for diagnostic in decoded.diagnostics where diagnostic.severity == .fault {
                console.complain(SettingsFile.line(diagnostic, of: path))
            }
            return 1
        }
        let settings = decoded.settings
        guard let path = options.board else { return report(settings).exitCode }
        guard let ask = console.ask else { throw .usage("self-test --board asks questions: run it on a terminal") }
        return try BoardTest(options: options, console: console).perform(settings, path: path, ask: ask) {
            report(settings)
        }
    }

    /// Tests or asks, and prints the report.
    private func report(_ settings: ReaderSettings) -> SelfTestReport {
        if settings.nfc.connection != nil { NFCFrontEnd.disableLibraryOutput() }
        let report: SelfTestReport
        do throws(ReaderdError) {
            let state = try StateDirectory(options.stateDirectory, keeping: .networkAdministration)
            // A test must not create a state directory where there was none.
            defer { state.removeIfMade(with: [AddressBook.fileName, StateLock.fileName]) }
            switch try StateLock.wait(state, for: .selfTest, pause: pause) {
            case .taken(let lock):
                defer { lock.release() }
                report = try testParts(settings, state)
            case .held(let holder):
                // Without a name it may be a reader that could not write its record, as on a full disk.
                if let name = holder?.name, name != .run { throw StateLock.Holder.refusal(holder, state) }
                report = requestReport(settings)
            }
        } catch {
            report = withoutState(settings, error)
        }
        if options.isJSON, options.board == nil { console.print(report.json) }
        return report
    }

    /// Adds a requested part, and prints its line.
    private func add(
        _ part: SelfTestPart, to report: inout SelfTestReport, _ outcome: @autoclosure () -> SelfTestOutcome
    ) {
        guard options.parts.contains(part) else { return }
        show(report.add(part.rawValue, outcome()))
    }

    private func show(_ line: String) {
        if !options.isJSON { console.print(line) }
    }

    // MARK: Without a running reader

    private func testParts(_ settings: ReaderSettings, _ state: StateDirectory) throws(ReaderdError) -> SelfTestReport {
        var report = SelfTestReport()
        try testController(settings, state, &report)
        add(.nfc, to: &report, NFCTest.outcome(settings, timeout: options.timeout))
        testLines(settings, &report)
        let stored = StoredTest(state: state, settings: settings)
        add(.keys, to: &report, stored.keys)
        add(.disk, to: &report, stored.disk)
        add(.clock, to: &report, clock(lastEvent: stored.lastEvent, marks: stored.clockMarks).outcome)
        return report
    }

    private func testController(
        _ settings: ReaderSettings, _ state: StateDirectory, _ report: inout SelfTestReport
    ) throws(ReaderdError) {
        let isAdvertisingAsked = options.parts.contains(.advertising)
        guard isAdvertisingAsked || options.parts.contains(.controller) else { return }
        var modes: [ControllerTrial.Mode] = []
        var modesFault: ReaderdError?
        if isAdvertisingAsked {
            do throws(ReaderdError) { modes = try self.modes(settings, state) } catch { modesFault = error }
        }
        let gated = settings.advertising.modes.filter { settings.proximity.gate(of: $0) != nil }
        let name = try SettingsFile.transport(settings, named: options.hci)
        let limited = gated.filter { settings.proximity.gate(of: $0)?.maximumPathLossDB != nil }
        var trial = try SelfTestCommand.trial(name, modes, gated, limited)
        ControllerTest(name: name, takesAdapter: settings.takesAdapter, timeout: options.timeout).run(&trial)
        let (controller, advertising) = (trial.controllerOutcome, trial.advertisingOutcome)
        add(.controller, to: &report, controller)
        add(.advertising, to: &report, modesFault.map { .failed("not tested: \($0)") } ?? advertising)
    }

    private static func trial(
        _ name: TransportName, _ modes: [ControllerTrial.Mode], _ gated: [ReaderSettings.Mode],
        _ limited: [ReaderSettings.Mode]
    ) throws(ReaderdError) -> ControllerTrial {
        do throws(DatabaseError) {
            return try ControllerTrial(name, modes: modes, gated: gated, limited: limited)
        } catch {
            throw .failed("cannot create the trial's attributes: \(error)")
        }
    }

    /// Returns the configured modes as the reader would advertise them.
    private func modes(_ settings: ReaderSettings, _ state: StateDirectory) throws(ReaderdError) -> [ControllerTrial
        .Mode]
    {
        let identity = try IdentityFiles.load(from: state)
        let (addresses, _) = try AddressBook.load(from: state)
        let configuration = try AccessConfiguration(settings, addresses: addresses)
        let packets = AdvertisingPackets(
            deviceIdentifier: Array(identity.deviceID.utf8), identifiers: configuration.identifiers)
        var record = ManufacturerRecord(
            isFactory: identity.isDemo,
            applicationVersion: UInt16(truncatingIfNeeded: configuration.version.version), localMidnight: 0)
        record.companyIdentifier = configuration.identifiers.company
        let sets = configuration.advertisingSets(packets, record)
        return zip(configuration.modes, sets).map { ControllerTrial.Mode(mode: $0.mode, set: $1) }
    }

    private func testLines(_ settings: ReaderSettings, _ report: inout SelfTestReport) {
        add(
            .gpio, to: &report,
            LineTest.outcome(LineTest.findings(settings.gpio), isLockSimulated: settings.gpio.lines[.lock] == nil))
    }

    private func clock(lastEvent: Int64?, marks: ClockMarks?) -> ClockTest {
        let shown = WallClock.SystemTime.now()
        return ClockTest(
            seconds: shown.seconds, isSynchronised: shown.isSynchronised,
            buildTime: Int64(FirmwareVersion.current.buildTime), lastEvent: lastEvent, marks: marks)
    }

    /// Reports an unusable state directory as a failure of the disk; the parts that do not need it are tested all the
    /// same.
    private func withoutState(_ settings: ReaderSettings, _ fault: ReaderdError) -> SelfTestReport {
        var report = SelfTestReport()
        for part in [SelfTestPart.controller, .advertising] {
            add(part, to: &report, .failed("not tested: see disk"))
        }
        add(.nfc, to: &report, NFCTest.outcome(settings, timeout: options.timeout))
        testLines(settings, &report)
        add(.keys, to: &report, .failed("not tested: see disk"))
        // Always reported, since the reader does not start without it.
        show(report.add(SelfTestPart.disk.rawValue, .failed("\(fault)")))
        add(.clock, to: &report, clock(lastEvent: nil, marks: nil).outcome)
        return report
    }

    // MARK: With a running reader

    private func requestReport(_ settings: ReaderSettings) -> SelfTestReport {
        let path = options.control ?? settings.control ?? ControlListener.defaultPath
        let report: SelfTestReport
        do throws(ReaderdError) {
            // One that holds the state directory and does not listen yet is starting.
            let caller = try ControlCaller(path: path, pauses: StateLock.pauses, pause: pause)
            let octets = try caller.send(ControlRequest(action: .status, id: nil).line)
            guard let answer = try? JSONParser.parse(octets), answer["ok"]?.isTrue == true else {
                throw .failed("\(path): not a reader's answer; name the reader's socket with --control")
            }
            report = SelfTestReport(status: answer, parts: options.parts)
        } catch {
            var silent = SelfTestReport()
            silent.isOfRunningReader = true
            silent.add(
                "reader",
                .failed(
                    "\(options.stateDirectory) in use, but no reader answers: \(error); stop the reader for a full "
                        + "test"))
            report = silent
        }
        for row in report.rows { show(row.line) }
        return report
    }
}
