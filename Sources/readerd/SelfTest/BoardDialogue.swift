// SPDX-License-Identifier: Apache-2.0

import Configuration
import Reader

/// The dialogue of `readerd self-test --board`: requests an action of the reader or the person, and asks for its
/// result.
struct BoardDialogue {
    let console: Console
    /// Asks a question, and returns the answer's line; nil at the end of the input.
    let ask: (String) -> String?
    /// Requests a pulse of the door from the running reader.
    let open: () throws(ReaderdError) -> Void

    /// Keeps the results of all checks so far: before the first question, and after each answer.
    let keep: ([(check: BoardCheck, result: BoardResult)]) throws(ReaderdError) -> Void

    /// Asks about each part that is configured. An empty answer shows nothing, and the end of the input ends the
    /// questions.
    func ask(about settings: ReaderSettings) throws(ReaderdError) {
        console.print("\nAnswer y or n. An empty answer: not shown.")
        var results = BoardCheck.allCases.map { check in
            (check: check, result: check.isConfigured(settings) ? BoardResult.notShown : .notConfigured)
        }
        try keep(results)
        for index in results.indices where results[index].result != .notConfigured {
            guard let result = result(results[index].check) else { return }
            results[index].result = result
            try keep(results)
        }
    }

    /// The result of one check; nil at the end of the input.
    private func result(_ check: BoardCheck) -> BoardResult? {
        console.print("")
        if check.opensTheDoor {
            guard let line = ask("\(check.rawValue): Enter opens the door for its pulse; n skips: ") else { return nil }
            guard !BoardDialogue.isNo(line) else { return .notShown }
            do throws(ReaderdError) { try open() } catch {
                console.complain("\(error)")
                return .failed
            }
        } else if let instruction = check.instruction {
            console.print("\(check.rawValue): \(instruction)")
        }
        while true {
            guard let line = ask("\(check.question) [not shown]: ") else { return nil }
            if BoardDialogue.isYes(line) { return .shown }
            if BoardDialogue.isNo(line) { return .failed }
            if line.allSatisfy({ $0 == " " || $0 == "\t" }) { return .notShown }
            console.complain("y, n, or nothing")
        }
    }

    private static func isYes(_ line: String) -> Bool { ["y", "yes"].contains(line.lowercased()) }
    private static func isNo(_ line: String) -> Bool { ["n", "no"].contains(line.lowercased()) }
}
