// SPDX-License-Identifier: Apache-2.0

#if NetworkDevices
    import ActionCamera
    import ArgumentParser
    import DevicePrograms
    import NetworkDevices
    import WiFi

    /// `readerlab emulate bandit`.
    struct EmulateBanditCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "bandit",
            abstract: "Play a Bandit action camera on the network, until SIGINT or SIGTERM.",
            discussion: """
                Its REST API, viewfinder, previews, recordings and notifications, for apps with the stock libraries: \
                docs/emulators/bandit.md.

                  readerlab emulate bandit --listen 192.168.1.101:80
                  readerlab emulate bandit --listen 127.0.0.1:8080 --card ~/Videos

                While it runs, what happens is told line by line, and buttons and faults can be typed: help lists them. \
                At the end it says what the app got wrong.

                Exit code 0 when a signal ends it, 1 when it cannot listen, 2 when a file has a fault.
                """)

        /// The refusals of a connection above the limit, as options.
        enum Overload: String, ExpressibleByArgument {
            case unavailable
            case reset
        }

        @Option(
            help: ArgumentHelp(
                "Where to listen: the address that phones see. The stock iOS app knows no other than the default.",
                valueName: "ADDRESS:PORT"))
        var listen = "192.168.1.101:80"

        @Option(help: ArgumentHelp("The port of notifications, which the status names.", valueName: "PORT"))
        var backchannelPort: UInt16 = 4100

        @Option(
            help: ArgumentHelp(
                "A directory with MP4 and JPG files: what is on the card. Without, there is a small set.",
                valueName: "DIRECTORY"))
        var card: String?

        @Flag(help: "Start with an empty card.")
        var emptyCard = false

        @Option(help: ArgumentHelp("The camera's serial number, on which its ids depend.", valueName: "TEXT"))
        var serial = CameraChoices().serialNumber

        @Option(help: ArgumentHelp("The name of its access point in the settings.", valueName: "NAME"))
        var ssid = CameraChoices().ssid

        @Option(help: ArgumentHelp("The answer to the sixth connection.", valueName: "unavailable|reset"))
        var overload = Overload.unavailable

        @Option(
            help: ArgumentHelp(
                "The status when a recording is started twice or stopped without one; 200 ignores it.",
                valueName: "STATUS"))
        var conflictStatus = CameraChoices().conflictingRecordStatus

        @Option(
            help: ArgumentHelp(
                "The speed of previews: 1 is real time, what the stock library needs; 0 as fast as TCP takes it.",
                valueName: "FACTOR"))
        var previewPace = CameraChoices().previewPace

        @Option(help: ArgumentHelp("Begin a new file after so long, as real ones do at 4 GB.", valueName: "SECONDS"))
        var split: Int?

        @Flag(help: "Refuse a viewfinder while a preview runs, and the reverse, with 409.")
        var oneStream = false

        @Flag(help: "Send the members of shutting_down at the top level too, where the Android library reads them.")
        var flatShutdown = false

        @Flag(help: "Let datagram numbers wrap within pictures, which the stock libraries do not survive.")
        var naturalWrap = false

        @Flag(help: "Go on sending the viewfinder to a client that refuses it.")
        var keepSending = false

        @Flag(help: "Give errors a small JSON body.")
        var errorBodies = false

        @Option(help: ArgumentHelp("Faults and events (docs/emulators/bandit.md).", valueName: "FILE"))
        var scenario: String?

        @Option(help: ArgumentHelp("The seed of faults that have a chance.", valueName: "NUMBER"))
        var seed = BanditProgram.Options().seed

        @Flag(help: ArgumentHelp("Print pictures of the lens, with --json, for a page.", visibility: .hidden))
        var pictures = false

        @OptionGroup
        var output: EmulationOutputOptions

        func validate() throws {
            _ = try address()
            guard backchannelPort > 0 else { throw ValidationError("--backchannel-port is 1 to 65535") }
            guard (0...1000).contains(previewPace) else { throw ValidationError("--preview-pace is 0 to 1000") }
            guard (1...86_400).contains(split ?? 1) else { throw ValidationError("--split is 1 to 86400 seconds") }
            guard (200...599).contains(conflictStatus) else { throw ValidationError("--conflict-status is 200 to 599") }
            guard (1...36).contains(serial.utf8.count) else {
                throw ValidationError("--serial has 1 to 36 characters")
            }
            guard (1...32).contains(ssid.utf8.count) else { throw ValidationError("--ssid has 1 to 32 characters") }
            guard card == nil || !emptyCard else { throw ValidationError("--card and --empty-card exclude each other") }
        }

        /// The address and port of `--listen`.
        func address() throws -> (ip: IPv4Address, port: UInt16) {
            try ListenOption.address(listen, example: "192.168.1.101:80")
        }

        /// The camera's properties from the options.
        var choices: CameraChoices {
            var choices = CameraChoices()
            choices.serialNumber = serial
            choices.ssid = ssid
            choices.backchannelPort = backchannelPort
            choices.overload = overload == .reset ? .reset : .unavailable
            choices.describesErrors = errorBodies
            choices.viewfinderWithPreviewStatus = oneStream ? 409 : nil
            choices.conflictingRecordStatus = conflictStatus
            choices.previewPace = previewPace
            choices.hasFlatShutdown = flatShutdown
            choices.splitSeconds = split
            return choices
        }

        func run() throws {
            try BanditProgram(configured(), EmulationView(output)).run()
        }

        /// The options for the program.
        func configured() throws -> BanditProgram.Options {
            var options = BanditProgram.Options()
            options.choices = choices
            (options.address, options.port) = try address()
            (options.card, options.hasEmptyCard) = (card, emptyCard)
            (options.wrapsNumbers, options.keepsSending) = (naturalWrap, keepSending)
            (options.scenario, options.seed, options.hasPictures) = (scenario, seed, pictures)
            options.keepsEntries = output.transcript != nil
            return options
        }
    }
#endif
