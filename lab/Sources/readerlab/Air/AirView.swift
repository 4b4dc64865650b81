import JSON
import Timekeeping

/// The form of notices and answers: aligned lines, or one JSON object a line.
struct AirView {
    private let json: Bool
    private let text: AirText

    init(json: Bool, places: [String]) {
        self.json = json
        text = AirText(places: places)
    }

    /// The line of a notice.
    func line(_ notice: AirNotice) -> String { json ? notice.json.text : text.line(notice) }

    /// The lines of an answer.
    func lines(_ answer: AirAnswer, at time: Duration) -> [String] {
        json ? [answer.json(at: time).text] : text.lines(answer, at: time)
    }
}
