// SPDX-License-Identifier: Apache-2.0

// Factories of keys by type of value, each from a path into the settings.
extension SettingKey {
    static func wrongType(_ value: SettingsEntry.Value, needs: String) -> [SettingFault] {
        [SettingFault(text: "needs \(needs), not \(value.kind)")]
    }

    static func boolean(_ name: String, _ path: Path<Bool>, _ meaning: String) -> SettingKey {
        let takes = "true or false"
        return SettingKey(name: name, takes: takes, meaning: meaning, written: { "\($0[keyPath: path])" }) {
            value, settings in
            guard case .boolean(let flag) = value.value else { return wrongType(value.value, needs: takes) }
            settings[keyPath: path] = flag
            return []
        }
    }

    static func integer(
        _ name: String, _ path: Path<Int>, _ range: ClosedRange<Int>, _ meaning: String,
        among numbers: [Int]? = nil, write: @escaping @Sendable (Int) -> String = { "\($0)" }
    ) -> SettingKey {
        let takes = "a whole number from \(write(range.lowerBound)) to \(write(range.upperBound))"
        return SettingKey(name: name, takes: takes, meaning: meaning, written: { write($0[keyPath: path]) }) {
            value, settings in
            var other: Int?
            let faults = number(value, in: range, takes: takes) {
                if numbers?.contains($0) ?? true { settings[keyPath: path] = $0 } else { other = $0 }
            }
            guard let other, let numbers else { return faults }
            return [SettingFault(text: "\(other) is none of \(numbers.map { "\($0)" }.joined(separator: ", "))")]
        }
    }

    static func integer(
        _ name: String, _ path: Path<Int?>, _ range: ClosedRange<Int>, _ meaning: String, example: Int
    ) -> SettingKey {
        let takes = "a whole number from \(range.lowerBound) to \(range.upperBound)"
        return SettingKey(
            name: name, takes: takes, meaning: meaning, example: "\(example)",
            written: { $0[keyPath: path].map { "\($0)" } }
        ) { value, settings in
            number(value, in: range, takes: takes) { settings[keyPath: path] = $0 }
        }
    }

    private static func number(
        _ value: SettingValue, in range: ClosedRange<Int>, takes: String, _ store: (Int) -> Void
    ) -> [SettingFault] {
        guard case .integer(let wide) = value.value else { return wrongType(value.value, needs: takes) }
        guard let number = Int(exactly: wide), range.contains(number) else {
            return [SettingFault(text: "\(wide) is out of range: needs \(takes)")]
        }
        store(number)
        return []
    }

    /// A text for which `check` returns no problem.
    static func text(
        _ name: String, _ path: Path<String>, takes: String, _ meaning: String,
        check: @escaping @Sendable (String) -> String?
    ) -> SettingKey {
        SettingKey(name: name, takes: takes, meaning: meaning, written: { quoted($0[keyPath: path]) }) {
            value, settings in
            string(value, takes: takes, check) { settings[keyPath: path] = $0 }
        }
    }

    static func text(
        _ name: String, _ path: Path<String?>, takes: String, _ meaning: String, example: String,
        check: @escaping @Sendable (String) -> String?
    ) -> SettingKey {
        SettingKey(
            name: name, takes: takes, meaning: meaning, example: quoted(example),
            written: { $0[keyPath: path].map(quoted) }
        ) { value, settings in
            string(value, takes: takes, check) { settings[keyPath: path] = $0 }
        }
    }

    private static func string(
        _ value: SettingValue, takes: String, _ check: (String) -> String?, _ store: (String) -> Void
    ) -> [SettingFault] {
        guard case .string(let text) = value.value else { return wrongType(value.value, needs: takes) }
        if let problem = check(text) { return [SettingFault(text: problem)] }
        store(text)
        return []
    }

    static func choice<Choice: RawRepresentable & CaseIterable & SendableMetatype>(
        _ name: String, _ path: Path<Choice>, _ meaning: String
    ) -> SettingKey where Choice.RawValue == String {
        SettingKey(
            name: name, takes: listed(Choice.self), meaning: meaning, written: { quoted($0[keyPath: path].rawValue) }
        ) { value, settings in
            choice(value) { (choice: Choice) in settings[keyPath: path] = choice }
        }
    }

    /// A choice that follows from other keys unless it is written.
    static func choice<Choice: RawRepresentable & CaseIterable & SendableMetatype>(
        _ name: String, _ path: Path<Choice?>, _ meaning: String, example: Choice,
        implied: @escaping @Sendable (ReaderSettings) -> Choice
    ) -> SettingKey where Choice.RawValue == String {
        SettingKey(
            name: name, takes: listed(Choice.self), meaning: meaning, example: quoted(example.rawValue),
            written: { $0[keyPath: path].map { quoted($0.rawValue) } }, implied: { quoted(implied($0).rawValue) }
        ) { value, settings in
            choice(value) { (choice: Choice) in settings[keyPath: path] = choice }
        }
    }

    private static func choice<Choice: RawRepresentable & CaseIterable & SendableMetatype>(
        _ value: SettingValue, _ store: (Choice) -> Void
    ) -> [SettingFault] where Choice.RawValue == String {
        let names = listed(Choice.self)
        guard case .string(let text) = value.value else { return wrongType(value.value, needs: names) }
        guard let choice = Choice(rawValue: text) else {
            return [SettingFault(text: "\(quoted(text)) is unknown: needs \(names)")]
        }
        store(choice)
        return []
    }
}
