/// What follows a command's name, one by one: flags as `--name`, options as `--name VALUE` or `--name=VALUE`, each at
/// most once, and words.
struct CommandOptions {
    /// One of them.
    enum Item: Equatable {
        /// A flag.
        case flag(String)
        /// An option and its value, which is not empty.
        case option(String, String)
        /// What does not begin with a hyphen.
        case word(String)
    }

    /// What it says to somebody who is to look it up.
    let help: String
    /// The options and flags that have come.
    private(set) var seen: Set<String> = []
    private let command: CommandName
    private let flags: Set<String>
    private let valued: Set<String>
    private let repeatable: Set<String>
    private var rest: ArraySlice<String>

    /// The arguments of `command`, which knows these flags and options; those in `repeatable` may come again.
    init(
        _ command: CommandName, _ arguments: ArraySlice<String>, flags: Set<String> = [], valued: Set<String>,
        repeatable: Set<String> = []
    ) {
        self.command = command
        self.flags = flags
        self.valued = valued
        self.repeatable = repeatable
        rest = arguments
        help = "see: readerd \(command.rawValue) --help"
    }

    /// The next one; nil at the end. What the command does not know, a second time, and a value too few or too many
    /// are wrong use.
    mutating func next() throws(ReaderdError) -> Item? {
        guard let argument = rest.popFirst() else { return nil }
        guard argument.hasPrefix("-") else { return .word(argument) }
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        guard flags.contains(name) || valued.contains(name) else { throw unknown(argument) }
        guard seen.insert(name).inserted || repeatable.contains(name) else {
            throw .usage("\(name) is given twice; give it once")
        }
        if flags.contains(name) {
            guard parts.count == 1 else { throw .usage("\(name) takes no value; \(help)") }
            return .flag(name)
        }
        let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() ?? ""
        guard !value.isEmpty, parts.count == 2 || !value.hasPrefix("--") else {
            throw .usage("\(name) needs a value; \(help)")
        }
        return .option(name, value)
    }

    /// The next one of a command that takes no words.
    mutating func nextOption() throws(ReaderdError) -> Item? {
        let item = try next()
        if case .word(let word) = item { throw unknown(word) }
        return item
    }

    /// The fault of an argument that the command does not know.
    func unknown(_ argument: String) -> ReaderdError {
        .usage("\(command.rawValue) does not know \"\(argument)\"; \(help)")
    }
}
