// SPDX-License-Identifier: Apache-2.0

package import Commands
import Console
import Crypto
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
package import Peripheral
import System
import Timekeeping

/// The program around an emulated Matter node: files, sockets, loop, commands.
package struct MatterProgram {
    /// The product, and its files, network and radio.
    package struct Options {
        package var product = MatterProduct()
        /// The network that apps configure.
        package var network = MatterNetworkKind.ethernet
        /// The file of the Wi-Fi networks around it; nil for two usual ones.
        package var simulation: String?
        /// The Bluetooth controller, and the capture of its packets; nil for none.
        package var hci: TransportName?
        package var capture: String?
        /// The interface to be found on; nil for all.
        package var interface: String?
        /// The UDP port; 0 for any.
        package var port: UInt16 = 5540
        /// The directory of the state; nil for a state that ends with the process.
        package var stateDirectory: String?
        /// The file for the QR code, as SVG.
        package var drawing: String?
        /// The file of commands at their times.
        package var scenario: String?

        /// A lock that is found on all interfaces.
        package init() {}
    }

    private let options: Options
    private let view: EmulationView

    package init(_ options: Options, _ view: EmulationView) {
        self.options = options
        self.view = view
    }

    /// Prints the attestation sets with the behaviour to expect of an app.
    package static func listAttestation() {
        for set in AttestationSet.allCases {
            let name = TextColumn.padded(set.rawValue, 18)
            let code = set.result.code.map { "\($0)" } ?? "-"
            ConsoleOutput.write(
                "\(name) fault: \(set.fault)\n    CHIP result \(code). \(set.prompt)", to: STDOUT_FILENO)
        }
    }

    /// Runs until a signal or `quit`. The transcript and the summary are written in any case.
    package func run() throws(CommandError) {
        let scenario = try scenario()
        try view.check()
        var random = SystemRandomSource()
        let files = try options.stateDirectory.map { path throws(CommandError) in try MatterStateFiles(directory: path)
        }
        let identity = try files?.identity(&random) ?? random.octets(16)
        let codes = try MatterCodes(options.product, hasBluetooth: options.hci != nil)
        if let path = options.drawing { try codes.draw(to: path) }
        let (socket, discovery) = try network(identity)
        let settings = MatterSettings(
            device: options.product.device, attestation: options.product.attestation, simulation: try simulation(),
            files: files, codeLines: codes.lines)
        let node = try node(identity, files, discovery)
        let emulation = MatterEmulation(
            node, settings, socket: socket, discovery: discovery, scenario: scenario)
        var facts = facts(codes, socket.port, discovery, files)
        if node.unusedPINs > 0 { facts.add("unused-pins", node.unusedPINs) }
        var begun = facts
        if let svg = codes.svg { begun.add("qr-svg", svg) }
        view.begin(begun, lines(node, codes, socket.port, discovery, files))
        defer { emulation.quit = {} }
        let outcome = Result { () throws(CommandError) in
            if let name = options.hci { try run(emulation, on: name) } else { try runOverIP(emulation) }
        }
        try view.end(&emulation.timeline, at: MonotonicClock.now, [facts], outcome)
    }

    // MARK: - Start

    private func scenario() throws(CommandError) -> MatterScenario {
        guard let path = options.scenario else { return MatterScenario() }
        return try InputFile.load(
            path, maximum: MatterScenario.maximumFileCount, "a scenario (docs/emulators/matter.md)"
        ) { octets throws(JSONPlaceFault) in try MatterScenario(json: octets) }
    }

    private func network(_ identity: [UInt8]) throws(CommandError) -> (DatagramSocket, MatterDiscovery) {
        let host = Hexadecimal.text(identity.prefix(8), uppercase: true)
        do throws(NetworkFault) {
            let socket = try DatagramSocket(isIPv6: true, port: options.port, takesIPv4: true)
            let discovery = try MatterDiscovery(
                host: host, port: socket.port, interface: options.interface, at: MonotonicClock.now)
            return (socket, discovery)
        } catch {
            throw .failed(error.text)
        }
    }

    private func simulation() throws(CommandError) -> WiFiSimulation? {
        guard options.network == .wifi else { return nil }
        return try NordicWorld.load(options.simulation)
    }

    private func node(
        _ identity: [UInt8], _ files: MatterStateFiles?, _ discovery: MatterDiscovery
    ) throws(CommandError) -> MatterNode {
        let document = try files?.load()
        let random = SystemRandomSource()
        let configuration = try MatterConfiguration(options, identity, files, discovery)
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
            "device": 1, "name": options.product.name, "type": options.product.device.rawValue, "qr": codes.qr,
            "manual": codes.manual, "discriminator": Int(options.product.discriminator), "port": Int(port),
            "network": options.network.rawValue, "attestation": options.product.attestation.rawValue,
            "authority": files?.authorityPath,
        ]
    }

    private func lines(
        _ node: MatterNode, _ codes: MatterCodes, _ port: UInt16, _ discovery: MatterDiscovery,
        _ files: MatterStateFiles?
    ) -> [String] {
        let product = options.product
        var lines =
            ["\(product.name.debugDescription), a \(product.device.rawValue)"] + codes.drawing + codes.lines
        lines.append(
            "  discriminator \(product.discriminator), vendor \(hexadecimal(product.vendor)), "
                + "product \(hexadecimal(product.product))")
        let radio = options.hci.map { " and BLE at \($0)" } ?? ""
        lines.append("  UDP port \(port) on \(discovery.text)\(radio)")
        lines.append("  attestation \(product.attestation.rawValue), fault: \(product.attestation.fault)")
        lines.append("    \(product.attestation.prompt)")
        if node.unusedPINs > 0 {
            lines.append("  stored PINs: \(node.unusedPINs), and no order needs one; start it with --pin for that")
        }
        if let files { lines.append("  the authority for trust stores: \(files.authorityPath)") }
        return lines + ["type help for the commands; Ctrl-C ends it"]
    }

    /// The number as it is registered, such as `0xFFF1`.
    private func hexadecimal(_ identifier: some MatterIdentifier) -> String {
        let digits = String(identifier.rawValue, radix: 16, uppercase: true)
        return "0x" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
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

    /// Runs with a Bluetooth controller, too.
    private func run(_ emulation: MatterEmulation, on name: TransportName) throws(CommandError) {
        do {
            let capture = try options.capture.map { path throws(CaptureFileError) in try BTSnoopFile(path: path) }
            let radio = MatterRadio()
            let program = try radio.program(emulation)
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
