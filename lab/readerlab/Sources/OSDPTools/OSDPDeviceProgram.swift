// SPDX-License-Identifier: Apache-2.0

import Console
package import Commands
import Crypto
import Emulation
import Glibc
package import OSDP
import PanelLine
import System
import Timekeeping

/// The program around an emulated peripheral device: line, key file, loop, typed orders.
package final class OSDPDeviceProgram {
    /// The pause before a lost line is opened again.
    private static let reopening: Duration = .seconds(1)
    /// The longest wait of the loop. The age of octets is known to within two of these, a
    /// fifth of the time for an answer.
    private static let longestWait = Duration.milliseconds(20)

    private let json: Bool
    private let keyFile: OSDPKeyFile?
    private let port: OSDPPort
    private let install: UInt16?
    private let begin = MonotonicClock.now
    private var device: OSDPDevice
    private var random = SystemRandomSource()
    private var timer: Timer?
    private var failure: CommandError?

    /// - Parameter keyPath: the file of the key; without it, orders are in clear.
    /// - Parameter install: the seconds in which a panel may set the key.
    package init(
        _ configuration: OSDPConfiguration, line: String, keyPath: String?, install: UInt16?, json: Bool
    ) throws(CommandError) {
        self.json = json
        keyFile = keyPath.map { OSDPKeyFile(path: $0) }
        self.install = install
        let key = try keyFile?.loadForUse()
        if let keyPath, key == nil, install == nil {
            throw .misuse(
                "\(keyPath): no such key; write 32 hexadecimal digits, or let a panel set it with --install 60")
        }
        port = try OSDPPort(line)
        device = OSDPDevice(configuration, key: key)
    }

    /// Runs until a signal or `quit`.
    package func run() throws(CommandError) {
        let input: Watch?
        do throws(SystemError) {
            try Reactor.blockSignals(Reactor.endingSignals)
            let reactor = try Reactor()
            reactor.longestWait = OSDPDeviceProgram.longestWait
            try reactor.onSignal(Reactor.endingSignals) { _ in reactor.stop() }
            defer { port.close() }
            do throws(CommandError) { try open(on: reactor) } catch { failure = error }
            if failure == nil {
                input = reactor.watchLines { [weak self] in self?.receive($0, on: reactor) }
                start(on: reactor)
                try reactor.run()
                withExtendedLifetime(input) {}
            }
        } catch { throw .failed("\(error)") }
        if let failure { throw failure }
    }

    private func start(on reactor: Reactor) {
        let key = device.hasKey ? "with its key" : keyFile == nil ? "in clear" : "without a key yet"
        report(OSDPDeviceEntry("ready", "\(OSDPWords.text(device.line)), \(key)"))
        if let install {
            device.openInstallation(until: reactor.now + .seconds(Int(install)))
            report(OSDPDeviceEntry("install", "SCBK-D is taken for \(install) s: who listens then has the key"))
        }
        settle(on: reactor)
    }

    // MARK: - Line

    private func open(on reactor: Reactor) throws(CommandError) {
        try port.open(device.line.speed, on: reactor) { [weak self] in self?.serve(on: reactor) }
    }

    private func serve(on reactor: Reactor) {
        guard let stream = port.stream else { return }
        var octets: [UInt8] = []
        let isOpen = stream.read { span in octets = span.indices.map { span[$0] } }
        guard isOpen, stream.flush() else { return lose(on: reactor) }
        guard !octets.isEmpty else { return }
        let (now, age) = (reactor.now, reactor.inputAge)
        // More octets of the same age may follow.
        if age > OSDPDevice.answerTime { port.discardInput() }
        act(on: reactor) { device, random, effects in
            device.receive(octets.span, at: now, age: age, random: &random, effects: &effects)
        }
    }

    /// Reports a lost line, and opens it again. The device keeps its state: the panel may return within its time-out.
    private func lose(on reactor: Reactor) {
        port.drop()
        report(OSDPDeviceEntry("lost", "the line is lost; it is opened again"))
        reopen(on: reactor)
    }

    private func reopen(on reactor: Reactor) {
        do throws(CommandError) {
            try open(on: reactor)
            report(OSDPDeviceEntry("line", "open"))
        } catch {
            reactor.schedule(at: reactor.now + OSDPDeviceProgram.reopening) { [weak self] in
                self?.reopen(on: reactor)
            }
        }
    }

    // MARK: - Device

    private func act(
        on reactor: Reactor, _ body: (inout OSDPDevice, inout SystemRandomSource, inout [OSDPEffect]) -> Void
    ) {
        var effects: [OSDPEffect] = []
        body(&device, &random, &effects)
        perform(effects, on: reactor)
        settle(on: reactor)
    }

    private func perform(_ effects: [OSDPEffect], on reactor: Reactor) {
        for effect in effects {
            switch effect {
            case .transmit(let octets, let end):
                guard reactor.now <= end else { continue }
                port.stream?.append(octets)
                if port.stream?.flush() == false { return lose(on: reactor) }
            case .setLine(let line):
                // A lost line is opened again at the new speed.
                try? port.setSpeed(line.speed)
            case .storeKey(let key): store(key, on: reactor)
            default: break
            }
            if let entry = OSDPDeviceEntry(effect) { report(entry) }
        }
    }

    private func store(_ key: OSDPKey, on reactor: Reactor) {
        var isStored = false
        if let keyFile {
            do throws(DurableFile.Failure) {
                try keyFile.store(key)
                isStored = true
            } catch {
                let reason = String(cString: strerror(error.errno))
                report(OSDPDeviceEntry("key", "\(error.path): cannot keep the key: \(reason); the old one stays"))
            }
        }
        var effects: [OSDPEffect] = []
        device.keyStored(isStored, at: reactor.now, effects: &effects)
        perform(effects, on: reactor)
    }

    private func settle(on reactor: Reactor) {
        timer?.cancel()
        timer = device.deadline.map { deadline in
            reactor.schedule(at: deadline) { [weak self] in
                // Octets that have already arrived precede the deadline.
                self?.serve(on: reactor)
                self?.act(on: reactor) { device, _, effects in device.advance(to: reactor.now, effects: &effects) }
            }
        }
    }

    // MARK: - Orders

    private func receive(_ line: String, on reactor: Reactor) {
        do throws(CommandFault) {
            let order = try OSDPDeviceOrder(line: line)
            switch order {
            case .help: OSDPDeviceOrder.all.forEach { report(OSDPDeviceEntry("help", $0)) }
            case .quit: reactor.stop()
            default: try execute(order, on: reactor)
            }
        } catch {
            report(OSDPDeviceEntry("error", error.description))
        }
    }

    private func execute(_ order: OSDPDeviceOrder, on reactor: Reactor) throws(CommandFault) {
        var isDone = true
        let now = reactor.now
        act(on: reactor) { device, _, effects in
            switch order {
            case .card(let card): isDone = device.present(card, at: now, effects: &effects)
            case .keys(let keys): isDone = device.press(keys, at: now, effects: &effects)
            case .tamper(let isOn): device.setTampered(isOn)
            case .power(let isOn): device.setPowerFailure(!isOn)
            case .input(let input, let isOn): isDone = device.setInput(input, isActive: isOn)
            case .help, .quit: break
            }
        }
        guard isDone else {
            throw CommandFault(
                "this device cannot report that: inputs are 1 to \(device.configuration.inputs), keys digits, * and #")
        }
    }

    private func report(_ entry: OSDPDeviceEntry) {
        ConsoleOutput.write(entry.line(at: MonotonicClock.now - begin, json: json), to: STDOUT_FILENO)
    }
}
