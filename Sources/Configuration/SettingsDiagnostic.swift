// SPDX-License-Identifier: Apache-2.0

/// A diagnostic on a configuration.
public struct SettingsDiagnostic: Equatable, Sendable, CustomStringConvertible {
    /// The severity of a diagnostic.
    public enum Severity: String, Equatable, Sendable {
        /// Prevents the reader's start.
        case fault
        /// Permits the start; the reader may not behave as intended.
        case warning
        /// For information.
        case notice
    }

    /// The severity.
    public var severity: Severity
    /// The file, if it is not the configuration's own: a fragment's.
    public var file: String?
    /// The line, from 1; nil if the key is not in the file.
    public var line: Int?
    /// The key or table; empty for the whole file.
    public var key: String
    /// The problem and its remedy.
    public var text: String

    /// Creates a diagnostic with these properties.
    public init(_ severity: Severity, line: Int?, key: String, _ text: String) {
        self.severity = severity
        self.line = line
        self.key = key
        self.text = text
    }

    /// The diagnostic in one line without the file's name, as in `3: door.pulse-s: …`; warnings and notices include the
    /// severity.
    public var description: String {
        let place = line.map { "\($0): " } ?? ""
        let weight = severity == .fault ? "" : "\(severity.rawValue): "
        let subject = key.isEmpty ? "" : "\(key): "
        return place + weight + subject + text
    }
}
