// SPDX-License-Identifier: Apache-2.0

package import Commands
package import Contactless
package import Credentials
import Crypto
import Glibc
import JSON
import Octets
import PhoneTool
import System
import Timekeeping

/// An Aliro reader on an NFC chip, which meets one phone.
package struct AliroReaderRun {
    /// The pause between two searches for a phone.
    private static let looking = Duration.milliseconds(50)

    private let chip: NFCInitiator
    private let signals: EndingSignals
    private var trial: AliroTrialReader

    /// Waits for a phone, runs one transaction and prints its result.
    ///
    /// - Throws: if no phone came, the phone was wrong, or the reader has not opened for a right one.
    package static func meet(
        _ reader: AliroReader, store: AliroStore, fault: AliroReaderFault?, on connection: String,
        within timeout: Duration, json: Bool
    ) throws(CommandError) {
        let signals = try EndingSignals()
        var random = SystemRandomSource()
        let moment = Moment(instant: MonotonicClock.now, epochSeconds: Int64(Glibc.time(nil)))
        let trial: AliroTrialReader
        do throws(CryptoError) {
            trial = try AliroTrialReader(reader, store: store, fault: fault, at: moment, random: &random)
        } catch { throw .failed("no key could be made: \(error)") }
        var run = AliroReaderRun(chip: try NFCInitiator(connection), signals: signals, trial: trial)
        let deadline = MonotonicClock.now + timeout
        while !(try run.finds()) {
            if signals.arrive(within: looking) { throw .failed("interrupted") }
            if MonotonicClock.now >= deadline { throw .failed("no phone came into the field") }
        }
        try run.exchange()
        try run.report(json: json)
    }

    private func finds() throws(CommandError) -> Bool {
        do throws(NFCInitiator.Fault) { return try chip.activate() } catch { throw chip.failure }
    }

    private mutating func exchange() throws(CommandError) {
        var command = trial.start()
        while let next = command {
            if signals.arrive(within: .zero) { throw .failed("interrupted") }
            do throws(NFCInitiator.Fault) {
                command = trial.receive(try chip.exchange(next))
            } catch {
                guard error == .lost else { throw chip.failure }
                trial.lost()
                command = nil
            }
        }
        chip.release()
    }

    private func report(json: Bool) throws(CommandError) {
        let result = trial.result
        if json {
            var object: JSONObject = [
                "event": "touch", "commands": result.commands, "phone": result.identity.map { Hexadecimal.text($0) },
                "refusal": result.refusal?.rawValue, "fault": result.hasFailed ? trial.fault?.name : nil,
                "word": result.word.map { Hexadecimal.text([UInt8($0 >> 8), UInt8($0 & 0xFF)]) },
            ]
            object.add("findings", result.findings)
            ConsoleOutput.write(object.text, to: STDOUT_FILENO)
        } else {
            ConsoleOutput.write("\(sentence), \(result.commands) commands", to: STDOUT_FILENO)
            for finding in result.findings { ConsoleOutput.write("finding: \(finding)", to: STDOUT_FILENO) }
        }
        if let finding = result.findings.first { throw .failed(finding) }
        if !isRight { throw .failed(sentence) }
    }

    /// True if the phone was right, and the reader has opened unless its fault prevents that.
    private var isRight: Bool {
        let opens = trial.result.identity != nil && trial.result.refusal == nil
        guard let fault = trial.fault else { return opens }
        return trial.result.hasFailed && (fault.reaction != .goesOn || opens)
    }

    private var sentence: String {
        let result = trial.result
        var text = "the reader has not met a phone with this credential"
        if let fault = trial.fault, result.hasFailed {
            text = "\(fault.name): the reader \(fault.action)"
            if let word = result.word {
                text += "; the phone answers \(Hexadecimal.text([UInt8(word >> 8), UInt8(word & 0xFF)]))"
            }
        } else if let refusal = result.refusal {
            text = "the reader refuses: \(refusal.rawValue)"
        } else if result.identity != nil {
            text = "the reader opens"
        }
        return text
    }
}
