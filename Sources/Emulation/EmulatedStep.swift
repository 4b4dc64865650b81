/// A place in what a device does, by the name that scenario files and commands call it: where a fault can be put, and
/// what the timeline shows.
public struct EmulatedStep: Equatable, Sendable {
    /// What happens at a step, which decides the faults that make sense there.
    public enum Kind: String, Sendable {
        /// The app reads or writes: the device can refuse, be late, or end the link.
        case request
        /// The device sends a value: it can be another one, be lost, be late, or come twice.
        case value
        /// The link changes: the device can end it.
        case link
    }

    /// The name, as `wifi-failed`.
    public var name: String
    /// What happens there.
    public var kind: Kind
    /// In a few words, for `steps`.
    public var summary: String

    /// A step.
    public init(_ name: String, _ kind: Kind, _ summary: String) {
        self.name = name
        self.kind = kind
        self.summary = summary
    }
}
