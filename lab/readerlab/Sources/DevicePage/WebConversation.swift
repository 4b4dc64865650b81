// SPDX-License-Identifier: Apache-2.0

import DevicePrograms
import Emulation
import JSON

/// The lines between a page and a program that prints one JSON object per line. Each line of the program becomes an
/// event, and each of its answers is assigned to the line that it answers.
struct WebConversation {
    /// The program's lines that are states: a page needs the latest only.
    static let states: Set<String> = ["state", "status", "picture", "scene"]
    /// The page's own command; its answer is an event of this name.
    static let question = "help"
    /// The maximum number of octets of a typed line, the programs' own limit.
    static let maximumLine = 4096

    /// The maximum number of unanswered lines; above it the program does not read its input.
    static let maximumUnanswered = 100

    private(set) var backlog = WebBacklog()
    private var unanswered: [String] = []
    /// The number of lines that the program has answered.
    private var answers = 0
    /// The line that the latest output answers, with its number and the verdict; nil if that output is not an answer.
    private(set) var latestAnswer: (number: Int, line: String, isGood: Bool)?

    /// Handles a line that the program has printed, and returns its event.
    mutating func printed(_ line: String) -> WebBacklog.Event {
        latestAnswer = nil
        guard let members = WebConversation.members(of: line) else {
            return add("output", ["text": line])
        }
        if case .string(let name)? = members["event"], WebConversation.states.contains(name) {
            return backlog.replace(name, line)
        }
        if members["event"] == .string("reader"), case .string(let device)? = members["device"] {
            return backlog.add("reader", line, row: "reader " + device)
        }
        if members["event"] == .string("plan") { return backlog.add("plan", line, row: "plan") }
        guard members["event"] == .string("answer"), !unanswered.isEmpty else { return backlog.add("entry", line) }
        let asked = unanswered.removeFirst()
        latestAnswer = (answers, asked, members["ok"] == .boolean(true))
        answers += 1
        if asked == WebConversation.question { return backlog.add(asked, line, row: asked) }
        return add("answer", ["line": asked, "answer": JSONLiteral(line)])
    }

    @discardableResult
    private mutating func add(_ kind: String, _ object: JSONObject, row: String? = nil) -> WebBacklog.Event {
        backlog.add(kind, object.text, row: row)
    }

    /// True while the number of unanswered lines is below the maximum.
    var canSend: Bool { unanswered.count < WebConversation.maximumUnanswered }

    /// Records a line to the program, which answers it with one line. Returns its number.
    @discardableResult
    mutating func sent(_ line: String) -> Int {
        unanswered.append(line)
        return answers + unanswered.count - 1
    }

    /// Adds an event with the faults of the program's device.
    mutating func offers(_ rows: [FaultTable.Row]) {
        add("faults", ["steps": rows.map(\.json)], row: "faults")
    }

    /// Adds the first event: what the page shows, and whether the program takes lines.
    mutating func began(_ view: WebPage.View, takesLines: Bool) {
        add("program", ["view": view.rawValue, "lines": takesLines], row: "program")
    }

    /// Adds an event for the end of the program.
    mutating func ended(_ words: String) -> WebBacklog.Event {
        add("ended", ["text": words])
    }

    /// The line in the body of a request, `{"line": "fault drop status"}`; nil if the body has another form.
    static func line(in body: [UInt8]) -> String? {
        guard body.count <= maximumLine * 2, let members = members(of: body), members.count == 1,
            case .string(let line)? = members["line"], (1...maximumLine).contains(line.utf8.count),
            !line.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
        else { return nil }
        return line
    }

    /// The members of a line that is a JSON object; nil for other lines.
    static func members(of line: String) -> [String: JSONNode.Content]? { members(of: Array(line.utf8)) }

    private static func members(of octets: [UInt8]) -> [String: JSONNode.Content]? {
        guard let node = try? JSONParser.parse(octets), case .object(let members) = node.content else { return nil }
        return Dictionary(members.map { ($0.name, $0.value.content) }) { first, _ in first }
    }
}
