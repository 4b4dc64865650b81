// SPDX-License-Identifier: Apache-2.0

import Commands
import Emulation
import Glibc
import JSON

/// The terminal output of a program whose page is in a browser.
struct WebView {
    let json: Bool

    /// Prints the page's address.
    func page(_ address: String) {
        let object: JSONObject = ["event": "page", "address": address]
        ConsoleOutput.write(json ? object.text : "page: \(address)", to: STDOUT_FILENO)
    }

    /// Prints a line of the program: unchanged as JSON, otherwise as text.
    func show(_ line: String) { ConsoleOutput.write(json ? line : WebView.words(line), to: STDOUT_FILENO) }

    /// The text of a JSON line: time, event and text, or the lines of an answer.
    static func words(_ line: String) -> String {
        guard let node = try? JSONParser.parse(Array(line.utf8)), case .object(let members) = node.content else {
            return line
        }
        let content = Dictionary(members.map { ($0.name, $0.value.content) }) { first, _ in first }
        func text(_ name: String) -> String? {
            switch content[name] {
            case .string(let text)?, .number(let text)?: text
            default: nil
            }
        }
        if case .array(let lines)? = content["lines"] {
            return lines.map { if case .string(let text) = $0.content { "  " + text } else { "" } }
                .joined(separator: "\n")
        }
        let time = text("at-ms").flatMap { Double($0) }.map { TextColumn.seconds(.milliseconds($0)) + " s  " } ?? ""
        let place = text("place") ?? text("link").map { "link \($0)" } ?? text("reader")
        let event = text("rule").map { "! \($0):" } ?? text("event") ?? text("kind") ?? ""
        let detail = text("sentence") ?? text("text") ?? text("address") ?? text("value") ?? text("credential")
        let words = [place, detail?.lowercased().hasPrefix(event) == true ? nil : event, text("step"), detail]
        return time + words.compactMap(\.self).joined(separator: "  ")
    }
}
