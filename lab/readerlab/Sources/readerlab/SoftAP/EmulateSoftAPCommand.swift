// SPDX-License-Identifier: Apache-2.0

#if NetworkDevices
    import ArgumentParser
    import DevicePrograms
    import Devices
    import NetworkDevices
    import WiFi

    /// `readerlab emulate nordic-softap`.
    struct EmulateSoftAPCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "nordic-softap",
            abstract: "Play a Wi-Fi device that is provisioned over its own access point, until SIGINT or SIGTERM.",
            discussion: """
                HTTPS as Nordic's softap_wifi_provision has it, and mDNS, on an interface whose access point is the \
                system's: docs/emulators/nordic-softap.md tells how to make one, and how an app comes to trust the \
                certificate.

                  readerlab emulate nordic-softap --listen 192.168.0.1:443 --wifi-sim home.json
                  readerlab emulate nordic-softap --fault 'configure:status=503*1' \\
                    --fault networks:delay=12000

                While it runs, what happens is told line by line, and faults can be typed: help lists them. At the end \
                it says what the app got wrong. SIGUSR1 presses the button: what the device was told is gone, and it \
                starts again.

                Exit code 0 when a signal ends it, 1 when it cannot listen, 2 when the file has a fault.
                """)

        @Option(
            help: ArgumentHelp(
                "Where to listen: the address that phones see. The stock apps know no other port than 443.",
                valueName: "ADDRESS:PORT"))
        var listen = "192.168.0.1:443"

        @Option(
            help: ArgumentHelp(
                "The networks around it. Without, there are two: Home, passphrase \"open sesame\", and the open Guests.",
                valueName: "FILE"))
        var wifiSim: String?

        @Option(
            help: ArgumentHelp(
                "nordic-exact: as the firmware, with its quirks. gateway: states errors, scans again, reports the "
                    + "status.", valueName: "NAME"))
        var profile = NordicOptions.Profile.exact

        @Option(help: ArgumentHelp("The interface of mDNS; by default the one of --listen.", valueName: "NAME"))
        var interface: String?

        @Option(
            help: ArgumentHelp(
                "The interface of mDNS once the device has joined; the same if not given.", valueName: "NAME"))
        var homeInterface: String?

        @Flag(help: "Do not announce the device by mDNS.")
        var noMdns = false

        @Option(
            help: ArgumentHelp(
                "The certificate, PEM. One is made and kept if not given.", valueName: "FILE"))
        var certificate: String?

        @Option(help: ArgumentHelp("The certificate's key, PEM.", valueName: "FILE"))
        var key: String?

        @Option(
            help: ArgumentHelp(
                "Where the certificate that is made is kept; ~/.local/state/readerlab if not given.",
                valueName: "DIRECTORY"))
        var state: String?

        @Option(
            help: ArgumentHelp(
                "Something to do wrong. Several may be given; the first that fits is taken.",
                valueName: "PLACE:KIND[=VALUE][*TIMES]"))
        var fault: [String] = []

        @Option(help: ArgumentHelp("The faults, and their times (docs/emulators/emulation.md).", valueName: "FILE"))
        var scenario: String?

        @OptionGroup
        var output: EmulationOutputOptions

        func validate() throws {
            _ = try address()
            if let problem = SoftAPFault.problem(try faults(), profile.profile) {
                throw ValidationError("--fault \(problem)")
            }
            guard (certificate == nil) == (key == nil) else {
                throw ValidationError("--certificate and --key go together: give both")
            }
        }

        /// The address and port of `--listen`.
        func address() throws -> (ip: IPv4Address, port: UInt16) {
            try ListenOption.address(listen, example: "192.168.0.1:443")
        }

        /// The faults of `--fault`.
        func faults() throws -> [SoftAPFault] {
            try fault.map { text in
                guard let fault = SoftAPFault(text) else {
                    throw ValidationError(
                        "--fault \(text.debugDescription): write PLACE:KIND, as networks:delay=5000, configure:status=503*1, "
                            + "configure:lost, networks:cut=10, networks:body=0a01 or connect:close")
                }
                return fault
            }
        }

        func run() throws {
            try SoftAPProgram(configured(), EmulationView(output)).run()
        }

        /// The options for the program.
        func configured() throws -> SoftAPProgram.Options {
            var options = SoftAPProgram.Options()
            (options.address, options.port) = try address()
            (options.simulation, options.profile, options.faults) = (wifiSim, profile.profile, try faults())
            (options.isAnnounced, options.interface, options.homeInterface) = (!noMdns, interface, homeInterface)
            if let certificate, let key { options.certificate = (certificate, key) }
            (options.stateDirectory, options.scenario) = (state, scenario)
            return options
        }
    }
#endif
