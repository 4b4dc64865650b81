// SPDX-License-Identifier: Apache-2.0

import Commands

#if NetworkDevices
    import Console
    package import DevicePrograms
    import Glibc
    import NIOCore
    import NIOPosix
    package import Devices
    import Emulation
    import JSON
    import MatterHost
    import MulticastDNS
    package import NordicProvisioning
    import Octets
    import Timekeeping
    package import WiFi
    import WiFiStation

    /// The program around a device: files, event loop, signals.
    package struct SoftAPProgram {
        /// The device, its files, and its interfaces.
        package struct Options {
            /// The address that phones see.
            package var address = IPv4Address(192, 168, 0, 1)
            package var port: UInt16 = 443
            /// The file of the networks around it; nil for two usual ones.
            package var simulation: String?
            package var profile = NordicProfile.exact
            package var faults: [SoftAPFault] = []
            /// True to announce the device by mDNS.
            package var isAnnounced = true
            /// The interface of mDNS; nil for the address's.
            package var interface: String?
            /// The interface of mDNS once the device has joined; nil for the same.
            package var homeInterface: String?
            /// The files of the certificate and its key; nil for a certificate that is made and kept.
            package var certificate: (path: String, key: String)?
            /// The directory of a certificate that is made; nil for the usual one.
            package var stateDirectory: String?
            /// The file of commands at their times.
            package var scenario: String?

            /// The firmware at its address.
            package init() {}
        }

        /// The device's host name and service instance, which the stock apps expect.
        static let host = "wifiprov"

        private let options: Options
        private let view: EmulationView

        package init(_ options: Options, _ view: EmulationView) {
            self.options = options
            self.view = view
        }

        /// Runs until a signal or `quit`. The transcript and the summary are written in any case.
        package func run() throws {
            let (ip, port) = (options.address, options.port)
            let scenario = try scenario()
            try view.check()
            let simulation = try NordicWorld.load(options.simulation, for: .softAP)
            let files: SoftAPCertificateFiles
            if let certificate = options.certificate {
                files = try SoftAPCertificateFiles(certificate: certificate.path, key: certificate.key)
            } else {
                files = try SoftAPCertificateFiles(
                    directory: options.stateDirectory ?? SoftAPCertificateFiles.usualDirectory,
                    host: SoftAPProgram.host + ".local")
            }
            let tls = try files.context(isExact: options.profile == .exact)
            let places = try options.isAnnounced ? places(ip) : nil
            let settings = SoftAPSettings(profile: options.profile, faults: options.faults)
            let address = try SocketAddress(ipAddress: "\(ip)", port: Int(port))

            // Before threads are created, so that all inherit the signal mask.
            let signals = try ProgramSignals()
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
            guard let path = options.scenario else { return EmulationScenario() }
            let steps = SoftAPObserver.steps(options.profile)
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
            let profile = options.profile.rawValue
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
            let devices = (try? System.enumerateDevices()) ?? []
            let interfaces = devices.compactMap { device -> SoftAPPlace? in
                guard let text = device.address?.ipAddress, let address = IPv4Address(text) else { return nil }
                return SoftAPPlace(name: device.name, address: address)
            }
            let accessPoint = try SoftAPPlace(named: options.interface, or: ip, among: interfaces)
            guard let home = options.homeInterface else { return (accessPoint, accessPoint) }
            return (accessPoint, try SoftAPPlace(named: home, or: ip, among: interfaces))
        }

        private static func follower() throws(CommandError) -> NetworkFollower {
            do throws(NetworkFault) { return try NetworkFollower() } catch { throw .failed(error.text) }
        }

    }

    extension SoftAPPlace {
        /// The interface with this name, otherwise with this address, of those that are up with an IPv4 address.
        init(named name: String?, or ip: IPv4Address, among interfaces: [SoftAPPlace]) throws(CommandError) {
            guard !interfaces.contains(where: { name == nil ? $0.address == ip : $0.name == name }) else {
                self.init(name: name, address: ip)
                return
            }
            let missing = name.map { "\($0) with an IPv4 address" } ?? "with the address \(ip)"
            let names = Set(interfaces.compactMap(\.name)).sorted().joined(separator: ", ")
            throw .failed(
                "there is no interface \(missing) (there are \(names)): set it up, name another one, or say --no-mdns")
        }
    }
#endif
