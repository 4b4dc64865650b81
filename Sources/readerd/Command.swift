// SPDX-License-Identifier: Apache-2.0

import Logging
import Peripheral
import System

/// A parsed command line.
enum Command: Equatable {
    /// Print help on a command, or an overview.
    case help(CommandName?)
    /// Print the version.
    case version
    /// Check a configuration file.
    case checkConfig(CheckConfigOptions)
    /// Say whether a release may be installed.
    case checkUpdate(CheckUpdateCommand)
    /// Run the reader.
    case run(RunOptions)
    /// Show, verify or export the event log.
    case events(EventsOptions)
    /// Create the identity, or change its keys.
    case provision(ProvisionOptions)
    /// Restore the factory state.
    case reset(ResetOptions)
    /// Show the policy, or replace it with an empty one.
    case policy(PolicyCommand.Options)
    /// Test the parts of a reader.
    case selfTest(SelfTestOptions)
    /// De-energise the lock.
    case lockOff(LockOffCommand)
    /// Show the public key of the Aliro reader.
    case aliro(AliroCommand)
    /// Show the public key of the site for PKOC phones.
    case pkoc(PKOCCommand)
    /// Take the adapter for the reader, which has no right to.
    case adapter(AdapterCommand)
    /// Measure the site with a running reader, and propose a proximity gate.
    case calibrate(CalibrateOptions)
    /// Send a request to a running reader.
    case control(ControlOptions)
}

extension Command {
    /// Parses the arguments, without the program's name.
    init(_ arguments: [String]) throws(ReaderdError) {
        guard let first = arguments.first else { throw .usage("no command; see: readerd --help") }
        let rest = arguments.dropFirst()
        switch first {
        case "--help", "-h", "help": self = try .help(Command.topic(rest))
        case "--version":
            if let extra = rest.first { throw .usage("--version takes no argument; remove \"\(extra)\"") }
            self = .version
        default:
            guard let name = CommandName(rawValue: first) else { throw Command.unknown(first) }
            if rest.contains(where: { $0 == "--help" || $0 == "-h" }) {
                self = .help(name)
                return
            }
            switch name {
            case .checkConfig: self = try .checkConfig(CheckConfigOptions(rest))
            case .checkUpdate: self = try .checkUpdate(CheckUpdateCommand(rest))
            case .run: self = try .run(RunOptions(rest))
            case .events: self = try .events(EventsOptions(rest))
            case .provision: self = try .provision(ProvisionOptions(rest))
            case .reset: self = try .reset(ResetOptions(rest))
            case .policy: self = try .policy(PolicyCommand.Options(rest))
            case .selfTest: self = try .selfTest(SelfTestOptions(rest))
            case .lockOff: self = try .lockOff(LockOffCommand(rest))
            case .aliro: self = try .aliro(AliroCommand(rest))
            case .pkoc: self = try .pkoc(PKOCCommand(rest))
            case .adapter: self = try .adapter(AdapterCommand(rest))
            case .calibrate: self = try .calibrate(CalibrateOptions(rest))
            case .status, .quiet, .unlock, .lockdown, .tamperReset, .revoke, .unrevoke, .setTime, .provisioning, .osdp,
                .matter, .metrics:
                self = try .control(ControlOptions(name, rest))
            }
        }
    }

    private static func topic(_ rest: ArraySlice<String>) throws(ReaderdError) -> CommandName? {
        guard let first = rest.first else { return nil }
        guard let name = CommandName(rawValue: first) else { throw unknown(first) }
        if let extra = rest.dropFirst().first {
            throw .usage("help takes one command; remove \"\(extra)\"; see: readerd --help")
        }
        return name
    }

    private static func unknown(_ name: String) -> ReaderdError {
        let names = CommandName.allCases.map(\.rawValue).joined(separator: ", ")
        let kind = name.hasPrefix("-") ? "option" : "command"
        return .usage("unknown \(kind) \"\(name)\"; the commands are \(names); see: readerd --help")
    }
}
