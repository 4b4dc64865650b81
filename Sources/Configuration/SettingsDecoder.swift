// SPDX-License-Identifier: Apache-2.0

/// The result of decoding a configuration file.
public struct DecodedSettings: Sendable {
    /// The settings; a key with a fault has its default. Not to be used if there are faults.
    public var settings = ReaderSettings()
    /// All diagnostics in the order of the lines; those without a line are last.
    public var diagnostics: [SettingsDiagnostic] = []
    /// The line of each key in the file.
    public private(set) var lines: [String: Int] = [:]
    /// The keys with a fault.
    private var faulty: Set<String> = []

    /// True if a diagnostic prevents the reader's start.
    public var hasFaults: Bool { diagnostics.contains { $0.severity == .fault } }

    /// Decodes the entries of a file.
    public init(_ entries: [SettingsEntry] = []) {
        let reader = EntryReader(entries)
        for unknown in reader.unknownTables() { diagnostic(unknown) }
        for entry in reader.values() { decode(entry, elements: reader.elements(of: entry.path)) }
        checkTogether()
        sortDiagnostics()
    }

    /// Creates the result for a file that could not be read because of `fault`.
    public init(unreadable fault: SettingsDiagnostic) {
        diagnostics = [fault]
    }

    /// Adds a fault that was found when a key's value was used.
    public mutating func addFault(_ key: String, _ text: String) {
        faulty.insert(key)
        report(.fault, key, text)
        sortDiagnostics()
    }

    /// Adds a warning that was found when a key's value was used.
    public mutating func addWarning(_ key: String, _ text: String) {
        report(.warning, key, text)
        sortDiagnostics()
    }

    /// True if the key is in the file without a fault.
    func isWritten(_ key: String) -> Bool { lines[key] != nil && !faulty.contains(key) }

    /// True if no key has a fault, so that their values can be checked together.
    func areSound(_ keys: [String]) -> Bool { faulty.isDisjoint(with: keys) }

    /// Adds a diagnostic of several keys, at the line of `key`, or if it is not in the file, at the line of `other`.
    mutating func report(
        _ severity: SettingsDiagnostic.Severity, _ key: String, or other: String = "", _ text: String
    ) {
        diagnostic(SettingsDiagnostic(severity, line: lines[key] ?? lines[other], key: key, text))
    }

    mutating func diagnostic(_ diagnostic: SettingsDiagnostic) { diagnostics.append(diagnostic) }

    private mutating func sortDiagnostics() {
        let ordered = diagnostics.enumerated().sorted {
            ($0.element.line ?? .max, $0.offset) < ($1.element.line ?? .max, $1.offset)
        }
        diagnostics = ordered.map(\.element)
    }

    private mutating func decode(_ entry: SettingsEntry, elements: [SettingsEntry]) {
        guard let key = EntryReader.keys[entry.path] else {
            diagnostic(EntryReader.unknown(entry))
            return
        }
        lines[entry.path] = entry.line
        let value = SettingValue(value: entry.value, elements: elements.map(\.value))
        for fault in key.decode(value, &settings) {
            faulty.insert(key.name)
            let line = fault.element.map { elements[$0].line } ?? entry.line
            diagnostic(SettingsDiagnostic(.fault, line: line, key: key.name, fault.text))
        }
    }
}

/// Classifies entries as keys, tables and elements; entries below an unknown one are skipped.
private struct EntryReader {
    static let keys = Dictionary(SettingKey.all.map { ($0.name, $0) }) { first, _ in first }

    /// The tables with their parents, as in `door`, `proximity` and `proximity.on-touch`; not the root.
    static let tables: Set<String> = {
        var tables: Set<String> = []
        for key in SettingKey.all where !key.table.isEmpty {
            tables.insert(key.table)
            if let dot = key.table.firstIndex(of: ".") { tables.insert(String(key.table[..<dot])) }
        }
        return tables
    }()

    private let entries: [SettingsEntry]
    private let elementsOfPath: [String: [SettingsEntry]]
    /// The prefixes of paths that are covered by the diagnostic on their parent.
    private let judged: [String]

    init(_ entries: [SettingsEntry]) {
        self.entries = entries
        elementsOfPath = Dictionary(grouping: entries.filter { $0.index != nil }, by: \.path)
            .mapValues { $0.sorted { ($0.index ?? 0) < ($1.index ?? 0) } }
        judged = entries.compactMap { entry in
            switch entry.value {
            case .array: entry.path + "["
            case .table where !EntryReader.tables.contains(entry.path): entry.path + "."
            default: nil
            }
        }
    }

    func elements(of path: String) -> [SettingsEntry] { elementsOfPath[path] ?? [] }

    /// The values of keys, without those below an entry that is handled as a whole.
    func values() -> [SettingsEntry] {
        entries.filter { entry in
            guard entry.index == nil, !isBelowJudged(entry.path) else { return false }
            // A table with the name of a key has the wrong type; any other table is not a value.
            return entry.value != .table || EntryReader.keys[entry.path] != nil
        }
    }

    func unknownTables() -> [SettingsDiagnostic] {
        entries.compactMap { entry in
            guard entry.value == .table, entry.index == nil, !isBelowJudged(entry.path),
                !EntryReader.tables.contains(entry.path), EntryReader.keys[entry.path] == nil
            else { return nil }
            let near = NearestName.find(entry.path, in: EntryReader.tables.sorted())
            return SettingsDiagnostic(
                .fault, line: entry.line, key: entry.path,
                near.map { "unknown table; did you mean [\($0)]?" }
                    ?? "unknown table; the tables are \(EntryReader.tables.sorted().joined(separator: ", "))")
        }
    }

    static func unknown(_ entry: SettingsEntry) -> SettingsDiagnostic {
        let text: String
        if tables.contains(entry.path) {
            text = "is a table of keys, not \(entry.value.kind): write [\(entry.path)] on its own line"
        } else if let near = NearestName.find(entry.path, in: SettingKey.all.map(\.name)) {
            text = "unknown key; did you mean \(near)?"
        } else {
            text = "unknown key; docs/readerd.toml has every key"
        }
        return SettingsDiagnostic(.fault, line: entry.line, key: entry.path, text)
    }

    private func isBelowJudged(_ path: String) -> Bool { judged.contains { path.hasPrefix($0) } }
}
