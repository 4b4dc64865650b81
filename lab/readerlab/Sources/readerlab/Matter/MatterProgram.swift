// SPDX-License-Identifier: Apache-2.0

import Console
import Crypto
import DevicePrograms
import Devices
import Emulation
import Glibc
import HostLoop
import JSON
import MatterCredentials
import MatterHost
import MatterNode
import MatterTLV
import Octets
import Peripheral
import System
import Timekeeping

/// The program around an emulated Matter node: files, sockets, loop, commands.
struct MatterProgram {
    private let command: EmulateMatterCommand
    private let view: EmulationView

    init(_ command: EmulateMatterCommand) {
        self.command = command
        view = EmulationView(command.output)
    }

    /// Prints the attestation sets with the behaviour to expect of an app.
    static func listAttestation() {
        for set in AttestationSet.allCases {
            let name = TextColumn.padded(set.rawValue, 18)
            let code = set.result.code.map { "\($0)" } ?? "-"
            ConsoleOutput.write(
                "\(name) fault: \(set.fault)\n    CHIP result \(code). \(set.prompt)", to: STDOUT_FILENO)
        }
    }

    /// Runs until a signal or `quit`. The transcript and the summary are written in any case.
    func run() throws(CommandError) {
        let scenario = try scenario()
        try view.check()
        var random = SystemRandomSource()
        let files = try command.stateDir.map { path throws(CommandError) in try MatterStateFiles(directory: path) }
        let identity = try files?.identity(&random) ?? random.octets(16)
        let codes = try MatterCodes(command)
        if let path = command.qrSvg { try codes.draw(to: path) }
        let (socket, discovery) = try network(identity)
        let settings = MatterSettings(
            device: command.product.device, attestation: command.product.attestationSet, simulation: try simulation(),
            files: files, codeLines: codes.lines)
        let node = try node(identity, files, discovery)
        let emulation = MatterEmulation(
            node, settings, socket: socket, discovery: discovery, scenario: scenario)
        let facts = facts(codes, socket.port, discovery, files)
        var begun = facts
        if let svg = codes.svg { begun.add("qr-svg", svg) }
        view.begin(begun, lines(codes, socket.port, discovery, files))
        defer { emulation.quit = {} }
        let outcome = Result { () throws(CommandError) in
            if command.hci == nil { try runOverIP(emulation) } else { try runWithRadio(emulation) }
        }
        try view.end(&emulation.timeline, at: MonotonicClock.now, [facts], outcome)
    }

    // MARK: - Start

    private func scenario() throws(CommandError) -> MatterScenario {
        guard let path = command.scenario else { return MatterScenario() }
        return try InputFile.load(
            path, maximum: MatterScenario.maximumFileCount, "a scenario (docs/emulators/matter.md)"
        ) { octets throws(JSONPlaceFault) in try MatterScenario(json: octets) }
    }

    private func network(_ identity: [UInt8]) throws(CommandError) -> (DatagramSocket, MatterDiscovery) {
        let host = Hexadecimal.text(identity.prefix(8), uppercase: true)
        do throws(NetworkFault) {
            let socket = try DatagramSocket(isIPv6: true, port: command.port, takesIPv4: true)
            let discovery = try MatterDiscovery(
                host: host, port: socket.port, interface: command.interface, at: MonotonicClock.now)
            return (socket, discovery)
        } catch {
            throw .failed(error.text)
        }
    }

    private func simulation() throws(CommandError) -> WiFiSimulation? {
        guard command.networkKind == .wifi else { return nil }
        return try NordicWorld.load(command.simulation)
    }

    private func node(
        _ identity: [UInt8], _ files: MatterStateFiles?, _ discovery: MatterDiscovery
    ) throws(CommandError) -> MatterNode {
        let document = try files?.load()
        let random = SystemRandomSource()
        let configuration = try MatterConfiguration(command, identity, files, discovery)
        do throws(MatterStateError) {
            return try MatterNode(configuration, restoring: document, random: random, at: MatterEmulation.now)
        } catch {
            throw .misuse("\(files?.statePath ?? ""): \(error); remove the file to begin as delivered")
        }
    }

    // MARK: - Description

    private func facts(
        _ codes: MatterCodes, _ port: UInt16, _ discovery: MatterDiscovery, _ files: MatterStateFiles?
    ) -> JSONObject {
        [
            "device": 1, "name": command.product.productName, "type": command.product.device.rawValue, "qr": codes.qr,
            "manual": codes.manual, "discriminator": Int(command.product.discriminator), "port": Int(port),
            "network": command.networkKind.rawValue, "attestation": command.product.attestation,
            "authority": files?.authorityPath,
        ]
    }

    private func lines(
        _ codes: MatterCodes, _ port: UInt16, _ discovery: MatterDiscovery, _ files: MatterStateFiles?
    ) -> [String] {
        let product = command.product
        var lines =
            ["\(product.productName.debugDescription), a \(product.device.rawValue)"] + codes.drawing + codes.lines
        lines.append(
            "  discriminator \(product.discriminator), vendor \(product.vendor), product \(product.product)")
        let radio = command.hci.map { " and BLE at \($0)" } ?? ""
        lines.append("  UDP port \(port) on \(discovery.text)\(radio)")
        lines.append("  attestation \(product.attestation), fault: \(product.attestationSet.fault)")
        lines.append("    \(product.attestationSet.prompt)")
        if let files { lines.append("  the authority for trust stores: \(files.authorityPath)") }
        return lines + ["type help for the commands; Ctrl-C ends it"]
    }

    // MARK: - Loops

    /// Runs with sockets alone.
    private func runOverIP(_ emulation: MatterEmulation) throws(CommandError) {
        do {
            try Reactor.blockSignals(Reactor.endingSignals)
            let reactor = try Reactor()
            reactor.longestWait = MatterEmulation.longestWait
            var timer: Timer?
            var states = ObservedStateLog()
            func settle() {
                view.show(&emulation.timeline)
                view.show(&states) { emulation.observed }
                guard let deadline = emulation.deadline else { return }
                if let timer {
                    timer.reschedule(at: deadline)
                } else {
                    timer = reactor.schedule(at: deadline) {
                        emulation.advance()
                        settle()
                    }
                }
            }
            emulation.quit = { reactor.stop() }
            try reactor.onSignal(Reactor.endingSignals) { _ in reactor.stop() }
            var watches: [Watch] = []
            for (place, descriptor) in emulation.descriptors.enumerated() {
                watches.append(
                    try reactor.watch(descriptor, .readable) { _ in
                        if emulation.ready(descriptor, age: reactor.inputAge) { watches[place].drained() }
                        settle()
                    })
            }
            let input = reactor.watchLines { line in
                receive(line, emulation)
                settle()
            }
            emulation.begin()
            emulation.report(.listening("over IP"))
            settle()
            try reactor.run()
            withExtendedLifetime((watches, input)) {}
        } catch {
            throw .failed("\(error)")
        }
        emulation.end()
    }

    /// Runs with a Bluetooth controller too.
    private func runWithRadio(_ emulation: MatterEmulation) throws(CommandError) {
        do {
            let capture = try command.btsnoop.map { path throws(CaptureFileError) in try BTSnoopFile(path: path) }
            let radio = MatterRadio()
            let program = try radio.program(emulation)
            let name = try TransportName(command.hci ?? "")
            let loop = try HostLoop(program, on: name, capture: capture, waits: EmulationRadio.wait(for: name))
            emulation.quit = { loop.stop() }
            loop.longestWait = MatterEmulation.longestWait
            for descriptor in emulation.descriptors {
                _ = loop.watch(descriptor) { program, now in
                    program.act(at: now) { emulation, context in
                        _ = emulation.ready(descriptor, age: loop.inputAge)
                        radio.follow(emulation, &context)
                    }
                    return true
                }
            }
            loop.watchLines { program, now, line in
                program.act(at: now) { emulation, context in
                    receive(line, emulation)
                    radio.follow(emulation, &context)
                }
            }
            var states = ObservedStateLog()
            try loop.run { _ in
                view.show(&emulation.timeline)
                view.show(&states) { emulation.observed }
            }
        } catch {
            throw .failed("\(error)")
        }
        emulation.end()
    }

    /// Executes a typed command.
    private func receive(_ line: String, _ emulation: MatterEmulation) {
        view.answer { () throws(CommandFault) in
            let command = try MatterCommand(line: line)
            let answer = try emulation.execute(command)
            switch command {
            case .help, .faults, .findings, .codes: break
            default: emulation.report(.command(answer.first ?? "", isTyped: true))
            }
            return answer
        }
    }
}
