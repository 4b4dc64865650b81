// SPDX-License-Identifier: Apache-2.0

import Configuration
import JSON
import Octets
import Remote

/// The configuration in force: each key with its value and the source of the value.
struct EffectiveSettings {
    /// The source of a value.
    enum Source: Equatable {
        /// The default: no file has the key.
        case standard
        /// The configuration file, or a fragment.
        case file(SettingPlace, isFragment: Bool)
        /// The identity names the door.
        case identity
        /// A configuration pushed by phones, with its name and the field.
        case pushed(name: String, field: String)
        /// The desired state of a back end, of this version.
        case desired(version: UInt64)

        /// The word for programs.
        var name: String {
            switch self {
            case .standard: "default"
            case .file(_, isFragment: false): "file"
            case .file(_, isFragment: true): "fragment"
            case .identity: "identity"
            case .pushed: "pushed"
            case .desired: "desired"
            }
        }

        /// The source for people.
        var text: String {
            switch self {
            case .standard: "default"
            case .file(let place, _): "\(place.file):\(place.line)"
            case .identity: "identity"
            case .pushed(let name, let field): "pushed \"\(name)\" (\(field))"
            case .desired(let version): "desired state, version \(version)"
            }
        }
    }

    /// A key with its value as written in a file; nil for a key without a value.
    struct Entry: Equatable {
        var key: String
        var value: String?
        var source: Source
    }

    private(set) var entries: [Entry] = []

    /// The settings of the file at `path` and its fragments; `places` has those of the keys.
    init(_ settings: ReaderSettings, path: String, places: [String: SettingPlace]) {
        entries = SettingKey.all.map { key in
            let source = places[key.name].map { Source.file($0, isFragment: $0.file != path) }
            return Entry(key: key.name, value: key.inForce(settings), source: source ?? .standard)
        }
    }

    /// Replaces the values that differ in `settings`, whose source is `source`; and those of `keys` in any case.
    mutating func replace(by settings: ReaderSettings, keys: Set<String> = [], _ source: Source) {
        for (index, key) in SettingKey.all.enumerated() {
            let value = key.inForce(settings)
            guard value != entries[index].value || keys.contains(key.name) else { continue }
            entries[index] = Entry(key: key.name, value: value, source: source)
        }
    }

    /// Replaces the values that phones have pushed and may set.
    mutating func replace(by pushed: PushedSettings) {
        for entry in pushed.entries where entry.holds {
            let source = Source.pushed(name: pushed.name ?? "", field: entry.written.field)
            for (number, key) in entry.written.keys.enumerated() {
                guard let index = entries.firstIndex(where: { $0.key == key }) else { continue }
                // The first key is the equivalent; the others it excludes.
                entries[index] = Entry(key: key, value: number == 0 ? entry.written.value : nil, source: source)
            }
        }
    }

    /// A text of TOML, each key with its source in a comment.
    var lines: [String] {
        let keyWidth = entries.map(\.key.count).max() ?? 0
        let rows = entries.map { entry in
            (
                entry.value.map { "\(entry.key.padded(to: keyWidth)) = \($0)" } ?? "# \(entry.key) is not set",
                entry.source
            )
        }
        // A long list does not move the others' sources.
        let width = min(rows.map(\.0.count).max() ?? 0, keyWidth + 28)
        return rows.map { row, source in "\(row.padded(to: width).printable)  # \(source.text.printable)" }
    }

    /// A list of objects.
    var objects: [JSONObject] {
        entries.map { entry in
            var object: JSONObject = [
                "key": entry.key, "value": entry.value.map { JSONLiteral(EffectiveSettings.json($0)) }.orNull,
                "from": entry.source.name,
            ]
            switch entry.source {
            case .file(let place, _):
                object.add("file", place.file)
                object.add("line", place.line)
            case .pushed(let name, let field):
                object.add("config-id", name)
                object.add("field", field)
            case .desired(let version): object.add("version", version)
            case .standard, .identity: break
            }
            return object
        }
    }

    /// Numbers, texts and lists of texts are written alike in TOML and JSON, except for hexadecimal numbers.
    private static func json(_ value: String) -> String {
        guard value.hasPrefix("0x"), let number = Int(value.dropFirst(2), radix: 16) else { return value }
        return "\(number)"
    }
}

extension SettingKey {
    /// The value in force as written in a file; nil for a key without a value.
    fileprivate func inForce(_ settings: ReaderSettings) -> String? { written(settings) ?? implied(settings) }
}
