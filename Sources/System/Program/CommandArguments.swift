// SPDX-License-Identifier: Apache-2.0

/// An error of wrong usage.
public protocol UsageFailure: Error {
    /// Wrong usage with this text.
    static func usage(_ text: String) -> Self
}

extension ProgramFailure: UsageFailure {}

/// The arguments of a command, parsed by a table of options.
public protocol CommandArguments {
    /// The error for wrong usage.
    associatedtype Failure: UsageFailure = ProgramFailure
    /// The command's name in usage errors.
    var name: String { get }
    /// The hint for usage errors: `see: readerd run --help`.
    var help: String { get }
    /// Its options. Each may be given once, unless it is repeatable.
    var options: [CommandOption<Self>] { get }
    /// Accepts an argument that is not an option; false if it is unexpected.
    mutating func accept(word: String) throws(Failure) -> Bool
    /// Checks the combination of arguments. `seen` has the names of the options given.
    mutating func check(_ seen: Set<String>) throws(Failure)
    /// The defaults.
    init()
}

/// An option of a command, and its effect on the arguments.
public struct CommandOption<Arguments: CommandArguments> {
    /// The error for wrong usage.
    public typealias Failure = Arguments.Failure

    let name: String
    let isFlag: Bool
    var isRepeatable = false
    let set: (inout Arguments, String) throws(Failure) -> Void

    /// A flag, `--name`.
    public static func flag(
        _ name: String, _ set: @escaping (inout Arguments) throws(Failure) -> Void
    ) -> CommandOption {
        CommandOption(name: name, isFlag: true) { arguments, _ throws(Failure) in try set(&arguments) }
    }

    /// An option with a non-empty value, `--name VALUE` or `--name=VALUE`.
    public static func value(
        _ name: String, isRepeatable: Bool = false,
        _ set: @escaping (inout Arguments, String) throws(Failure) -> Void
    ) -> CommandOption {
        CommandOption(name: name, isFlag: false, isRepeatable: isRepeatable, set: set)
    }
}

extension CommandOption {
    /// An option with a number of 16 bits, decimal or with 0x.
    public static func number(_ name: String, _ set: @escaping (inout Arguments, UInt16) -> Void) -> CommandOption {
        value(name) { arguments, text throws(Failure) in
            let number = text.hasPrefix("0x") ? UInt16(text.dropFirst(2), radix: 16) : UInt16(text)
            guard let number else {
                throw Failure.usage("\(name) takes 0 to 65535 or 0x0 to 0xFFFF, not \"\(text)\"")
            }
            set(&arguments, number)
        }
    }

    /// An option whose value is a case of `Word`; `plural` names the cases.
    public static func word<Word: RawRepresentable & CaseIterable>(
        _ name: String, _ plural: String, _ set: @escaping (inout Arguments, Word) -> Void
    ) -> CommandOption where Word.RawValue == String {
        value(name) { arguments, text throws(Failure) in
            guard let word = Word(rawValue: text) else {
                let known = Word.allCases.map(\.rawValue).joined(separator: ", ")
                throw Failure.usage("unknown \(name) \"\(text)\"; the \(plural) are \(known)")
            }
            set(&arguments, word)
        }
    }
}

extension CommandArguments {
    /// Accepts no words.
    public mutating func accept(word: String) throws(Failure) -> Bool { false }
    /// Accepts all combinations.
    public mutating func check(_ seen: Set<String>) throws(Failure) {}

    /// Parses the arguments after the command's name.
    ///
    /// - Throws: As `read`.
    public init(_ arguments: ArraySlice<String>) throws(Failure) {
        self.init()
        try read(arguments)
    }

    /// Parses the arguments after the command's name.
    ///
    /// - Throws: A usage error for an unknown or repeated argument, and for a missing or superfluous value.
    public mutating func read(_ arguments: ArraySlice<String>) throws(Failure) {
        let options = options
        var rest = arguments
        var seen: Set<String> = []
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("-") else {
                guard try accept(word: argument) else { throw unknown(argument) }
                continue
            }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            guard let option = options.first(where: { $0.name == name }) else { throw unknown(argument) }
            guard seen.insert(name).inserted || option.isRepeatable else {
                throw Failure.usage("\(name) is given twice; use it once")
            }
            if option.isFlag {
                guard parts.count == 1 else { throw Failure.usage("\(name) takes no value; \(help)") }
                try option.set(&self, "")
                continue
            }
            let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() ?? ""
            guard !value.isEmpty, parts.count == 2 || !value.hasPrefix("--") else {
                throw Failure.usage("\(name) needs a value; \(help)")
            }
            try option.set(&self, value)
        }
        try check(seen)
    }

    /// The error for an unknown argument.
    public func unknown(_ argument: String) -> Failure {
        Failure.usage("\(name): unknown argument \"\(argument)\"; \(help)")
    }
}
