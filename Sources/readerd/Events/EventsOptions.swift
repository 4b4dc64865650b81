import Reader
import Timekeeping

/// What the command line of `readerd events` says.
struct EventsOptions: Equatable {
    /// What is done with the events.
    enum Action: Equatable {
        case show
        case follow
        case verify
        case export(path: String)
    }

    /// A place in the log that somebody noted, as `--verify` prints it: `1234:0F…`.
    struct Anchor: Equatable {
        var sequence: UInt64
        var chain: ChainValue
    }

    /// The first event that is shown.
    enum Since: Equatable {
        case number(UInt64)
        /// The first one of this local time or a later one.
        case time(CivilTime)
    }

    /// `--state`
    var stateDirectory = RunOptions.defaultStateDirectory
    var action = Action.show
    /// `--since`
    var since: Since?
    /// `--last`
    var last: Int?
    /// `--kind`
    var kinds: Set<AuditKind> = []
    /// `--cleared`
    var includesCleared = false
    /// `--json`
    var isJSON = false
    /// `--anchor`
    var anchor: Anchor?

    /// How many events are shown when nothing says how many.
    static let defaultLast = 50

    init() {}

    /// The options that follow `events`: each at most once, `--kind` as often as wanted.
    init(_ arguments: ArraySlice<String>) throws(ReaderdError) {
        var options = CommandOptions(
            .events, arguments, flags: ["--json", "--cleared", "--follow", "--verify"],
            valued: ["--state", "--since", "--last", "--kind", "--export", "--anchor"], repeatable: ["--kind"])
        while let item = try options.nextOption() {
            switch item {
            case .flag(let name): try setFlag(name)
            case .option(let name, let value): try set(name, to: value)
            case .word: break
            }
        }
        try check(options.seen)
    }

    private mutating func setFlag(_ name: String) throws(ReaderdError) {
        switch name {
        case "--json": isJSON = true
        case "--cleared": includesCleared = true
        case "--follow": try setAction(.follow)
        default: try setAction(.verify)
        }
    }

    private mutating func setAction(_ action: Action) throws(ReaderdError) {
        guard self.action == .show else {
            throw .usage("--follow, --verify and --export do not go together; give one; see: readerd events --help")
        }
        self.action = action
    }

    private mutating func set(_ name: String, to value: String) throws(ReaderdError) {
        switch name {
        case "--state": stateDirectory = value
        case "--since":
            if let number = UInt64(value), value.first != "+" {
                since = .number(number)
            } else if let time = LocalMinute.parse(value[...], ofDay: .first) {
                since = .time(time)
            } else {
                throw .usage(
                    "--since needs the number of an event or a date, 2026-11-22 or 2026-11-22T18:00, and \"\(value)\" is "
                        + "neither")
            }
        case "--last":
            guard let number = Int(value), number > 0, value.first != "+" else {
                throw .usage("--last needs how many events, from 1, and \"\(value)\" is no such number")
            }
            last = number
        case "--export": try setAction(.export(path: value))
        case "--anchor": anchor = try EventsOptions.anchor(value)
        default: try addKinds(value)
        }
    }

    private mutating func addKinds(_ value: String) throws(ReaderdError) {
        for name in value.split(separator: ",", omittingEmptySubsequences: false) {
            guard let kind = AuditKind(name: String(name)) else {
                let names = AuditKind.table.map(\.name).joined(separator: ", ")
                throw .usage("--kind \"\(name)\" is not known; the kinds are \(names)")
            }
            kinds.insert(kind)
        }
    }

    private static func anchor(_ value: String) throws(ReaderdError) -> Anchor {
        let parts = value.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let sequence = UInt64(parts[0]), let octets = Hexadecimal.octets(parts[1]),
            let chain = ChainValue(octets)
        else {
            throw .usage("--anchor needs what --verify printed, NUMBER:64 hexadecimal digits, and \"\(value)\" is not")
        }
        return Anchor(sequence: sequence, chain: chain)
    }

    private func check(_ seen: Set<String>) throws(ReaderdError) {
        func refuse(_ names: [String], with what: String) throws(ReaderdError) {
            if let name = names.first(where: seen.contains) {
                throw .usage("\(name) has no use with \(what); see: readerd events --help")
            }
        }
        switch action {
        case .verify: try refuse(["--since", "--last", "--kind", "--cleared"], with: "--verify, which looks at all")
        case .export:
            try refuse(
                ["--since", "--last", "--kind", "--cleared", "--json"], with: "--export, which writes all, as JSON")
        case .show, .follow: break
        }
        if anchor != nil, action != .verify { throw .usage("--anchor needs --verify; see: readerd events --help") }
        if since != nil, last != nil { throw .usage("--since and --last do not go together; give one") }
    }
}

/// Octets as people write them.
enum Hexadecimal {
    static func text(_ octets: [UInt8]) -> String {
        octets.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    static func octets(_ text: Substring) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var octets: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = nibble(digits[index]), let low = nibble(digits[index + 1]) else { return nil }
            octets.append(high << 4 | low)
        }
        return octets
    }

    private static func nibble(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x37
        case 0x61...0x66: digit - 0x57
        default: nil
        }
    }
}
