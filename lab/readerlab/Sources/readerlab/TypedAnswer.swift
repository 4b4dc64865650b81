// SPDX-License-Identifier: Apache-2.0

import Emulation
import JSON
import Timekeeping

/// The answer to a typed line, which a page of the program recognises as such.
struct TypedAnswer: Equatable {
    /// The answer as lines for people.
    var lines: [String]
    /// Further members of the JSON object.
    var members = JSONObject()
    var isError = false

    /// The answer of `body`, or its fault.
    static func of(_ body: () throws(CommandFault) -> TypedAnswer) -> TypedAnswer {
        do throws(CommandFault) { return try body() } catch {
            return TypedAnswer(lines: [error.description], isError: true)
        }
    }

    /// The answer as a JSON object; with a time of the program's own clock, if it has one.
    func json(at time: Duration? = nil) -> JSONObject {
        var object: JSONObject = [
            "at-ms": time?.wholeMilliseconds, "event": "answer", "ok": !isError, "lines": lines,
        ]
        object.add(contentsOf: members)
        return object
    }

    /// The lines with their verdict; a finding about an app has its own mark.
    var sentences: [String] {
        lines.map { $0.hasPrefix(Timeline.findingMark) ? $0 : "\(isError ? "error" : "ok"): \($0)" }
    }
}
