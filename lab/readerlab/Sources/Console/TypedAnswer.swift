// SPDX-License-Identifier: Apache-2.0

import Emulation
package import JSON
import Timekeeping

/// The answer to a typed line, which a page of the program recognises as such.
package struct TypedAnswer: Equatable {
    /// The answer as lines for people.
    package var lines: [String]
    /// Further members of the JSON object.
    package var members = JSONObject()
    package var isError = false

    package init(lines: [String], members: JSONObject = JSONObject(), isError: Bool = false) {
        self.lines = lines
        self.members = members
        self.isError = isError
    }

    /// The answer of `body`, or its fault.
    package static func of<Fault: Error & CustomStringConvertible>(
        _ body: () throws(Fault) -> TypedAnswer
    ) -> TypedAnswer {
        do throws(Fault) { return try body() } catch {
            return TypedAnswer(lines: [error.description], isError: true)
        }
    }

    /// The answer as a JSON object; with a time of the program's own clock, if it has one.
    package func json(at time: Duration? = nil) -> JSONObject {
        var object: JSONObject = [
            "at-ms": time?.wholeMilliseconds, "event": "answer", "ok": !isError, "lines": lines,
        ]
        object.add(contentsOf: members)
        return object
    }

    /// The lines with their verdict; a finding about an app has its own mark.
    package var sentences: [String] {
        lines.map { $0.hasPrefix(Timeline.findingMark) ? $0 : "\(isError ? "error" : "ok"): \($0)" }
    }
}
