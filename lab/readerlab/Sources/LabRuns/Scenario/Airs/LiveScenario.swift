// SPDX-License-Identifier: Apache-2.0

import Commands
import Glibc
import Peripheral
package import Scenario
import System
import Timekeeping

/// One run of a scenario in real time: its parties at controllers behind transports.
package final class LiveScenario {
    /// The controller of a party.
    private final class Port {
        let transport: HCITransport
        var watch: Watch?
        var isReached = false

        init(_ transport: HCITransport) { self.transport = transport }

        var interest: Interest { transport.wantsWrite ? [.readable, .writable] : .readable }
    }

    private let site: LiveSite
    private let air: ScenarioAir
    private let reactor: Reactor
    private let stations: [String]
    private var control: RadioControl?
    private var ports: [Port?]
    /// The time at which the scenario has begun; nil until all controllers are connected.
    private var begin: Instant?
    private lazy var timer = reactor.timer { [weak self] in self?.advance() }
    private var failure: CommandError?

    private init(_ scenario: SiteScenario, seed: UInt64, on air: ScenarioAir) throws {
        site = try LiveSite(scenario, seed: seed)
        self.air = air
        // The radio accepts each name only once.
        let run = "\(getpid()).\(MonotonicClock.now.nanoseconds)"
        stations = site.names.indices.map { "lab.\(run).\($0)" }
        ports = Array(repeating: nil, count: stations.count)
        reactor = try Reactor.ofProgram()
    }

    /// Plays a scenario.
    ///
    /// - Throws: `CommandError` if a controller or the radio cannot be reached or is lost; code 1 also after a signal.
    package static func run(_ scenario: SiteScenario, seed: UInt64, on air: ScenarioAir) throws -> SiteRun {
        do {
            return try LiveScenario(scenario, seed: seed, on: air).play()
        } catch {
            throw CommandError(error)
        }
    }

    private func play() throws -> SiteRun {
        defer { close() }
        try reactor.onSignal(Reactor.endingSignals) { [weak self] _ in
            self?.fail(CommandError.failed("interrupted: the scenario has not ended"))
        }
        switch air {
        case .virtual: throw CommandError.misuse("the virtual air is not played in real time")
        case .controllers(let names):
            guard names.count == stations.count else {
                throw CommandError.misuse(
                    "--air hci: names \(names.count) controllers, and the scenario has \(stations.count): "
                        + site.names.joined(separator: ", "))
            }
            for (party, name) in names.enumerated() { try open(party, name) }
        case .rootCanal(let place):
            let control = try RadioControl(place, reactor) { [weak self] in self?.fail($0) }
            self.control = control
            for (party, station) in stations.enumerated() {
                control.send("listen", station) { [weak self] in self?.listens(party, at: $0) }
            }
        }
        try reactor.run()
        if let failure { throw failure }
        guard let run = site.run else { throw CommandError.failed("the scenario has not ended") }
        return run
    }

    private func listens(_ party: Int, at place: String) {
        do {
            guard place.hasPrefix("tcp:") else { throw CommandError.failed("the radio listens at \(place)") }
            try open(party, TransportName("tcp-client:" + place.dropFirst(4)))
        } catch {
            fail(CommandError(error))
        }
    }

    private func open(_ party: Int, _ name: TransportName) throws {
        let port = Port(try HCITransport.open(name))
        ports[party] = port
        port.watch = try reactor.watch(port.transport.descriptor, port.interest) { [weak self] _ in self?.ready(party) }
        if !port.transport.wantsWrite { reached(port) }
    }

    private func ready(_ party: Int) {
        guard let port = ports[party] else { return }
        do {
            if port.transport.wantsWrite {
                try port.transport.writeReady()
                if !port.isReached, !port.transport.wantsWrite { reached(port) }
            }
            try port.transport.readReady(at: reactor.now) { packet in
                site.receive(packet.withUnsafeBufferPointer(Array.init), for: party)
            }
            advance()
        } catch {
            fail(CommandError.failed("the controller of \(site.names[party]): \(error)"))
        }
    }

    private func reached(_ port: Port) {
        port.isReached = true
        guard ports.allSatisfy({ $0?.isReached ?? false }) else { return }
        begin = reactor.now
        advance()
    }

    private func advance() {
        guard let begin, failure == nil else { return }
        site.advance(to: .origin + (reactor.now - begin))
        while let reception = site.nextReception() { order(reception) }
        for (party, port) in ports.enumerated() {
            guard let port else { continue }
            while let packet = site.nextPacket(of: party) { port.transport.enqueue(packet.span) }
            port.transport.flush()
            do { try port.watch?.modify(port.interest) } catch { fail(CommandError.failed("\(error)")) }
        }
        guard site.run == nil else { return reactor.stop() }
        timer.set(site.nextDeadline.map { begin + ($0 - .origin) })
    }

    /// Sets levels and losses in both directions, if the radio has a control port.
    private func order(_ reception: Reception) {
        guard let control else { return }
        let reader = stations[reception.reader]
        let phone = stations[stations.count - site.phoneCount + reception.phone]
        for (from, to) in [(phone, reader), (reader, phone)] {
            control.send("rssi", from, to, "\(reception.dBm)")
            control.send("loss", from, to, "\(Double(reception.lossPercent) / 100)")
        }
    }

    private func fail(_ error: CommandError) {
        failure = failure ?? error
        reactor.stop()
    }

    private func close() {
        timer.cancel()
        for port in ports {
            port?.watch?.cancel()
            port?.transport.close()
        }
    }
}
