// SPDX-License-Identifier: Apache-2.0

/// The cards in one field, by their names, in the order in which they came.
struct CardField: Sendable {
    /// The maximum number of cards: more than a reader tries, and than fit in front of an antenna.
    static let limit = 16

    private struct Entry {
        let name: String
        let activation: CardActivation
        /// True after HLTA or S(DESELECT): the card does not answer a request (ISO/IEC 14443-3, 6.3).
        var isHalted = false
    }

    private var entries: [Entry] = []

    var names: [String] { entries.map(\.name) }

    /// False if the field is full, or has a card of this name.
    mutating func enter(_ name: String, _ activation: CardActivation) -> Bool {
        guard entries.count < CardField.limit, !holds(name) else { return false }
        entries.append(Entry(name: name, activation: activation))
        return true
    }

    mutating func leave(_ name: String) { entries.removeAll { $0.name == name } }

    func holds(_ name: String) -> Bool { entries.contains { $0.name == name } }

    /// The cards that answer a request of this technology, at most `count`; with an identifier only the card that has
    /// it.
    func answering(
        _ technology: CardActivation.Technology, identifier: [UInt8], count: Int
    ) -> [(name: String, activation: CardActivation)] {
        let found = entries.filter { entry in
            entry.activation.technology == technology && !entry.isHalted
                && (identifier.isEmpty || entry.activation.identifier == identifier)
        }
        return found.prefix(count).map { ($0.name, $0.activation) }
    }

    mutating func halt(_ name: String) {
        if let index = entries.firstIndex(where: { $0.name == name }) { entries[index].isHalted = true }
    }

    /// The field went off: halted cards answer again.
    mutating func reset() {
        for index in entries.indices { entries[index].isHalted = false }
    }
}
