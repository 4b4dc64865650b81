// SPDX-License-Identifier: Apache-2.0

import Logging
import System

/// The command line.
enum LockOptions: Equatable {
    /// `init`
    struct Initialise: Equatable {
        var state = LockOptions.defaultState
        /// The directory with the manufacturer's attestation.
        var attestation = ""
        var vendor: UInt16 = 0xFFF1
        var product: UInt16 = 0x8001
        var isJSON = false
    }

    /// `reset`
    struct Reset: Equatable {
        var state = LockOptions.defaultState
        /// The reader's socket.
        var reader = LockOptions.defaultReader
        var isConfirmed = false
    }

    /// `run`
    struct Run: Equatable {
        var state = LockOptions.defaultState
        /// The reader's socket.
        var reader = LockOptions.defaultReader
        /// The only interface for discovery; nil for all.
        var interface: String?
        var port: UInt16 = 5540
        var logLevel = Logger.Level.info
    }

    case help
    case initialise(Initialise)
    case reset(Reset)
    case run(Run)

    static let defaultState = "/var/lib/readerd-matter"
    static let defaultReader = "/run/readerd-matter/reader.sock"

    static let helpText = """
        readerd-matter makes a reader a Matter lock: the process with the network port, beside readerd, which moves
        the door and decides.

        readerd-matter init --attestation DIR [--vendor N] [--product N] [--state DIR] [--json]
            Make the setup code of this device, print it once, and keep what verifies it. DIR holds the manufacturer's
            dac.der, pai.der, cd.der and dac-key.pem; for a bench: readerlab credentials attestation DIR.
        readerd-matter run [--reader SOCKET] [--interface NAME] [--port N] [--state DIR] [--log-level LEVEL]
            Run the lock until SIGTERM or SIGINT.
        readerd-matter reset --yes [--state DIR] [--reader SOCKET]
            Remove the lock from all fabrics, and end the Aliro keys that they gave the reader; the code stays. Not
            while it runs. Fails if the reader does not confirm the end.

        An app commissions the lock while its window is open: readerd matter open. See docs/operate/matter-lock.md.
            readerd-matter init --attestation /root/attestation --vendor 0xFFF1 --product 0x8001
        """

    /// Parses the arguments, without the program's name.
    init(_ arguments: [String]) throws(LockProgram.Failure) {
        guard let command = arguments.first else { throw .usage("no command; see: readerd-matter --help") }
        if arguments.contains("--help") || arguments.contains("-h") || command == "help" {
            self = .help
            return
        }
        let rest = arguments.dropFirst()
        switch command {
        case "init": self = .initialise(try Initialise(rest))
        case "reset": self = .reset(try Reset(rest))
        case "run": self = .run(try Run(rest))
        default: throw .usage("unknown command \"\(command)\"; the commands are init, run, reset")
        }
    }
}

extension CommandArguments {
    var help: String { "see: readerd-matter --help" }
}

extension LockOptions.Initialise: CommandArguments {
    var name: String { "init" }

    var options: [CommandOption<Self>] {
        [
            .value("--state") { $0.state = $1 }, .value("--attestation") { $0.attestation = $1 },
            .number("--vendor") { $0.vendor = $1 }, .number("--product") { $0.product = $1 },
            .flag("--json") { $0.isJSON = true },
        ]
    }

    func check(_ seen: Set<String>) throws(ProgramFailure) {
        guard !attestation.isEmpty else {
            throw .usage("init needs --attestation DIR with dac.der, pai.der, cd.der and dac-key.pem")
        }
    }
}

extension LockOptions.Reset: CommandArguments {
    var name: String { "reset" }

    var options: [CommandOption<Self>] {
        [
            .value("--state") { $0.state = $1 }, .value("--reader") { $0.reader = $1 },
            .flag("--yes") { $0.isConfirmed = true },
        ]
    }
}

extension LockOptions.Run: CommandArguments {
    var name: String { "run" }

    var options: [CommandOption<Self>] {
        [
            .value("--state") { $0.state = $1 }, .value("--reader") { $0.reader = $1 },
            .value("--interface") { $0.interface = $1 }, .number("--port") { $0.port = $1 },
            .word("--log-level", "levels") { $0.logLevel = $1 },
        ]
    }
}
