// SPDX-License-Identifier: Apache-2.0

import Configuration
import Reader
import TestSupport
import Testing

@testable import readerd

/// `readerd self-test --board`: questions, answers and the report.
@Suite struct BoardDialogueTests {
    private struct Talk {
        var results: [BoardCheck: BoardResult] = [:]
        var questions: [String] = []
        var complaints: [String] = []
        var openings = 0
        /// The number of results that were kept, at each time, which say that a part works or not.
        var kept: [Int] = []
    }

    private var wholeBoard: ReaderSettings {
        var settings = ReaderSettings()
        (settings.gpio.lines[.lock], settings.gpio.lines[.contact], settings.gpio.lines[.requestToExit]) = (
            "RELAY", "DOOR", "REX"
        )
        (settings.gpio.lines[.grantedIndicator], settings.gpio.lines[.deniedIndicator]) = ("LED_GREEN", "LED_RED")
        settings.gpio.lines[.buzzer] = "BUZZER"
        settings.nfc.connection = "pn532_uart:/dev/ttyS1"
        return settings
    }

    /// A conversation with these answers, and the end of the input after them.
    private func talk(_ answers: [String], _ settings: ReaderSettings, opens: Bool = true) throws -> Talk {
        var (talk, left) = (Talk(), answers[...])
        let dialogue = BoardDialogue(
            console: Console(print: { _ in }, complain: { talk.complaints.append($0) }),
            ask: {
                talk.questions.append($0)
                return left.popFirst()
            },
            open: { () throws(ReaderdError) in
                talk.openings += 1
                if !opens { throw .failed("not done: lockdown") }
            },
            keep: { results in
                talk.kept.append(results.count { [.shown, .failed].contains($0.result) })
                talk.results = Dictionary(uniqueKeysWithValues: results.map { ($0.check, $0.result) })
            })
        try dialogue.ask(about: settings)
        return talk
    }

    /// Enter opens, for the relay, the green light and the buzzer; each check has a question.
    @Test func allIsShown() throws {
        let talk = try talk(["", "y", "", "yes", "Y", "", "y", "y", "y", "y", "y"], wholeBoard)
        #expect(talk.results.count == BoardCheck.allCases.count)
        #expect(talk.results.values.allSatisfy { $0 == .shown })
        #expect(talk.openings == 3)
        #expect(talk.kept == Array(0...BoardCheck.allCases.count), "once before the first question, and after each")
    }

    @Test func nobodyAnswers() throws {
        let talk = try talk([], wholeBoard)
        #expect(talk.results.values.allSatisfy { $0 == .notShown })
        #expect(talk.questions.count == 1, "the end of the input ends the questions")
        #expect(talk.openings == 0)
    }

    @Test func emptyAnswersShowNothing() throws {
        let talk = try talk(Array(repeating: "", count: 11), wholeBoard)
        #expect(talk.results.values.allSatisfy { $0 == .notShown })
        #expect(talk.openings == 3)
    }

    @Test func aNoIsAFailureAndTheRestIsAsked() throws {
        let talk = try talk(["", "n", "n", "maybe", "y"], wholeBoard)
        #expect(talk.results[.relay] == .failed)
        #expect(talk.results[.greenLight] == .notShown, "skipped")
        #expect(talk.results[.redLight] == .shown)
        #expect(talk.results[.phone] == .notShown)
        #expect(talk.complaints == ["y, n, or nothing"])
        #expect(talk.openings == 1)
    }

    /// A result that cannot be kept ends the questions: nobody answers for nothing.
    @Test func resultsThatCannotBeKeptEndIt() {
        var questions = 0
        let dialogue = BoardDialogue(
            console: Console(print: { _ in }, complain: { _ in }),
            ask: { _ in
                questions += 1
                return "y"
            }, open: { () throws(ReaderdError) in },
            keep: { _ throws(ReaderdError) in if questions == 2 { throw .failed("no space") } })
        #expect(throws: ReaderdError.self) { try dialogue.ask(about: wholeBoard) }
        #expect(questions == 2)
    }

    @Test func aReaderThatDoesNotOpenIsAFailure() throws {
        let talk = try talk([""], wholeBoard, opens: false)
        #expect(talk.results[.relay] == .failed)
        #expect(talk.complaints == ["not done: lockdown"])
    }

    @Test func ofABareBoardThePhoneAloneIsAsked() throws {
        let talk = try talk(["y"], ReaderSettings())
        #expect(talk.results[.phone] == .shown)
        #expect(talk.results.filter { $0.value == .notConfigured }.count == BoardCheck.allCases.count - 1)
    }

    // MARK: The report

    private func report(_ result: BoardResult, _ outcome: SelfTestOutcome = .ok("ready")) -> BoardReport {
        var selfTest = SelfTestReport()
        selfTest.isOfRunningReader = true
        selfTest.add("controller", outcome)
        return BoardReport(selfTest: selfTest, results: [(.relay, .notConfigured), (.phone, result)])
    }

    @Test(arguments: [BoardResult.shown, .failed, .notShown])
    func itIsCompleteIfAllWasShown(_ result: BoardResult) {
        #expect(report(result).isComplete == (result == .shown))
        #expect(!report(result, .failed("not ready")).isComplete)
    }

    @Test func text() {
        #expect(
            report(.notShown).lines == [
                "readerd \(FirmwareVersion.text)", "controller   ok              ready", "", "Seen by a person:",
                "relay        not configured", "phone        not shown", "", "Not all that is configured was shown.",
            ])
    }

    @Test func json() {
        let tail =
            #""complete":false,"board":[{"check":"relay","result":"not-configured"},{"check":"phone","result":"failed"}]}"#
        #expect(report(.failed).json.hasPrefix(#"{"ok":true,"#))
        #expect(report(.failed).json.hasSuffix(tail))
    }

    // MARK: The command

    private func perform(_ arguments: [String], answers: [String]?) -> (code: Int32, complaints: [String]) {
        var complaints: [String] = []
        var left = (answers ?? [])[...]
        var console = Console(print: { _ in }, complain: { complaints.append($0) })
        if answers != nil { console.ask = { _ in left.popFirst() } }
        return (Program(console: console).perform(["self-test"] + arguments), complaints)
    }

    @Test func withoutATerminalItIsWrongUse() throws {
        let directory = try TemporaryDirectory()
        let file = "\(directory.path)/report"
        let outcome = perform(["--state", "\(directory.path)/state", "--board", file], answers: nil)
        #expect(outcome.code == 2)
        #expect(directory.names(in: "").isEmpty)
    }

    @Test func withoutAReaderThereIsNoReport() throws {
        let directory = try TemporaryDirectory()
        let file = "\(directory.path)/report"
        let arguments = ["--state", "\(directory.path)/state", "--hci", "unix:/nowhere", "--board", file]
        let outcome = perform(arguments, answers: ["y"])
        #expect(outcome.code == 1)
        #expect(outcome.complaints.last?.contains("no reader runs") == true)
        #expect(!directory.names(in: "").contains("report"))
    }

    @Test func aReportIsNotOverwritten() throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("report", "kept")
        let outcome = perform(["--state", "\(directory.path)/state", "--board", file], answers: ["y"])
        #expect(outcome.code == 1)
        #expect(outcome.complaints.last?.contains("cannot create it") == true)
    }
}
