import Peripheral

/// The arguments of a command, read by a table of its options.
protocol CommandArguments {
    /// The command's name.
    var command: CommandName { get }
    /// Its options. Each may be given once, unless it is repeatable.
    var options: [CommandOption<Self>] { get }
    /// Takes a word that is no option; false if it is unknown.
    mutating func take(word: String) throws(ReaderdError) -> Bool
    /// Checks what the arguments say together; `seen` are the names of the options that were given.
    mutating func check(_ seen: Set<String>) throws(ReaderdError)
}

/// An option of a command, and what it changes.
struct CommandOption<Arguments> {
    let name: String
    let isFlag: Bool
    var isRepeatable = false
    let set: (inout Arguments, String) throws(ReaderdError) -> Void

    /// A flag, `--name`.
    static func flag(
        _ name: String, _ set: @escaping (inout Arguments) throws(ReaderdError) -> Void
    ) -> CommandOption {
        CommandOption(name: name, isFlag: true) { arguments, _ throws(ReaderdError) in try set(&arguments) }
    }

    /// An option with a value that is not empty, `--name VALUE` or `--name=VALUE`.
    static func value(
        _ name: String, isRepeatable: Bool = false,
        _ set: @escaping (inout Arguments, String) throws(ReaderdError) -> Void
    ) -> CommandOption {
        CommandOption(name: name, isFlag: false, isRepeatable: isRepeatable, set: set)
    }
}

extension CommandArguments {
    mutating func take(word: String) throws(ReaderdError) -> Bool { false }
    mutating func check(_ seen: Set<String>) throws(ReaderdError) {}

    /// The reference in a message of wrong use.
    var help: String { "see: readerd \(command.rawValue) --help" }

    /// Reads the arguments that follow the command's name. Unknown ones, a second time, and a value too few or too
    /// many are wrong use.
    mutating func read(_ arguments: ArraySlice<String>) throws(ReaderdError) {
        let options = options
        var rest = arguments
        var seen: Set<String> = []
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("-") else {
                guard try take(word: argument) else { throw unknown(argument) }
                continue
            }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            guard let option = options.first(where: { $0.name == name }) else { throw unknown(argument) }
            guard seen.insert(name).inserted || option.isRepeatable else {
                throw .usage("\(name) is given twice; give it once")
            }
            if option.isFlag {
                guard parts.count == 1 else { throw .usage("\(name) takes no value; \(help)") }
                try option.set(&self, "")
                continue
            }
            let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() ?? ""
            guard !value.isEmpty, parts.count == 2 || !value.hasPrefix("--") else {
                throw .usage("\(name) needs a value; \(help)")
            }
            try option.set(&self, value)
        }
        try check(seen)
    }

    /// The fault of an argument that the command does not know.
    func unknown(_ argument: String) -> ReaderdError {
        .usage("\(command.rawValue) does not know \"\(argument)\"; \(help)")
    }
}

extension TransportName {
    /// The value of `--hci`.
    init(option value: String) throws(ReaderdError) {
        do throws(TransportNameError) { try self.init(value) } catch { throw .usage("--hci: \(error)") }
    }
}
