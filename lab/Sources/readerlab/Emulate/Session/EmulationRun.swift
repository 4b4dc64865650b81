// SPDX-License-Identifier: Apache-2.0

import Crypto
import System
import Emulation
import Glibc
import HostLoop
import JSON
import Peripheral
import Timekeeping

/// Runs emulated devices from the start to the summary.
struct EmulationRun {
    private let units: [any EmulatedUnit]
    private let options: EmulationRunOptions

    init(_ units: [any EmulatedUnit], _ options: EmulationRunOptions) {
        self.units = units
        self.options = options
    }

    /// Runs them until a signal or `quit`. The transcript and the summary are written in any case.
    func run() throws(EmulationError) {
        let scenario = try scenario()
        try EmulationRun.checkTranscript(options.transcript)
        let keys = EmulationRun.keys(options.address.flatMap { EmulationAddress.parse($0) })
        let view = EmulationView(json: options.json, devices: units.count)
        let session = EmulationSession(units, scenario: scenario)
        do {
            let program = try program(session, scenario, keys)
            let capture = try options.btsnoop.map { path throws(CaptureFileError) in try BTSnoopFile(path: path) }
            let loop = try HostLoop(TamperedProgram(program), on: TransportName(options.hci), capture: capture)
            loop.reopen { EmulationOutput.write("readerlab: \($0); trying again", to: STDERR_FILENO) }
            session.quit = { loop.stop() }
            if let path = options.btsnoop {
                EmulationOutput.write(EmulationRun.captureWarning(path), to: STDERR_FILENO)
            }
            for (number, unit) in units.enumerated() {
                view.begin(EmulationRun.facts(unit, number, keys), EmulationRun.lines(units, number, keys))
            }
            listen(loop, session, view)
            defer { session.quit = {} }
            do {
                try loop.run { _ in EmulationRun.show(session, view) }
            } catch {
                try finish(session, view, keys)
                throw error
            }
        } catch let error as EmulationError {
            throw error
        } catch {
            throw EmulationError(code: 1, "\(error)")
        }
        try finish(session, view, keys)
    }

    // MARK: - Start

    private func scenario() throws(EmulationError) -> EmulationScenario {
        guard let path = options.scenario else { return EmulationScenario() }
        let steps = EmulationSession.steps(of: units)
        return try EmulationFile.load(
            path, maximum: EmulationScenario.maximumFileCount, "a scenario (docs/emulation.md)"
        ) { octets throws(JSONPlaceFault) in try EmulationScenario(json: octets, steps: steps) }
    }

    /// A capture is of HCI, above the encryption of the link.
    static func captureWarning(_ path: String) -> String {
        "readerlab: \(path) will hold in clear the passphrases that apps write, and link keys; use test ones, or give it "
            + "to nobody"
    }

    /// Verifies that the transcript can be written; at the end an error would be too late.
    static func checkTranscript(_ path: String?) throws(EmulationError) {
        guard let path else { return }
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { throw EmulationRun.unwritable(path, EISDIR) }
        guard access(DurableFile.directory(of: path), W_OK | X_OK) == 0 else {
            throw EmulationRun.unwritable(path, errno)
        }
    }

    static func unwritable(_ path: String, _ code: Int32) -> EmulationError {
        EmulationError(
            code: 1,
            "\(path): cannot write the transcript: \(String(cString: strerror(code))); name a file in a directory that "
                + "may be written")
    }

    /// The identity of the devices, with this address or a random one.
    static func keys(_ address: BluetoothAddress?) -> DeviceKeys {
        var random: any RandomSource = SystemRandomSource()
        let identity = SecurityIdentity(
            address: address ?? .randomStatic(from: UInt64.random(in: .min ... .max)),
            resolvingKey: Value128(from: &random))
        return DeviceKeys(identity: identity, store: TransientBondStore(), random: random)
    }

    private func program(
        _ session: EmulationSession, _ scenario: EmulationScenario, _ keys: DeviceKeys
    ) throws(DeviceProgramError) -> DeviceProgram<EmulationSession> {
        var definitions: [DeviceDefinition<EmulationSession>] = []
        for (number, unit) in units.enumerated() {
            var definition = unit.define(number)
            session.watch(&definition, number)
            if let mtu = scenario.mtu { definition.server.maximumMTU = mtu }
            definitions.append(definition)
        }
        var settings = ProgramSettings()
        if let links = options.links { settings.host.links = links }
        if units.count == 1 { units[0].adapt(&settings.host) }
        var program = try DeviceProgram(session, devices: definitions, keys: keys, settings: settings)
        program.onDeadline({ $0.deadline }) { session, context in session.advance(&context) }
        program.onOther { session, context, event in session.take(event, &context) }
        return program
    }

    private func listen(
        _ loop: HostLoop<TamperedProgram>, _ session: EmulationSession, _ view: EmulationView
    ) {
        var lines = CommandLines()
        let steps = EmulationSession.steps(of: units)
        _ = loop.watch(STDIN_FILENO) { device, now in
            let (complete, isOpen) = lines.read(STDIN_FILENO)
            for line in complete where !line.isEmpty {
                do throws(EmulationCommandFault) {
                    let command = try EmulationCommand(line: line, steps: steps)
                    device.program.act(at: now) { session, context in
                        session.hear(command, &context) { view.answer($0, isError: false) }
                    }
                } catch {
                    view.answer([error.description], isError: true)
                }
            }
            return isOpen
        }
    }

    // MARK: - End

    private static func show(_ session: EmulationSession, _ view: EmulationView) {
        while let entry = session.timeline.next() { view.show(entry) }
    }

    private func finish(_ session: EmulationSession, _ view: EmulationView, _ keys: DeviceKeys) throws(EmulationError) {
        session.timeline.finish(at: session.now)
        EmulationRun.show(session, view)
        view.end(session.timeline)
        guard let path = options.transcript else { return }
        let devices = units.enumerated().map { EmulationRun.facts($1, $0, keys) }
        let text = session.timeline.transcript(devices: devices)
        do throws(DurableFile.Failure) { try DurableFile.replace(path, with: Array(text.utf8)) } catch {
            throw EmulationRun.unwritable(path, error.errno)
        }
    }

    // MARK: - Description of devices

    private static func facts(_ unit: any EmulatedUnit, _ number: Int, _ keys: DeviceKeys) -> JSONObject {
        var object = JSONObject()
        object.add("device", number + 1)
        object.add("name", unit.name)
        object.add("address", "\(keys.address(ofDevice: number))")
        for fact in unit.facts { object.add(fact.name, fact.text) }
        return object
    }

    /// The lines that describe the device with this index; properties equal to those of the previous one are omitted.
    static func lines(_ units: [any EmulatedUnit], _ number: Int, _ keys: DeviceKeys) -> [String] {
        let unit = units[number]
        let which = units.count > 1 ? "device \(number + 1): " : ""
        var lines = ["\(which)\(unit.name.debugDescription) at \(keys.address(ofDevice: number))"]
        let facts = unit.facts.map { "  \($0.name): \($0.text)" }
        if number == 0 || facts != units[number - 1].facts.map({ "  \($0.name): \($0.text)" }) { lines += facts }
        if number + 1 == units.count { lines.append("type help for what can be done to it; Ctrl-C ends it") }
        return lines
    }
}

extension EmulationSession {
    /// Handles the host's events that no device's handler takes.
    func take(_ event: HostEvent, _ context: inout DeviceContext) {
        switch event {
        case .ready: ready(&context)
        case .controllerFailed(let fault): timeline.add(.controllerFailed("\(fault)"), device: nil, at: context.now)
        case .mtuExchanged(let link, let mtu):
            timeline.add(.mtu(mtu), device: context.device, link: link.generation, at: context.now)
        case .refused(let link, let request):
            timeline.add(
                .refused(
                    step: request.opcode.words.replacing(" ", with: "-"), error: request.error.rawValue,
                    why: request.error.words), device: context.device, link: link.generation, at: context.now)
        default: break
        }
    }

    /// Executes a typed command.
    func hear(_ command: EmulationCommand, _ context: inout DeviceContext, answer: ([String]) -> Void) {
        catchUp(context.now)
        let lines = obey(command, &context)
        answer(lines)
        switch command {
        case .help, .steps, .faults, .findings: break
        default: timeline.add(.command(lines.first ?? "", isTyped: true), device: nil, at: now)
        }
    }
}
