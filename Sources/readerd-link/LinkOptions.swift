// SPDX-License-Identifier: Apache-2.0

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

    static let helpText = """
        readerd-link links a reader to a fleet: it delivers events and states to an MQTT 5 broker. A process beside
        readerd, which moves the door and decides; nothing that comes over the network opens it.

        readerd-link run --broker HOST[:PORT] --ca FILE --certificate FILE --key FILE
            Run the link until SIGTERM or SIGINT. PEM files; the certificate's name is the reader's identifier in
            topics.

        --plain               Without TLS and without an identity, on port 1883: for a bench.
        --reader SOCKET       The socket of link.socket in readerd's configuration; by default
                              /run/readerd-link/reader.sock.
        --home-assistant      Tell Home Assistant of the reader, and events as they happen.
        --keepalive SECONDS   5 to 3600, by default 120: a broker that is silent for twice this time is lost.
        --spread SECONDS      The time over which a fleet comes back after its broker, by default 10: 8 ms for each
                              reader and core of the broker.
        --log-level LEVEL

        See docs/fleet.md.
            readerd-link run --broker mqtt.example --ca ca.pem --certificate reader.pem --key reader-key.pem
        """

    /// Parses the arguments, without the program's name.
    init(_ arguments: [String]) throws(ProgramFailure) {
        var words = ArgumentWords(arguments)
        guard let command = words.next() else { throw .usage("no command; see: readerd-link --help") }
        if arguments.contains("--help") || arguments.contains("-h") || command == "help" {
            self = .help
            return
        }
        guard command == "run" else { throw .usage("unknown command \"\(command)\"; the command is run") }
        self = .run(try LinkOptions.run(&words))
    }

    private static func run(_ words: inout ArgumentWords) throws(ProgramFailure) -> Run {
        var broker: String?
        var (authorities, certificate, key): (String?, String?, String?)
        var (isPlain, keepalive) = (false, UInt16(120))
        var options = Run(broker: try Broker("localhost", tls: nil))
        while let word = words.next() {
            switch word {
            case "--broker": broker = try words.value(of: word)
            case "--ca": authorities = try words.value(of: word)
            case "--certificate": certificate = try words.value(of: word)
            case "--key": key = try words.value(of: word)
            case "--plain": isPlain = true
            case "--reader": options.reader = try words.value(of: word)
            case "--home-assistant": options.tellsHomeAssistant = true
            case "--keepalive": keepalive = try words.number(of: word)
            case "--spread": options.spreadSeconds = try words.number(of: word)
            case "--log-level": options.logLevel = try words.word(of: word)
            default: throw .usage("run has no \"\(word)\"; see: readerd-link --help")
            }
        }
        guard let broker else { throw .usage("run needs --broker HOST[:PORT]") }
        guard Broker.keepalives.contains(keepalive) else {
            throw .usage("--keepalive takes 5 to 3600 seconds, not \(keepalive)")
        }
        let tls = try Broker.TLS(authorities: authorities, certificate: certificate, key: key, isPlain: isPlain)
        options.broker = try Broker(broker, tls: tls)
        options.broker.keepaliveSeconds = Int(keepalive)
        return options
    }
}
