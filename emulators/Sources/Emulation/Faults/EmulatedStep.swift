// SPDX-License-Identifier: Apache-2.0

/// A step of a device's protocol, with its name in scenario files and commands: a place for faults, and an entry of
/// the timeline.
public struct EmulatedStep: Equatable, Sendable, CustomStringConvertible {
    /// The kind of a step, which determines the applicable faults.
    public enum Kind: String, Sendable {
        /// The app reads or writes: the device can refuse, delay the response, or end the link.
        case request
        /// The device sends a value: it can be changed, dropped, delayed or duplicated.
        case value
        /// The device sends a value without a status or a code: otherwise as with a value.
        case plainValue = "plain value"
        /// The link changes: the device can end it.
        case link
        /// An app connects: the device can end the link at once, or soon.
        case connection
        /// An app pairs: the device can refuse it, answer wrongly or not at all.
        case pairing
        /// An HTTP request with its answer, which can be late, another one, cut or missing.
        case exchange
        /// The device proves its key: the message can be wrong, dropped or delayed.
        case proof
        /// The device answers a proven request: as with a proof, or with a status instead of the result.
        case answer
    }

    /// The name, such as `wifi-failed`.
    public var name: String
    /// The kind.
    public var kind: Kind
    /// A short description, for `steps`.
    public var summary: String

    /// The faults that can be injected here.
    public var faults: [OfferedFault] { FaultWords.offered(kind) }

    /// `connect (connection): an app connects`
    public var description: String { "\(name) (\(kind.rawValue)): \(summary)" }

    /// A step.
    public init(_ name: String, _ kind: Kind, _ summary: String) {
        self.name = name
        self.kind = kind
        self.summary = summary
    }
}

/// A kind of fault in commands, `fault WORD STEP ARGUMENT`.
public struct OfferedFault: Equatable, Sendable {
    /// The word, such as `delay`.
    public var word: String
    /// The name of the argument, such as `MS`; nil for a fault without one.
    public var argument: String?

    /// A kind of fault.
    public init(_ word: String, argument: String? = nil) {
        self.word = word
        self.argument = argument
    }
}
