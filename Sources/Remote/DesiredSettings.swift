// SPDX-License-Identifier: Apache-2.0

public import CBOR
public import Configuration
internal import Fleet
internal import Reader

/// The settings of a desired state, by their keys in the configuration file, with the file's types and ranges.
public struct DesiredSettings: Equatable, Sendable {
    /// The values.
    let values: [PushedSetting: CBORValue]

    /// Creates the settings; nil for a key that a back end may not set, and for a value that is invalid in a file.
    public init?(_ members: [String: CBORValue]) {
        var values: [PushedSetting: CBORValue] = [:]
        for (name, value) in members {
            guard let setting = PushedSetting(rawValue: name) else { return nil }
            values[setting] = value
        }
        self.values = values
        guard let entries, !DecodedSettings(entries).hasFaults else { return nil }
    }

    /// No settings.
    init() { values = [:] }

    /// The parts that the configuration has to permit.
    var parts: Set<OwnedPart> { Set(values.keys.map { .setting($0) }) }

    /// The keys of the permitted values.
    public func keys(_ permitted: [OwnedPart]) -> Set<String> {
        Set(values.keys.filter { permitted.contains(.setting($0)) }.map(\.rawValue))
    }

    /// The map of CBOR.
    var members: [String: CBORValue] {
        var members: [String: CBORValue] = [:]
        for (setting, value) in values { members[setting.rawValue] = value }
        return members
    }

    /// Returns `settings` with the permitted values, which override the file.
    public func applied(to settings: ReaderSettings, permitted: [OwnedPart]) -> ReaderSettings {
        var result = settings
        for (setting, value) in values where permitted.contains(.setting(setting)) {
            guard let key = SettingKey.all.first(where: { $0.name == setting.rawValue }),
                let entries = DesiredSettings.entries(of: setting, value)
            else { continue }
            key.store(entries, in: &result)
            // The two keys exclude each other.
            if setting == .utcOffset { result.reader.timeZone = nil }
        }
        return result
    }

    /// The values as entries of a file; nil if a value has no counterpart there.
    private var entries: [SettingsEntry]? {
        var entries: [SettingsEntry] = []
        for (setting, value) in values {
            guard let own = DesiredSettings.entries(of: setting, value) else { return nil }
            entries += own
        }
        return entries
    }

    private static func entries(of setting: PushedSetting, _ value: CBORValue) -> [SettingsEntry]? {
        func entry(_ value: SettingsEntry.Value, index: Int? = nil) -> SettingsEntry {
            SettingsEntry(path: setting.rawValue, index: index, value: value, line: 1, column: 1)
        }
        guard case .array(let elements) = value else {
            return SettingsEntry.Value(value).map { [entry($0)] }
        }
        var entries = [entry(.array)]
        for (index, element) in elements.enumerated() {
            guard let value = SettingsEntry.Value(element) else { return nil }
            entries.append(entry(value, index: index))
        }
        return entries
    }
}

extension SettingsEntry.Value {
    /// The equivalent of a CBOR integer, text or boolean in a file; nil for other types.
    fileprivate init?(_ value: CBORValue) {
        switch value {
        case .integer(let number): self = .integer(number)
        case .text(let text): self = .string(text)
        case .boolean(let flag): self = .boolean(flag)
        default: return nil
        }
    }
}
