// SPDX-License-Identifier: Apache-2.0

import Console
import JSON
import Timekeeping

/// The output form of notices and answers: aligned lines, or one JSON object per line.
struct AirView {
    private let json: Bool
    private let text: AirText

    init(json: Bool, places: [String]) {
        self.json = json
        text = AirText(places: places)
    }

    /// Returns the line of a notice.
    func line(_ notice: AirNotice) -> String { json ? notice.json.text : text.line(notice) }

    /// Returns the lines of an answer.
    func lines(_ answer: TypedAnswer, at time: Duration) -> [String] {
        json ? [answer.json(at: time).text] : text.lines(answer, at: time)
    }
}
