// SPDX-License-Identifier: Apache-2.0

import Configuration
import GPIO
import Reader

/// The test of the configured lines; none is driven.
///
/// An input is opened and read as by the reader. An output is only queried: opening it, even as an input, would release
/// the level that holds the lock.
enum LineTest {
    /// The finding for one line.
    struct Finding: Equatable {
        /// The line's key, `lock`.
        var name: String
        /// Its configured reference.
        var reference: String
        /// Its state in a few words, or the fault.
        var state: Result<String, ReaderdError>
    }

    /// The outcome for all lines.
    static func outcome(_ findings: [Finding], isLockSimulated: Bool) -> SelfTestOutcome {
        guard !findings.isEmpty else { return .notConfigured("no lines: the lock is simulated") }
        var faults: [String] = []
        var good: [String] = []
        for finding in findings {
            switch finding.state {
            case .failure(let error): faults.append("gpio.\(finding.name): \(error)")
            case .success(let state): good.append("\(finding.name) \(finding.reference) \(state)")
            }
        }
        guard faults.isEmpty else { return .failed(faults.joined(separator: "; ")) }
        if isLockSimulated { good.append("the lock is simulated") }
        return .ok(good.joined(separator: ", "))
    }

    /// The findings for the lines of `gpio`.
    static func findings(_ gpio: ReaderSettings.GPIO) -> [Finding] {
        gpio.linesInOrder.map { line, text in
            Finding(name: line.rawValue, reference: text, state: state(of: line, text, gpio))
        }
    }

    private static func state(
        of line: ReaderSettings.GPIO.Line, _ text: String, _ gpio: ReaderSettings.GPIO
    ) -> Result<String, ReaderdError> {
        do {
            let reference = try LineReference(text)
            guard let input = DoorInput(rawValue: line.rawValue) else {
                let found = try LineState(of: reference)
                guard !found.isHeld else {
                    return .failure(.failed("GPIO line \(reference): in use by \(found.holder); stop that"))
                }
                return .success("free")
            }
            let taken = try InputLine(reference, activeLow: gpio.isActiveLow(input), bias: gpio.bias(of: input))
            return .success(try taken.get() ? "active" : "at rest")
        } catch {
            return .failure(.failed("\(error)"))
        }
    }
}
