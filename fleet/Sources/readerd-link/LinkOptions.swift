// SPDX-License-Identifier: Apache-2.0

import Fleet
import Logging
import MQTT
import System

/// The command line.
enum LinkOptions: Equatable {
    /// `run`
    struct Run: Equatable {
        /// The reader's socket.
        var reader = "/run/readerd-link/reader.sock"
        var broker: Broker
        /// The time in seconds over which a fleet's first attempts are spread.
        var spreadSeconds: UInt16 = 10
        var tellsHomeAssistant = false
        var logLevel = Logger.Level.info
    }

    case help
    case run(Run)
    /// `enrol`
    case enrol(EnrolmentFiles)

    static let helpText = """
        readerd-link links a reader to a fleet: it delivers events and states to an MQTT 5 broker. A process beside
        readerd, which moves the door and decides; nothing that comes over the network opens it.

        readerd-link run --broker HOST[:PORT] --ca FILE --certificate FILE --key FILE
            Run the link until SIGTERM or SIGINT. PEM files; the certificate's name is the reader's identifier in
            topics.

        readerd-link enrol --device ID --key FILE --csr FILE
            Make the link's own key and the request for its certificate, for readerlab fleet enrol or another authority.
            ID is the device id, or its 16 digits.

        --plain               Without TLS and without an identity, on port 1883: for a bench.
        --reader SOCKET       The socket of link.socket in readerd's configuration; by default
                              /run/readerd-link/reader.sock.
        --home-assistant      Tell Home Assistant of the reader, and events as they happen.
        --keepalive SECONDS   5 to 3600, by default 15: a broker that is silent for this time is asked, and lost if it
                              does not answer within 10 s.
        --spread SECONDS      The time over which a fleet comes back after its broker, by default 10: 8 ms for each
                              reader and core of the broker.
        --log-level LEVEL

        See docs/operate/fleet.md.
            readerd-link run --broker mqtt.example --ca ca.pem --certificate reader.pem --key reader-key.pem
        """

    /// Parses the arguments, without the program's name.
    init(_ arguments: [String]) throws(ProgramFailure) {
        guard let command = arguments.first else { throw .usage("no command; see: readerd-link --help") }
        if arguments.contains("--help") || arguments.contains("-h") || command == "help" {
            self = .help
            return
        }
        switch command {
        case "run": self = .run(try RunArguments(arguments.dropFirst()).parsed())
        case "enrol": self = .enrol(try EnrolArguments(arguments.dropFirst()).parsed())
        default: throw .usage("unknown command \"\(command)\"; the commands are run and enrol")
        }
    }
}

/// The arguments of `enrol`.
private struct EnrolArguments: CommandArguments {
    private var device: String?
    private var key: String?
    private var request: String?

    var name: String { "enrol" }
    var help: String { "see: readerd-link --help" }

    var options: [CommandOption<EnrolArguments>] {
        [.value("--device") { $0.device = $1 }, .value("--key") { $0.key = $1 }, .value("--csr") { $0.request = $1 }]
    }

    func parsed() throws(ProgramFailure) -> EnrolmentFiles {
        guard let device, let key, let request else {
            throw .usage("enrol needs --device ID, --key FILE and --csr FILE")
        }
        let digits = FleetTopics.isDevice(device) ? device : FleetTopics(deviceID: device).device
        guard FleetTopics.isDevice(digits) else {
            throw .usage("--device takes the 8 characters of the device id, or its 16 digits, not \"\(device)\"")
        }
        return EnrolmentFiles(device: digits, key: key, request: request)
    }
}

/// The arguments of `run`.
private struct RunArguments: CommandArguments {
    private var broker: String?
    private var authorities: String?
    private var certificate: String?
    private var key: String?
    private var isPlain = false
    private var keepalive: UInt16?
    private var reader: String?
    private var spread: UInt16?
    private var tellsHomeAssistant = false
    private var logLevel = Logger.Level.info

    var name: String { "run" }
    var help: String { "see: readerd-link --help" }

    var options: [CommandOption<RunArguments>] {
        [
            .value("--broker") { $0.broker = $1 }, .value("--ca") { $0.authorities = $1 },
            .value("--certificate") { $0.certificate = $1 }, .value("--key") { $0.key = $1 },
            .flag("--plain") { $0.isPlain = true }, .value("--reader") { $0.reader = $1 },
            .flag("--home-assistant") { $0.tellsHomeAssistant = true },
            .number("--keepalive") { $0.keepalive = $1 }, .number("--spread") { $0.spread = $1 },
            .word("--log-level", "levels") { $0.logLevel = $1 },
        ]
    }

    func parsed() throws(ProgramFailure) -> LinkOptions.Run {
        guard let broker else { throw .usage("run needs --broker HOST[:PORT]") }
        if let keepalive, !Broker.keepalives.contains(keepalive) {
            throw .usage("--keepalive takes 5 to 3600 seconds, not \(keepalive)")
        }
        let tls = try Broker.TLS(authorities: authorities, certificate: certificate, key: key, isPlain: isPlain)
        var run = LinkOptions.Run(broker: try Broker(broker, tls: tls))
        if let keepalive { run.broker.keepaliveSeconds = Int(keepalive) }
        if let reader { run.reader = reader }
        if let spread { run.spreadSeconds = spread }
        (run.tellsHomeAssistant, run.logLevel) = (tellsHomeAssistant, logLevel)
        return run
    }
}
