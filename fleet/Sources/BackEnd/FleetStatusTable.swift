// SPDX-License-Identifier: Apache-2.0

import JSON

/// The readers of a database as a table.
public enum FleetStatusTable {
    /// The table. States are not signed, so only printable characters of them reach the terminal.
    public static func lines(_ readers: [FleetDatabase.Reader]) -> [String] {
        let titles = ["reader", "link", "firmware", "door", "events", "lost", "conflicts", "last event", "faults"]
        return RegisterTable.aligned([titles] + readers.map(\.cells))
    }
}

extension FleetDatabase.Reader {
    /// A member of a JSON object; nil if the text is not an object or lacks the member.
    func member(_ name: String, of text: String) -> JSONNode? {
        (try? JSONParser.parse(Array(text.utf8)))?[name]
    }

    /// A member that is text; nil if it is missing or not text.
    func text(_ name: String, of text: String) -> String? {
        guard case .string(let value) = member(name, of: text)?.content else { return nil }
        return value
    }

    /// The codes of its faults.
    var faults: [String] {
        guard case .array(let codes) = member("faults", of: state)?.content else { return [] }
        return codes.compactMap { code in if case .string(let name) = code.content { name } else { nil } }
    }

    fileprivate var cells: [String] {
        let link = isOnline.map { $0 ? "there" : "gone" } ?? "never seen"
        let isOpen = member("open", of: state)?.content == .boolean(true)
        let door = text("lock", of: state).map { $0.lowercased() + (isOpen ? ", open" : "") } ?? "-"
        let event = [text("time", of: last), text("kind", of: last), text("credential", of: last)].compactMap(\.self)
        return [
            name, link, firmware.isEmpty ? "-" : firmware, door, "\(events)", "\(lost)", "\(conflicts)",
            event.isEmpty ? "-" : event.joined(separator: " "),
            faults.isEmpty ? "-" : faults.joined(separator: ", "),
        ]
    }

    /// The reader as a JSON object.
    public var json: String { object.text }

    /// The reader as a line in the output of events.
    var line: String {
        var line = JSONObject()
        line.add("event", "reader")
        line.add(contentsOf: object)
        return line.text.onOneLine
    }

    private var object: JSONObject {
        [
            "reader": name, "device": device, "online": JSONLiteral(isOnline.map { $0 ? "true" : "false" } ?? "null"),
            "firmware": JSONLiteral(firmware.isEmpty ? "null" : JSONObject.quoted(firmware)), "events": events,
            "lost": lost, "conflicts": conflicts, "state": JSONLiteral(state.isEmpty ? "null" : state),
            "last": JSONLiteral(last.isEmpty ? "null" : last),
        ]
    }
}
