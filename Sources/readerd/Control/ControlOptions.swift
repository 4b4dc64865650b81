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
        let help = "see: readerd \(name.rawValue) --help"
        var rest = arguments
        var words: [String] = []
        var seen: Set<String> = []
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("-") else {
                words.append(argument)
                continue
            }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let option = String(parts[0])
            guard seen.insert(option).inserted else { throw .usage("\(option) is given twice; give it once") }
            if option == "--json", parts.count == 1 {
                isJSON = true
                continue
            }
            guard option == "--control" || option == "--id" && name != .status && name != .metrics else {
                throw .usage("\(name.rawValue) does not know \"\(argument)\"; \(help)")
            }
            let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() ?? ""
            guard !value.isEmpty, parts.count == 2 || !value.hasPrefix("--") else {
                throw .usage("\(option) needs a value; \(help)")
            }
            if option == "--id" { id = try ControlOptions.checkedID(value) } else { path = value }
        }
        action = try ControlOptions.action(name, words, help)
    }

    private static func checkedID(_ id: String) throws(ReaderdError) -> String {
        let limit = ControlRequest.maximumIDCount
        guard id.utf8.count <= limit, id.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .usage("--id takes 1 to \(limit) printable ASCII characters without spaces")
        }
        return id
    }

    private static func action(
        _ name: CommandName, _ words: [String], _ help: String
    ) throws(ReaderdError) -> ControlRequest.Action {
        func surplus(_ count: Int) throws(ReaderdError) {
            guard words.count <= count else {
                throw .usage("\(name.rawValue) does not know \"\(words[count])\"; \(help)")
            }
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
            guard let word = words.first, let seconds = Int64(word),
                (0...ControlRequest.latestTime).contains(seconds)
            else { throw .usage("set-time takes seconds since 1970-01-01 UTC, as date +%s prints them; \(help)") }
            return .setTime(seconds)
        default:
            try surplus(0)
            return name == .tamperReset ? .tamperReset : name == .metrics ? .metrics : .status
        }
    }
}
