// SPDX-License-Identifier: Apache-2.0

import Configuration
import Glibc
import System

/// The fragments of a configuration: the files `readerd.d/*.toml` next to `readerd.toml`, in which packages provide
/// settings. A key of `readerd.toml` has precedence over a fragment's; of two fragments the later name has precedence.
struct SettingsFragments {
    /// The maximum number of fragments: each flavour of a board has one.
    static let maximumNumber = 16

    private struct Text {
        let path: String
        /// Its lines are counted on from the text before.
        let lines: Range<Int>
        let entries: [SettingsEntry]
    }

    private var texts: [Text] = []
    /// The diagnostics of files and texts as a whole.
    private(set) var diagnostics: [SettingsDiagnostic] = []

    /// No fragments.
    init() {}

    /// Reads the fragments next to the configuration at `path`, whose text is `own`. An unreadable one is a fault.
    init(beside path: String, own: Span<UInt8>) {
        let directory = (path.hasSuffix(".toml") ? String(path.dropLast(".toml".utf8.count)) : path) + ".d"
        guard let names = DirectoryNames.list(open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) else {
            if errno != ENOENT { record(.fault, directory, "cannot be listed: \(String(cString: strerror(errno)))") }
            return
        }
        let found = names.filter { $0.hasSuffix(".toml") && !$0.hasPrefix(".") }
        guard found.count <= Self.maximumNumber else {
            record(.fault, directory, "has more than \(Self.maximumNumber) fragments: join some")
            return
        }
        let main = path.split(separator: "/").last ?? "readerd.toml"
        var line = Self.lineCount(own)
        for name in found where read("\(directory)/\(name)", from: &line) {
            record(.notice, "\(directory)/\(name)", "read as well; a key of \(main) has precedence")
        }
    }

    /// False for an unreadable one, which is a fault.
    private mutating func read(_ path: String, from line: inout Int) -> Bool {
        let contents: FileContents?
        do throws(ReaderdError) {
            contents = try FileContents.read(path, maximumCount: SettingsFile.maximumCount)
        } catch {
            record(.fault, path, String(error.description.dropFirst("\(path): ".count)))
            return false
        }
        // A link that leads nowhere: settings that were wanted are missing.
        guard let octets = contents?.octets else {
            record(.fault, path, "no such file; remove the link")
            return false
        }
        switch TOMLDocument.entries(of: octets.span) {
        case .failure(let fault):
            record(.fault, path, "not valid TOML: \(fault.message)", line: fault.line)
            return false
        case .success(var entries):
            for index in entries.indices { entries[index].line += line }
            let lines = line..<(line + Self.lineCount(octets.span))
            texts.append(Text(path: path, lines: lines, entries: entries))
            line = lines.upperBound
            return true
        }
    }

    private mutating func record(
        _ severity: SettingsDiagnostic.Severity, _ path: String, _ text: String, line: Int? = nil
    ) {
        var diagnostic = SettingsDiagnostic(severity, line: line, key: "", text)
        diagnostic.file = path
        diagnostics.append(diagnostic)
    }

    /// The entries of the configuration's own text with the fragments' entries, each key once.
    func adding(to own: [SettingsEntry]) -> [SettingsEntry] {
        var all = own
        var taken: Set<String> = []
        for entry in own where entry.value != .table { taken.insert(entry.path) }
        for text in texts.reversed() {
            all += text.entries.filter { !taken.contains($0.path) }
            for entry in text.entries where entry.value != .table { taken.insert(entry.path) }
        }
        return all
    }

    /// Gives a diagnostic on a line of a fragment the fragment's file, and the line in that.
    func place(_ diagnostic: SettingsDiagnostic) -> SettingsDiagnostic {
        guard let line = diagnostic.line, let text = texts.first(where: { $0.lines.contains(line - 1) }) else {
            return diagnostic
        }
        var placed = diagnostic
        placed.file = text.path
        placed.line = line - text.lines.lowerBound
        return placed
    }

    /// The number of lines, of which the last may lack its end.
    private static func lineCount(_ text: Span<UInt8>) -> Int {
        var count = 1
        for index in text.indices where text[index] == 0x0A { count += 1 }
        return count
    }
}
