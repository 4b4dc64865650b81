#if NetworkDevices
    import Glibc
    import NIOCore
    import NIOPosix
    import Devices
    import Octets
    import WiFiProvisioning

    /// The program around a device: files, event loop, signals.
    struct SoftAPProgram {
        /// The device's host name and service instance, which the stock apps expect.
        static let host = "wifiprov"

        private let command: EmulateSoftAPCommand
        private let output: SoftAPOutput

        init(_ command: EmulateSoftAPCommand) {
            self.command = command
            output = SoftAPOutput(json: command.json)
        }

        /// Runs until a signal.
        func run() throws {
            let (ip, port) = try command.address()
            let simulation =
                try command.wifiSim.map { path throws(EmulationError) in try NordicWorld.load(path) }
                ?? NordicWorld.usual
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
            let address = try SocketAddress(ipAddress: "\(ip)", port: port)

            // Before threads are created, so that all inherit the signal mask.
            let signals = SoftAPSignals()
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            let loop = group.next()
            output.begin(address: "\(ip):\(port)", profile: command.profile.profile, files)
            let output = output
            let linkAddress = Hexadecimal.text(simulation.address.octets, uppercase: true)
            let bound = try loop.submit {
                let announcer = SoftAPAnnouncer(on: loop, places) { place in
                    MDNSService(
                        instance: SoftAPProgram.host, type: ["_http", "_tcp"], host: SoftAPProgram.host,
                        port: UInt16(truncatingIfNeeded: port),
                        text: ["txtvers=1", "protovers=1", "linkaddr=" + linkAddress],
                        address: place.address, prefix: place.prefix)
                } tell: {
                    output.tell("mdns", $0)
                }
                let server = SoftAPServer(
                    on: loop, at: address, tls: tls, device: SoftAPDevice(settings), station: SimulatedWiFi(simulation),
                    announcer: announcer, show: { output.tell($0) }, fail: { signals.end(with: $0) })
                server.begin()
                return NIOLoopBound(server, eventLoop: loop)
            }.wait()
            let failure = signals.wait { loop.execute { bound.value.press() } }
            try? loop.flatSubmit { bound.value.end() }.wait()
            try? group.syncShutdownGracefully()
            if let failure { throw failure }
        }

        /// The interfaces for announcements.
        private func places(
            _ ip: IPv4Address
        ) throws(EmulationError) -> (accessPoint: SoftAPAnnouncer.Place, home: SoftAPAnnouncer.Place) {
            let accessPoint = try place(named: command.interface, or: ip)
            guard let home = command.homeInterface else { return (accessPoint, accessPoint) }
            return (accessPoint, try place(named: home, or: ip))
        }

        /// The interface with this name, or the one with this address. The announced address is `ip` if the interface
        /// has it, otherwise its first address.
        private func place(named name: String?, or ip: IPv4Address) throws(EmulationError) -> SoftAPAnnouncer.Place {
            let devices = (try? System.enumerateDevices()) ?? []
            let known = devices.compactMap { device -> SoftAPAnnouncer.Place? in
                guard let text = device.address?.ipAddress, let address = IPv4Address(text) else { return nil }
                let mask = device.netmask?.ipAddress.flatMap { IPv4Address($0) }
                let prefix = mask?.octets.reduce(0) { $0 + $1.nonzeroBitCount } ?? 24
                return SoftAPAnnouncer.Place(device: device, address: address, prefix: prefix)
            }
            let fitting = known.filter { name == nil ? $0.address == ip : $0.device.name == name }
            if let place = fitting.first(where: { $0.address == ip }) ?? fitting.first { return place }
            let what = name.map { "no interface \($0) with an IPv4 address" } ?? "no interface with the address \(ip)"
            let names = Set(known.map(\.device.name)).sorted().joined(separator: ", ")
            throw EmulationError(
                code: 1, "there is \(what) (there are \(names)): set it up, name another one, or say --no-mdns")
        }
    }

    /// SIGINT, SIGTERM and SIGUSR1, handled on the main thread.
    final class SoftAPSignals: Sendable {
        private let failure = SoftAPFailure()

        init() {
            var set = SoftAPSignals.set
            pthread_sigmask(SIG_BLOCK, &set, nil)
            signal(SIGPIPE, SIG_IGN)
        }

        private static var set: sigset_t {
            var set = sigset_t()
            sigemptyset(&set)
            for number in [SIGINT, SIGTERM, SIGUSR1] { sigaddset(&set, number) }
            return set
        }

        /// Ends the program, from any thread.
        func end(with error: EmulationError? = nil) {
            if let error { failure.put(error) }
            kill(getpid(), SIGTERM)
        }

        /// Waits for the end, and calls `press` for SIGUSR1. Returns the failure that ended the program, if any.
        func wait(_ press: () -> Void) -> EmulationError? {
            var set = SoftAPSignals.set
            while true {
                var number: CInt = 0
                guard sigwait(&set, &number) == 0 else { continue }
                guard number == SIGUSR1 else { return failure.take() }
                press()
            }
        }
    }
#endif
