extension SettingKey {
    /// A list of texts, each of which `read` makes a value of, or nil if it `problem`; none may stand there twice.
    static func list<Element: Equatable & SendableMetatype>(
        _ name: String, _ path: Path<[Element]>, takes: String, _ meaning: String,
        write: any (KeyPath<Element, String> & Sendable), read: @escaping @Sendable (String) -> Element?,
        problem: String
    ) -> SettingKey {
        make(
            name, takes: takes, meaning,
            written: { settings in
                "[" + settings[keyPath: path].map { quoted($0[keyPath: write]) }.joined(separator: ", ") + "]"
            }
        ) { value, settings in
            guard case .array = value.value else { return wrongType(value.value, needs: takes) }
            var elements: [Element] = []
            var faults: [SettingFault] = []
            for (number, element) in value.elements.enumerated() {
                guard case .string(let text) = element else {
                    faults.append(SettingFault(element: number, text: "needs text, not \(element.kind)"))
                    continue
                }
                guard let element = read(text) else {
                    faults.append(SettingFault(element: number, text: "\(quoted(text)) \(problem)"))
                    continue
                }
                guard !elements.contains(element) else {
                    faults.append(SettingFault(element: number, text: "\(quoted(text)) stands there twice"))
                    continue
                }
                elements.append(element)
            }
            settings[keyPath: path] = elements
            return faults
        }
    }
}
