// SPDX-License-Identifier: Apache-2.0

// Lists of texts.
extension SettingKey {
    /// A list of different texts. `read` converts each, or returns nil for a text with `problem`.
    static func list<Element: Equatable & SendableMetatype>(
        _ name: String, _ path: Path<[Element]>, takes: String, _ meaning: String,
        write: any (KeyPath<Element, String> & Sendable), read: @escaping @Sendable (String) -> Element?,
        problem: String
    ) -> SettingKey {
        SettingKey(
            name: name, takes: takes, meaning: meaning,
            written: { settings in
                "[" + settings[keyPath: path].map { quoted($0[keyPath: write]) }.joined(separator: ", ") + "]"
            }
        ) { value, settings in
            elements(value, takes: takes, each: "text", read: read, problem: { _ in problem }) {
                settings[keyPath: path] = $0
            }
        }
    }

    /// A list of raw values of `Choice`, of all or of `choices`. `hint` has the problem of a text that people may
    /// expect; nil for others.
    static func choices<Choice: RawRepresentable & CaseIterable & Hashable & Sendable>(
        _ name: String, _ path: Path<[Choice]>, of choices: [Choice] = Array(Choice.allCases), _ meaning: String,
        hint: @escaping @Sendable (String) -> String? = { _ in nil }
    ) -> SettingKey where Choice.RawValue == String {
        let names = listed(choices.map(\.rawValue))
        let takes = "a list of \(names)"
        return SettingKey(
            name: name, takes: takes, meaning: meaning,
            written: { settings in
                "[" + settings[keyPath: path].map { quoted($0.rawValue) }.joined(separator: ", ") + "]"
            }
        ) { value, settings in
            elements(
                value, takes: takes, each: names,
                read: { Choice(rawValue: $0).flatMap { choices.contains($0) ? $0 : nil } },
                problem: { hint($0).map { "\($0): needs \(names)" } ?? "is unknown: needs \(names)" }
            ) { settings[keyPath: path] = $0 }
        }
    }

    /// Stores the results of `read` for the texts of an array, without the invalid ones.
    private static func elements<Element: Equatable>(
        _ value: SettingValue, takes: String, each: String, read: (String) -> Element?,
        problem: (String) -> String, _ store: ([Element]) -> Void
    ) -> [SettingFault] {
        guard case .array = value.value else { return wrongType(value.value, needs: takes) }
        var elements: [Element] = []
        var faults: [SettingFault] = []
        for (number, element) in value.elements.enumerated() {
            guard case .string(let text) = element else {
                faults.append(SettingFault(element: number, text: "needs \(each), not \(element.kind)"))
                continue
            }
            guard let element = read(text) else {
                faults.append(SettingFault(element: number, text: "\(quoted(text)) \(problem(text))"))
                continue
            }
            guard !elements.contains(element) else {
                faults.append(SettingFault(element: number, text: "\(quoted(text)) is listed twice"))
                continue
            }
            elements.append(element)
        }
        store(elements)
        return faults
    }

    /// Returns `"a", "b" or "c"`.
    static func listed<Choice: RawRepresentable & CaseIterable & SendableMetatype>(
        _: Choice.Type
    ) -> String where Choice.RawValue == String {
        listed(Choice.allCases.map(\.rawValue))
    }

    private static func listed(_ values: [String]) -> String {
        let names = values.map(quoted)
        guard let last = names.last, names.count > 1 else { return names.joined() }
        return names.dropLast().joined(separator: ", ") + " or " + last
    }
}
