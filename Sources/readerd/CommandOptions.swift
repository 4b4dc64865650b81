// SPDX-License-Identifier: Apache-2.0

import Peripheral

/// The arguments of a command, parsed by a table of options.
protocol CommandArguments {
    /// The command's name.
    var command: CommandName { get }
    /// Its options. Each may be given once, unless it is repeatable.
    var options: [CommandOption<Self>] { get }
    /// Accepts an argument that is not an option; false if it is unexpected.
    mutating func take(word: String) throws(ReaderdError) -> Bool
    /// Checks the combination of arguments. `seen` has the names of the options given.
    mutating func check(_ seen: Set<String>) throws(ReaderdError)
}

/// An option of a command, and its effect on the arguments.
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

    /// An option with a non-empty value, `--name VALUE` or `--name=VALUE`.
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

    /// The hint for usage errors.
    var help: String { "see: readerd \(command.rawValue) --help" }

    /// Parses the arguments after the command's name.
    ///
    /// - Throws: A usage error for an unknown or repeated argument, and for a missing or superfluous value.
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
                throw .usage("\(name) is given twice; use it once")
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

    /// The error for an unknown argument.
    func unknown(_ argument: String) -> ReaderdError {
        .usage("\(command.rawValue): unknown argument \"\(argument)\"; \(help)")
    }
}

extension TransportName {
    /// Parses the value of `--hci`.
    init(option value: String) throws(ReaderdError) {
        do throws(TransportNameError) { try self.init(value) } catch { throw .usage("--hci: \(error)") }
    }
}
