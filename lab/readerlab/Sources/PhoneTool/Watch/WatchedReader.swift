// SPDX-License-Identifier: Apache-2.0

import Commands
import Emulation
import JSON
import Octets

/// Converts the lines of a reader's control socket (docs/operate/control.md) to lines of a timeline.
struct WatchedReader {
    /// A line for people, and for a page.
    struct Line: Equatable {
        var json: String
        /// Nil for a line that is for a page only.
        var sentence: String?
    }

    /// The request whose answers, but for the first, are the state of the reader for a page.
    static let question = #"{"get":"status"}"#

    /// The first requests, in whose order the answers come.
    static let requests = [question, #"{"subscribe":"events"}"#, #"{"subscribe":"notices"}"#]

    /// The number of answers.
    private var answers = 0

    /// Receives a line. Returns nil if it has nothing to show.
    ///
    /// - Throws: code 1 for a refusal, and for a line that no reader sends.
    mutating func receive(_ octets: [UInt8], atMilliseconds time: Int64) throws(CommandError) -> Line? {
        guard let node = try? JSONParser.parse(octets) else {
            throw .failed("the socket is no reader's: it says no JSON")
        }
        if let notice = node["notice"] { return WatchedReader.line(ofNotice: notice, time) }
        if let event = node["event"] { return WatchedReader.line(ofEvent: event, time) }
        guard node["ok"]?.content == .boolean(true) else {
            let why = node.text("why") ?? "the socket is no reader's: it answers neither ok nor why"
            throw .failed("the reader refuses: \(why.printable)")
        }
        answers += 1
        switch answers {
        case 1: return WatchedReader.line(ofStatus: node, time)
        case ...WatchedReader.requests.count: return nil
        default:
            var object: JSONObject = ["at-ms": time, "event": "status"]
            object.add("status", json: node.written)
            return Line(json: object.text, sentence: nil)
        }
    }

    private static func line(ofStatus status: JSONNode, _ time: Int64) -> Line {
        let device = status.text("device") ?? "?"
        let controller = status["controller"]?.text("name") ?? "?"
        let door = status["door"]?.text("state") ?? "?"
        let faults = (status["faults"]?.elements ?? []).compactMap { $0.text("code") }
        let isOff = status["controller"]?["advertising"]?.content == .boolean(false)
        let place = "\(controller)\(isOff ? ", not advertising" : ""), door \(door)"
        let object: JSONObject = [
            "at-ms": time, "event": "emulation", "name": device, "address": place,
        ]
        let told = faults.isEmpty ? "" : ", faults: " + faults.joined(separator: ", ")
        return Line(
            json: object.text,
            sentence: sentence(time, "reader \(device), controller \(place)\(told)"))
    }

    private static func line(ofNotice notice: JSONNode, _ time: Int64) -> Line {
        var object: JSONObject = ["at-ms": time, "event": notice.text("what") ?? "notice"]
        for name in ["link", "rssi-dbm", "path-loss-db", "peer"] {
            if let value = notice[name] { object.add(name, json: value.written) }
        }
        let text = notice.text("text") ?? ""
        // A page has a column for the link.
        let prefix = notice["link"].map { "link \($0.written): " } ?? ""
        object.add("text", text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text)
        return Line(json: object.text, sentence: sentence(time, text))
    }

    private static func line(ofEvent event: JSONNode, _ time: Int64) -> Line {
        let words = ["kind", "credential", "command", "actor", "detail"].compactMap { event.text($0) }
        let text = "event \(event["sequence"]?.written ?? "?"): \(words.joined(separator: " "))"
        let object: JSONObject = ["at-ms": time, "event": "stored", "text": text]
        return Line(json: object.text, sentence: sentence(time, text))
    }

    private static func sentence(_ milliseconds: Int64, _ text: String) -> String {
        TextColumn.seconds(.milliseconds(milliseconds)) + "  " + text.printable
    }
}

extension JSONNode {
    /// A member that is text; nil if it is missing or not text.
    fileprivate func text(_ name: String) -> String? {
        guard case .string(let text)? = self[name]?.content else { return nil }
        return text
    }

    fileprivate var elements: [JSONNode] {
        guard case .array(let elements) = content else { return [] }
        return elements
    }
}
