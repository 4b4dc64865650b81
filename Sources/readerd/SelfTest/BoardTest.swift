// SPDX-License-Identifier: Apache-2.0

import Glibc
import JSON
import Reader

/// `readerd self-test --board FILE`: the questions about a running reader's hardware, and the report in a file.
struct BoardTest {
    let options: SelfTestOptions
    let console: Console

    /// The report's file, which must not exist yet. Made before the state directory's owner is taken on.
    private func makeFile(_ path: String) throws(ReaderdError) -> CInt {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw .file(path, "create it", errno: errno) }
        return descriptor
    }

    /// Takes the report of the self-test, asks, and writes all to the file `path`. Returns the exit status: 0 if all
    /// that is configured was shown.
    func perform(
        _ settings: ReaderSettings, path: String, ask: @escaping (String) -> String?, selfTest: () -> SelfTestReport
    ) throws(ReaderdError) -> Int32 {
        let descriptor = try makeFile(path)
        defer { close(descriptor) }
        let report = selfTest()
        guard report.isOfRunningReader else {
            unlink(path)
            throw .failed("no reader runs, and the questions need one; start it: systemctl start readerd")
        }
        let dialogue = BoardDialogue(
            console: console, ask: ask, open: { () throws(ReaderdError) in try openDoor(settings) })
        let board = BoardReport(selfTest: report, results: dialogue.results(settings))
        try write(options.isJSON ? [board.json] : board.lines, path, descriptor)
        console.print("\n\(board.lines.last ?? "") The report is in \(path).")
        return board.isComplete ? 0 : 1
    }

    private func write(_ lines: [String], _ path: String, _ descriptor: CInt) throws(ReaderdError) {
        let octets = Array(lines.map { $0 + "\n" }.joined().utf8)
        var count = 0
        while count < octets.count {
            let written = octets[count...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard written > 0 else { throw .file(path, "write it", errno: errno) }
            count += written
        }
    }

    private func openDoor(_ settings: ReaderSettings) throws(ReaderdError) {
        let path = options.control ?? settings.control ?? ControlListener.defaultPath
        let octets = try ControlCaller(path: path).send(ControlRequest(action: .unlock(.pulse), id: nil).line)
        guard let answer = try? JSONParser.parse(octets), answer["ok"]?.isTrue == true else {
            throw .failed("the reader did not open the door; see: readerd status")
        }
    }
}
