import Reader
import Timekeeping

/// What the command line of a command that asks a running reader says.
struct ControlOptions: Equatable {
    /// What is asked for.
    var action: ControlRequest.Action
    /// `--control`
    var path = ControlListener.defaultPath
    /// `--id`; the same one is carried out once.
    var id: String?
    /// `--json`
    var isJSON = false

    init(_ action: ControlRequest.Action) { self.action = action }

    /// The options and the word that follow `name`.
    init(_ name: CommandName, _ arguments: ArraySlice<String>) throws(ReaderdError) {
        self.init(.status)
        let isQuestion = name == .status || name == .metrics
        var options = CommandOptions(
            name, arguments, flags: ["--json"], valued: isQuestion ? ["--control"] : ["--control", "--id"])
        var words: [String] = []
        while let item = try options.next() {
            switch item {
            case .flag: isJSON = true
            case .option("--id", let value): id = try ControlOptions.checkedID(value)
            case .option(_, let value): path = value
            case .word(let word): words.append(word)
            }
        }
        action = try ControlOptions.action(name, words, options)
    }

    private static func checkedID(_ id: String) throws(ReaderdError) -> String {
        let limit = ControlRequest.maximumIDCount
        guard id.utf8.count <= limit, id.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .usage("--id takes 1 to \(limit) printable ASCII characters without spaces")
        }
        return id
    }

    /// `open [SECONDS]` or `close`.
    private static func window(_ words: [String], _ help: String) throws(ReaderdError) -> Int {
        let range = SettingKey.provisioningWindows
        switch (words.first, words.count) {
        case ("close", 1): return 0
        case ("open", 1): return ReaderSettings().provisioning.windowSeconds
        case ("open", 2):
            guard let seconds = Int(words[1]), range.contains(seconds) else {
                throw .usage("provisioning open takes \(range.lowerBound) to \(range.upperBound) seconds; \(help)")
            }
            return seconds
        default: throw .usage("provisioning takes open [SECONDS] or close; \(help)")
        }
    }

    private static func action(
        _ name: CommandName, _ words: [String], _ options: CommandOptions
    ) throws(ReaderdError) -> ControlRequest.Action {
        let help = options.help
        func surplus(_ count: Int) throws(ReaderdError) {
            guard words.count <= count else { throw options.unknown(words[count]) }
        }
        switch name {
        case .unlock:
            try surplus(1)
            guard let word = words.first else { return .unlock(.pulse) }
            guard let way = ControlRequest.Unlock(rawValue: word) else {
                let ways = ControlRequest.Unlock.allCases.map(\.rawValue).joined(separator: ", ")
                throw .usage("unlock takes \(ways), and \"\(word)\" is none; \(help)")
            }
            return .unlock(way)
        case .lockdown:
            try surplus(1)
            guard let word = words.first, word == "on" || word == "off" else {
                throw .usage("lockdown takes on or off; \(help)")
            }
            return .lockdown(word == "on")
        case .setTime:
            try surplus(1)
            guard let word = words.first, let seconds = Int64(word) ?? ZonedTime.epochSeconds(word[...]),
                (0...ControlRequest.latestTime).contains(seconds)
            else {
                throw .usage(
                    "set-time takes a time with its offset from UTC, as date -Is prints it, 2026-11-22T13:00:00+01:00, or "
                        + "seconds since 1970-01-01 UTC; \(help)")
            }
            return .setTime(seconds)
        case .provisioning:
            try surplus(2)
            return .provisioning(seconds: try window(words, help))
        default:
            try surplus(0)
            return name == .tamperReset ? .tamperReset : name == .metrics ? .metrics : .status
        }
    }
}
