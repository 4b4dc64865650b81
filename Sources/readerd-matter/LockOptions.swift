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
        var isConfirmed = false
    }

    /// `run`
    struct Run: Equatable {
        var state = LockOptions.defaultState
        /// The reader's socket.
        var reader = "/run/readerd-matter/reader.sock"
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

    static let helpText = """
        readerd-matter makes a reader a Matter lock: the process with the network port, beside readerd, which moves
        the door and decides.

        readerd-matter init --attestation DIR [--vendor N] [--product N] [--state DIR] [--json]
            Make the setup code of this device, print it once, and keep what verifies it. DIR holds the manufacturer's
            dac.der, pai.der, cd.der and dac-key.pem; for a bench: readerlab credentials attestation DIR.
        readerd-matter run [--reader SOCKET] [--interface NAME] [--port N] [--state DIR] [--log-level LEVEL]
            Run the lock until SIGTERM or SIGINT.
        readerd-matter reset --yes [--state DIR]
            Remove the lock from all fabrics; the code stays. Not while it runs.

        An app commissions the lock while its window is open: readerd matter open. See docs/matter-lock.md.
            readerd-matter init --attestation /root/attestation --vendor 0xFFF1 --product 0x8001
        """

    /// Parses the arguments, without the program's name.
    init(_ arguments: [String]) throws(LockProgram.Failure) {
        var words = ArgumentWords(arguments)
        guard let command = words.next() else { throw .usage("no command; see: readerd-matter --help") }
        if arguments.contains("--help") || arguments.contains("-h") || command == "help" {
            self = .help
            return
        }
        switch command {
        case "init": self = .initialise(try LockOptions.initialise(&words))
        case "reset": self = .reset(try LockOptions.reset(&words))
        case "run": self = .run(try LockOptions.run(&words))
        default: throw .usage("unknown command \"\(command)\"; the commands are init, run, reset")
        }
    }

    private static func initialise(_ words: inout ArgumentWords) throws(LockProgram.Failure) -> Initialise {
        var options = Initialise()
        while let word = words.next() {
            switch word {
            case "--state": options.state = try words.value(of: word)
            case "--attestation": options.attestation = try words.value(of: word)
            case "--vendor": options.vendor = try words.number(of: word)
            case "--product": options.product = try words.number(of: word)
            case "--json": options.isJSON = true
            default: throw unknown(word, "init")
            }
        }
        guard !options.attestation.isEmpty else {
            throw .usage("init needs --attestation DIR with dac.der, pai.der, cd.der and dac-key.pem")
        }
        return options
    }

    private static func reset(_ words: inout ArgumentWords) throws(LockProgram.Failure) -> Reset {
        var options = Reset()
        while let word = words.next() {
            switch word {
            case "--state": options.state = try words.value(of: word)
            case "--yes": options.isConfirmed = true
            default: throw unknown(word, "reset")
            }
        }
        return options
    }

    private static func run(_ words: inout ArgumentWords) throws(LockProgram.Failure) -> Run {
        var options = Run()
        while let word = words.next() {
            switch word {
            case "--state": options.state = try words.value(of: word)
            case "--reader": options.reader = try words.value(of: word)
            case "--interface": options.interface = try words.value(of: word)
            case "--port": options.port = try words.number(of: word)
            case "--log-level": options.logLevel = try words.word(of: word)
            default: throw unknown(word, "run")
            }
        }
        return options
    }

    private static func unknown(_ word: String, _ command: String) -> LockProgram.Failure {
        .usage("\(command) has no \"\(word)\"; see: readerd-matter --help")
    }
}
