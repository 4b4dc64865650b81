// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Configuration
import Reader
import System
import Timekeeping

/// The arguments of a command that sends a request to a running reader.
struct ControlOptions: Equatable {
    var action: ControlRequest.Action
    var path = ControlListener.defaultPath
    /// `--id`; repeated requests with the same id are carried out once.
    var id: String?
    var isJSON = false

    /// The default of `osdp install`: enough to find the device in a panel's menu.
    static let installationSeconds = 300

    init(_ action: ControlRequest.Action) { self.action = action }

    /// Parses the options and words after `name`.
    init(_ name: CommandName, _ arguments: ArraySlice<String>) throws(ReaderdError) {
        var reader = ControlArguments()
        reader.command = name
        try reader.read(arguments)
        self = reader.parsed
    }
}

/// The parser of these arguments.
private struct ControlArguments: ReaderdArguments {
    var command = CommandName.status
    var parsed = ControlOptions(.status)
    private var words: [String] = []
    /// `--until` of `revoke`.
    private var until: CivilTime?

    var options: [CommandOption<ControlArguments>] {
        let common = sharedOptions
        guard command == .revoke else { return common }
        return common + [
            .value("--until") { control, value throws(ReaderdError) in
                guard let time = LocalMinute.parse(value[...]) else {
                    throw .usage(
                        "--until takes a time of the reader, 2026-12-31T18:00, or a day, 2026-12-31, not "
                            + "\"\(value)\"; \(control.help)")
                }
                control.until = time
            }
        ]
    }

    private var sharedOptions: [CommandOption<ControlArguments>] {
        let all: [CommandOption<ControlArguments>] = [
            .value("--control") { $0.parsed.path = $1 }, .flag("--json") { $0.parsed.isJSON = true },
            .value("--id") { control, value throws(ReaderdError) in
                guard ControlRequest.isID(value) else {
                    throw .usage(
                        "--id takes 1 to \(ControlRequest.maximumIDCount) printable ASCII characters without spaces")
                }
                control.parsed.id = value
            },
        ]
        // Queries have no effect, so they need no id.
        return [.status, .metrics, .quiet].contains(command) ? all.dropLast() : all
    }

    mutating func accept(word: String) -> Bool {
        words.append(word)
        return true
    }

    mutating func check(_ seen: Set<String>) throws(ReaderdError) { parsed.action = try action() }

    private func action() throws(ReaderdError) -> ControlRequest.Action {
        let most =
            [.unlock, .lockdown, .setTime, .revoke, .unrevoke].contains(command)
            ? 1 : [.provisioning, .osdp, .matter].contains(command) ? 2 : 0
        guard words.count <= most else { throw unknown(words[most]) }
        switch command {
        case .unlock:
            let word = words.first ?? "pulse"
            guard let action = ControlRequest.action("unlock", word) else {
                let ways = ControlRequest.words(of: "unlock").joined(separator: ", ")
                throw .usage("unlock takes \(ways), not \"\(word)\"; \(help)")
            }
            return action
        case .lockdown:
            guard let action = words.first.flatMap({ ControlRequest.action("lockdown", $0) }) else {
                throw .usage("lockdown takes on or off; \(help)")
            }
            return action
        case .setTime:
            guard let word = words.first, let seconds = Int64(word) ?? ZonedTime.epochSeconds(word[...]),
                TimedVerb.setTime.takes(seconds)
            else {
                throw .usage(
                    "set-time takes a time with its offset from UTC, as date -Is prints it, 2026-11-22T13:00:00+01:00, or "
                        + "seconds since 1970-01-01 UTC; \(help)")
            }
            return .timed(.setTime, seconds)
        case .provisioning:
            return try window(.provisioning, "open", usual: ReaderSettings().provisioning.windowSeconds)
        case .osdp: return try window(.panelInstallation, "install", usual: ControlOptions.installationSeconds)
        case .matter:
            return try window(.matterWindow, "open", usual: SettingKey.commissioningWindows.upperBound)
        case .revoke, .unrevoke:
            guard let credential = words.first.flatMap({ OSSCredentialID($0) }) else {
                throw .usage("\(command.rawValue) takes a credential, 1 to 10 characters of ASCII; \(help)")
            }
            return .revocation(command == .revoke ? .revoke(credential, until: until) : .unrevoke(credential))
        case .tamperReset: return .door(.tamperReset)
        case .metrics: return .metrics
        case .quiet: return .quiet
        default: return .status
        }
    }

    /// Parses `open [SECONDS]`, or another word for it, or `close`.
    private func window(
        _ verb: TimedVerb, _ open: String, usual: Int
    ) throws(ReaderdError) -> ControlRequest.Action {
        switch (words.first, words.count) {
        case ("close", 1): return .timed(verb, 0)
        case (open, 1): return .timed(verb, Int64(usual))
        case (open, 2):
            let range = verb.range
            guard let seconds = Int64(words[1]), range.contains(seconds) else {
                let bounds = "\(range.lowerBound) to \(range.upperBound)"
                throw .usage("\(command.rawValue) \(open) takes \(bounds) seconds; \(help)")
            }
            return .timed(verb, seconds)
        default: throw .usage("\(command.rawValue) takes \(open) [SECONDS] or close; \(help)")
        }
    }
}
