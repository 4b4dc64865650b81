// SPDX-License-Identifier: Apache-2.0

import DevicePrograms
import Emulation
import JSON

/// The lines between a page and a program that prints one JSON object a line: what it prints becomes events, and each
/// of its answers goes with the line that it answers.
struct WebConversation {
    /// The page's own question: the answer is an event of this name.
    static let question = "help"
    /// The maximum number of octets of a typed line, the programs' own limit.
    static let maximumLine = 4096

    /// The maximum number of lines that the program has not answered: beyond it, it reads none.
    static let maximumUnanswered = 100

    private(set) var backlog = WebBacklog()
    private var unanswered: [String] = []
    /// The number of lines that the program has answered.
    private var answers = 0
    /// The line that the latest output answers, with its number, and the verdict; nil for other output.
    private(set) var latestAnswer: (number: Int, line: String, isGood: Bool)?

    /// The program has printed a line; the event that it becomes.
    mutating func printed(_ line: String) -> WebBacklog.Event {
        latestAnswer = nil
        guard let members = WebConversation.members(of: line) else {
            return add("output", ["text": line])
        }
        if members["event"] == .string("reader"), case .string(let device)? = members["device"] {
            return backlog.add("reader", line, row: device)
        }
        guard members["event"] == .string("answer"), !unanswered.isEmpty else { return backlog.add("entry", line) }
        let asked = unanswered.removeFirst()
        latestAnswer = (answers, asked, members["ok"] == .boolean(true))
        answers += 1
        if asked == WebConversation.question { return backlog.add(asked, line) }
        return add("answer", ["line": asked, "answer": JSONLiteral(line)])
    }

    @discardableResult
    private mutating func add(_ kind: String, _ object: JSONObject) -> WebBacklog.Event {
        backlog.add(kind, object.text)
    }

    /// True if the program answers what it is sent.
    var canSend: Bool { unanswered.count < WebConversation.maximumUnanswered }

    /// A line goes to the program; it will be answered by one line. Returns its number.
    @discardableResult
    mutating func sent(_ line: String) -> Int {
        unanswered.append(line)
        return answers + unanswered.count - 1
    }

    /// The faults of the program's device are these.
    mutating func offers(_ rows: [FaultTable.Row]) {
        add("faults", ["steps": rows.map(\.json)])
    }

    /// The program takes no lines; it is a collector, with readers and without links, or another.
    mutating func takesNoLines(isFleet: Bool) {
        add("silent", ["fleet": isFleet])
    }

    /// The program has ended.
    mutating func ended(_ words: String) -> WebBacklog.Event {
        add("ended", ["text": words])
    }

    /// The line in the body of a request, `{"line": "fault drop status"}`; nil for anything else.
    static func line(in body: [UInt8]) -> String? {
        guard body.count <= maximumLine * 2, let members = members(of: body), members.count == 1,
            case .string(let line)? = members["line"], (1...maximumLine).contains(line.utf8.count),
            !line.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
        else { return nil }
        return line
    }

    /// The members of a line that is a JSON object; nil for another.
    static func members(of line: String) -> [String: JSONNode.Content]? { members(of: Array(line.utf8)) }

    private static func members(of octets: [UInt8]) -> [String: JSONNode.Content]? {
        guard let node = try? JSONParser.parse(octets), case .object(let members) = node.content else { return nil }
        return Dictionary(members.map { ($0.name, $0.value.content) }) { first, _ in first }
    }
}
