// SPDX-License-Identifier: Apache-2.0

import Octets
import Reader
import System
import Timekeeping

/// The arguments of `readerd events`.
struct EventsOptions: Equatable, ReaderdArguments {
    enum Action: Equatable {
        case show
        case follow
        case verify
        case export(path: String)
    }

    /// A noted place in the log, as printed by `--verify`: `1234:0F…`.
    struct Anchor: Equatable {
        var sequence: UInt64
        var chain: ChainValue
    }

    /// The first event that is shown.
    enum Since: Equatable {
        case number(UInt64)
        /// The first event of this local time or later.
        case time(CivilTime)
    }

    var stateDirectory = RunOptions.defaultStateDirectory
    var action = Action.show
    var since: Since?
    var last: Int?
    var kinds: Set<AuditKind> = []
    var includesCleared = false
    var isJSON = false
    var anchor: Anchor?

    /// The default number of events.
    static let defaultLast = 50

    var command: CommandName { .events }

    var options: [CommandOption<EventsOptions>] {
        [
            .value("--state") { $0.stateDirectory = $1 },
            .value("--since") { events, value throws(ReaderdError) in events.since = try EventsOptions.since(value) },
            .value("--last") { events, value throws(ReaderdError) in
                guard let number = Int(value), number > 0, value.first != "+" else {
                    throw .usage("--last needs a number of events from 1, not \"\(value)\"")
                }
                events.last = number
            },
            .value("--kind", isRepeatable: true) { events, value throws(ReaderdError) in try events.addKinds(value) },
            .flag("--cleared") { $0.includesCleared = true },
            .flag("--json") { $0.isJSON = true },
            .flag("--follow") { events throws(ReaderdError) in try events.setAction(.follow) },
            .flag("--verify") { events throws(ReaderdError) in try events.setAction(.verify) },
            .value("--export") { events, path throws(ReaderdError) in try events.setAction(.export(path: path)) },
            .value("--anchor") { events, value throws(ReaderdError) in
                events.anchor = try EventsOptions.anchor(value)
            },
        ]
    }

    private mutating func setAction(_ action: Action) throws(ReaderdError) {
        guard self.action == .show else {
            throw .usage("--follow, --verify and --export exclude each other; \(help)")
        }
        self.action = action
    }

    private static func since(_ value: String) throws(ReaderdError) -> Since {
        if let number = UInt64(value), value.first != "+" { return .number(number) }
        if let time = LocalMinute.parse(value[...], ofDay: .first) { return .time(time) }
        throw .usage(
            "--since needs the number of an event or a date, 2026-11-22 or 2026-11-22T18:00, and \"\(value)\" is "
                + "neither")
    }

    private mutating func addKinds(_ value: String) throws(ReaderdError) {
        for name in value.split(separator: ",", omittingEmptySubsequences: false) {
            guard let kind = AuditKind(name: String(name)) else {
                let names = AuditKind.table.map(\.name).joined(separator: ", ")
                throw .usage("unknown --kind \"\(name)\"; the kinds are \(names)")
            }
            kinds.insert(kind)
        }
    }

    private static func anchor(_ value: String) throws(ReaderdError) -> Anchor {
        let parts = value.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let sequence = UInt64(parts[0]), let octets = Hexadecimal.octets(parts[1]),
            let chain = ChainValue(octets)
        else {
            throw .usage("--anchor needs the output of --verify, NUMBER:64 hexadecimal digits, not \"\(value)\"")
        }
        return Anchor(sequence: sequence, chain: chain)
    }

    func check(_ seen: Set<String>) throws(ReaderdError) {
        func refuse(_ names: [String], with what: String) throws(ReaderdError) {
            if let name = names.first(where: seen.contains) {
                throw .usage("\(name) cannot be combined with \(what); \(help)")
            }
        }
        switch action {
        case .verify:
            try refuse(
                ["--since", "--last", "--kind", "--cleared"],
                with: "--verify, which checks all "
                    + "events")
        case .export:
            try refuse(
                ["--since", "--last", "--kind", "--cleared", "--json"],
                with: "--export, which writes all events as "
                    + "JSON")
        case .show, .follow: break
        }
        if anchor != nil, action != .verify { throw .usage("--anchor needs --verify; \(help)") }
        if since != nil, last != nil { throw .usage("--since and --last exclude each other") }
    }
}
