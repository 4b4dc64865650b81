// SPDX-License-Identifier: Apache-2.0

import NordicProvisioning

#if NetworkDevices
    import Console
    import DevicePrograms
    import Glibc
    import NIOCore
    import NIOPosix
    import Devices
    import Emulation
    import JSON
    import MatterHost
    import MulticastDNS
    import NetworkDevices
    import Octets
    import System
    import Timekeeping
    import WiFi
    import WiFiStation

    /// The program around a device: files, event loop, signals.
    struct SoftAPProgram {
        /// The device's host name and service instance, which the stock apps expect.
        static let host = "wifiprov"

        private let command: EmulateSoftAPCommand
        private let view: EmulationView

        init(_ command: EmulateSoftAPCommand) {
            self.command = command
            view = EmulationView(command.output)
        }

        /// Runs until a signal or `quit`. The transcript and the summary are written in any case.
        func run() throws {
            let (ip, port) = try command.address()
            let scenario = try scenario()
            try view.check()
            let simulation = try NordicWorld.load(command.wifiSim, for: .softAP)
            let files: SoftAPCertificateFiles
            if let certificate = command.certificate, let key = command.key {
                files = try SoftAPCertificateFiles(certificate: certificate, key: key)
            } else {
                files = try SoftAPCertificateFiles(
                    directory: command.state ?? SoftAPCertificateFiles.usualDirectory,
                    host: SoftAPProgram.host + ".local")
            }
            let tls = try files.context(isExact: command.profile.profile == .exact)
            let places = try command.noMdns ? nil : places(ip)
            let settings = SoftAPSettings(profile: command.profile.profile, faults: try command.faults())
            let address = try SocketAddress(ipAddress: "\(ip)", port: Int(port))

            // Before threads are created, so that all inherit the signal mask.
            let signals = ProgramSignals()
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            let loop = group.next()
            let facts = facts("\(ip):\(port)", files)
            view.begin(facts.object, name: "device", [facts.line])
            let view = view
            let linkAddress = Hexadecimal.text(simulation.address.octets, uppercase: true)
            let bound = try loop.submit {
                let observer = SoftAPObserver(settings.profile, scenario, start: SoftAPServer.now) { view.show($0) }
                let service = MDNSService(
                    instance: SoftAPProgram.host, type: ["_http", "_tcp"], port: port,
                    text: ["txtvers=1", "protovers=1", "linkaddr=" + linkAddress])
                let follower = try places == nil ? nil : SoftAPProgram.follower()
                let announcer = SoftAPAnnouncer(on: loop, places, follower, host: SoftAPProgram.host, service) {
                    observer.turn(to: nil)
                    observer.record(.happened("mdns", text: $0), at: SoftAPServer.now)
                }
                let server = SoftAPServer(
                    on: loop, at: address, tls: tls, device: SoftAPDevice(settings), station: SimulatedWiFi(simulation),
                    announcer: announcer, observer: observer, fail: { signals.end(with: $0) })
                server.begin()
                let bound = NIOLoopBound(server, eventLoop: loop)
                SoftAPProgram.takeCommands(bound, scenario, loop, view, signals)
                let states = NIOLoopBoundBox(ObservedStateLog(), eventLoop: loop)
                loop.scheduleRepeatedTask(initialDelay: .zero, delay: .milliseconds(500)) { _ in
                    view.show(&states.value) { bound.value.observed }
                }
                return bound
            }.wait()
            let failure = signals.wait { loop.execute { bound.value.press() } }
            try? loop.flatSubmit { bound.value.end() }.wait()
            var timeline = try loop.submit { bound.value.observer.timeline }.wait()
            try? group.syncShutdownGracefully()
            let outcome: Result<Void, CommandError> = failure.map { .failure($0) } ?? .success(())
            try view.end(&timeline, at: SoftAPServer.now, [facts.object], outcome)
        }

        /// Executes the scenario's commands at their times, and the commands of standard input.
        private static func takeCommands(
            _ bound: NIOLoopBound<SoftAPServer>, _ scenario: EmulationScenario, _ loop: any EventLoop,
            _ view: EmulationView, _ signals: ProgramSignals
        ) {
            for event in scenario.events {
                loop.scheduleTask(in: .nanoseconds(event.after.wholeNanoseconds)) {
                    for line in bound.value.receive(event.command, quit: { signals.end() }) {
                        bound.value.observer.record(.command(line, isTyped: false), at: SoftAPServer.now)
                    }
                }
            }
            let hear = { (line: String) in
                var entry: String?
                view.answer { () throws(CommandFault) in
                    let command = try EmulationCommand(line: line, steps: bound.value.observer.steps)
                    if let problem = SoftAPObserver.problem(command) { throw CommandFault(problem) }
                    let lines = bound.value.receive(command, quit: { signals.end() })
                    if !command.isQuestion { entry = lines.first ?? "" }
                    return lines
                }
                if let entry { bound.value.observer.record(.command(entry, isTyped: true), at: SoftAPServer.now) }
            }
            TypedLines.follow(on: loop, NIOLoopBound(hear, eventLoop: loop))
        }

        private func scenario() throws(CommandError) -> EmulationScenario {
            guard let path = command.scenario else { return EmulationScenario() }
            let steps = SoftAPObserver.steps(command.profile.profile)
            let scenario = try InputFile.load(
                path, maximum: EmulationScenario.maximumFileCount, "a scenario (docs/emulators/emulation.md)"
            ) { octets throws(JSONPlaceFault) in try EmulationScenario(json: octets, steps: steps) }
            let commands = scenario.events.map(\.command) + (scenario.mtu == nil ? [] : [.mtu(scenario.mtu)])
            if let problem = commands.lazy.compactMap(SoftAPObserver.problem).first {
                throw .misuse("\(path): \(problem)")
            }
            return scenario
        }

        /// The device, and the certificate to trust.
        private func facts(_ address: String, _ files: SoftAPCertificateFiles) -> (object: JSONObject, line: String) {
            let profile = command.profile.profile.rawValue
            let object: JSONObject = [
                "device": 1, "address": address, "profile": profile, "certificate": files.path,
                "sha256": files.fingerprint,
            ]
            return (
                object,
                "\(profile) at https://\(address), certificate \(files.path), SHA-256 \(files.fingerprint)"
            )
        }

        /// The interfaces for announcements.
        private func places(
            _ ip: IPv4Address
        ) throws(CommandError) -> (accessPoint: SoftAPPlace, home: SoftAPPlace) {
            let accessPoint = try place(named: command.interface, or: ip)
            guard let home = command.homeInterface else { return (accessPoint, accessPoint) }
            return (accessPoint, try place(named: home, or: ip))
        }

        private static func follower() throws(CommandError) -> NetworkFollower {
            do throws(NetworkFault) { return try NetworkFollower() } catch { throw .failed(error.text) }
        }

        /// The interface with this name, otherwise with this address. It must be present at the start.
        private func place(named name: String?, or ip: IPv4Address) throws(CommandError) -> SoftAPPlace {
            let devices = (try? System.enumerateDevices()) ?? []
            let known = devices.compactMap { device -> (name: String, address: IPv4Address)? in
                guard let text = device.address?.ipAddress, let address = IPv4Address(text) else { return nil }
                return (device.name, address)
            }
            if known.contains(where: { name == nil ? $0.address == ip : $0.name == name }) {
                return SoftAPPlace(name: name, address: ip)
            }
            let what = name.map { "no interface \($0) with an IPv4 address" } ?? "no interface with the address \(ip)"
            let names = Set(known.map(\.name)).sorted().joined(separator: ", ")
            throw .failed("there is \(what) (there are \(names)): set it up, name another one, or say --no-mdns")
        }
    }
#endif
