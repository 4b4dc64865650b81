// SPDX-License-Identifier: Apache-2.0

import Configuration
import JSON
import Reader

/// `readerd self-test --board FILE`: the questions about a running reader's hardware, and the report in a file.
struct BoardTest {
    let options: SelfTestOptions
    let console: Console

    /// Gets the report of the self-test, asks the questions, and stores each answer in the file `path`, which must not
    /// exist: it is created before the process runs as the state directory's owner. Returns the exit status: 0 if
    /// every configured part was shown to work.
    func perform(
        _ settings: ReaderSettings, path: String, ask: @escaping (String) -> String?, selfTest: () -> SelfTestReport
    ) throws(ReaderdError) -> Int32 {
        let file = try BoardReportFile(creating: path)
        defer { file.close() }
        var board = BoardReport(selfTest: selfTest())
        guard board.selfTest.isOfRunningReader else {
            file.remove()
            throw .failed("no reader runs, and the questions need one; start it: systemctl start readerd")
        }
        let dialogue = BoardDialogue(
            console: console, ask: ask, open: { () throws(ReaderdError) in try openDoor(settings) },
            keep: { results throws(ReaderdError) in
                board.results = results
                try file.write(options.isJSON ? [board.json] : board.lines)
            })
        try dialogue.ask(about: settings)
        console.print("\n\(board.lines.last ?? "") The report is in \(path).")
        return board.isComplete ? 0 : 1
    }

    private func openDoor(_ settings: ReaderSettings) throws(ReaderdError) {
        let path = options.control ?? settings.control ?? ControlListener.defaultPath
        let octets = try ControlCaller(path: path).send(ControlRequest(action: .door(.pulse), id: nil).line)
        guard let answer = try? JSONParser.parse(octets), answer["ok"]?.isTrue == true else {
            throw .failed("the reader did not open the door; see: readerd status")
        }
    }
}
