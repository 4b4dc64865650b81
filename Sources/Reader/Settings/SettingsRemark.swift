/// Something to say about a configuration.
public struct SettingsRemark: Equatable, Sendable, CustomStringConvertible {
    /// How much it matters.
    public enum Severity: String, Equatable, Sendable {
        /// The reader does not start with it.
        case fault
        /// The reader starts, and may not do what its owner expects.
        case warning
        /// Good to know.
        case notice
    }

    /// How much it matters.
    public var severity: Severity
    /// The line it is about, from 1; nil where the key is not written.
    public var line: Int?
    /// The key or table it is about; empty for the file as a whole.
    public var key: String
    /// What is so, and what to do.
    public var text: String

    /// A remark with these properties.
    public init(_ severity: Severity, line: Int?, key: String, _ text: String) {
        self.severity = severity
        self.line = line
        self.key = key
        self.text = text
    }

    /// In one line, without the file's name: `3: door.pulse-s: …`; warnings and notices say that they are.
    public var description: String {
        let place = line.map { "\($0): " } ?? ""
        let weight = severity == .fault ? "" : "\(severity.rawValue): "
        let subject = key.isEmpty ? "" : "\(key): "
        return place + weight + subject + text
    }
}
