// SPDX-License-Identifier: Apache-2.0

package import Commands
import Console
import Crypto
package import Emulation
import Glibc
package import HostLoop
import JSON
package import Peripheral
import System
import Timekeeping

/// Runs emulated devices from the start to the summary.
package struct EmulationRun {
    package let units: [any EmulatedUnit]
    package let options: EmulationRunOptions

    package init(units: [any EmulatedUnit], options: EmulationRunOptions) {
        self.units = units
        self.options = options
    }

    /// Runs the devices until a signal or `quit`. The transcript and the summary are written in any case.
    package func run() throws(CommandError) {
        let scenario = try scenario()
        let view = EmulationView(options.output, devices: units.count)
        try view.check()
        let keys = EmulationRun.keys(options.radio.firstAddress)
        let session = EmulationSession(units, scenario: scenario)
        do {
            let program = try program(session, scenario, keys)
            let loop = try options.radio.loop(TamperedProgram(program))
            session.quit = { loop.stop() }
            if let path = options.radio.btsnoop {
                ConsoleOutput.write(EmulationRun.captureWarning(path), to: STDERR_FILENO)
            }
            for (number, unit) in units.enumerated() {
                view.begin(EmulationRun.facts(unit, number, keys), EmulationRun.lines(units, number, keys))
            }
            listen(loop, session, view)
            defer { session.quit = {} }
            var states = ObservedStateLog()
            let outcome = Result {
                try loop.run { _ in
                    view.show(&session.timeline)
                    view.show(&states) { session.observed }
                }
            }
            let devices = units.enumerated().map { EmulationRun.facts($1, $0, keys) }
            try view.end(&session.timeline, at: session.now, devices, outcome)
        } catch {
            throw CommandError(error)
        }
    }

    // MARK: - Start

    private func scenario() throws(CommandError) -> EmulationScenario {
        guard let path = options.scenario else { return EmulationScenario() }
        let steps = EmulationSession.steps(of: units)
        return try InputFile.load(
            path, maximum: EmulationScenario.maximumFileCount, "a scenario (docs/emulators/emulation.md)"
        ) { octets throws(JSONPlaceFault) in try EmulationScenario(json: octets, steps: steps) }
    }

    /// The warning of a capture: it records HCI packets, which are not encrypted.
    static func captureWarning(_ path: String) -> String {
        "readerlab: \(path) will hold in clear the passphrases that apps write, and link keys; use test ones, or give it "
            + "to nobody"
    }

    /// The identity of the devices, with this address or a random address.
    package static func keys(_ address: BluetoothAddress?) -> DeviceKeys {
        DeviceKeys(
            identity: EmulationKeys(address: address).identity, store: TransientBondStore(),
            random: SystemRandomSource())
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
        if units.count == 1 { units[0].adapt(&settings.host) }
        if let links = options.links { settings.host.links = links }
        var program = try DeviceProgram(session, devices: definitions, keys: keys, settings: settings)
        program.onDeadline({ $0.deadline }) { session, context in session.advance(&context) }
        program.onOther { session, context, event in session.receive(event, &context) }
        return program
    }

    private func listen(
        _ loop: HostLoop<TamperedProgram>, _ session: EmulationSession, _ view: EmulationView
    ) {
        let steps = EmulationSession.steps(of: units)
        loop.watchLines { device, now, line in
            view.answer { () throws(CommandFault) in
                let command = try EmulationCommand(line: line, steps: steps)
                var lines: [String] = []
                device.program.act(at: now) { session, context in lines = session.receive(command, &context) }
                return lines
            }
        }
    }

    // MARK: - Description of devices

    private static func facts(_ unit: any EmulatedUnit, _ number: Int, _ keys: DeviceKeys) -> JSONObject {
        var object: JSONObject = [
            "device": number + 1, "name": unit.name, "address": "\(keys.address(ofDevice: number))",
        ]
        for fact in unit.facts { object.add(fact.name, fact.text) }
        return object
    }

    /// The lines that describe the device with this index; properties equal to the previous device's are omitted.
    package static func lines(_ units: [any EmulatedUnit], _ number: Int, _ keys: DeviceKeys) -> [String] {
        let unit = units[number]
        let which = units.count > 1 ? "device \(number + 1): " : ""
        var lines = ["\(which)\(unit.name.debugDescription) at \(keys.address(ofDevice: number))"]
        let facts = unit.facts.map { "  \($0.name): \($0.text)" }
        if number == 0 || facts != units[number - 1].facts.map({ "  \($0.name): \($0.text)" }) { lines += facts }
        if number + 1 == units.count { lines.append("type help for the commands; Ctrl-C ends it") }
        return lines
    }
}

extension EmulationSession {
    /// Handles the host's events that no handler of a device receives.
    package func receive(_ event: HostEvent, _ context: inout DeviceContext) {
        switch event {
        case .ready: ready(&context)
        case .advertising(let status): advertisingChanged(status, &context)
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

    /// Executes a typed command, and returns the lines of the answer.
    package func receive(_ command: EmulationCommand, _ context: inout DeviceContext) -> [String] {
        catchUp(context.now)
        let lines = execute(command, &context)
        if !command.isQuestion { timeline.add(.command(lines.first ?? "", isTyped: true), device: nil, at: now) }
        return lines
    }
}
