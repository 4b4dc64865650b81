import GPIO
import Reader

/// Looks at the lines that the configuration names, and drives none of them.
///
/// An input is taken as the reader takes it, and read. Of an output the kernel is only asked: whoever took it, even as
/// an input, would let go of the level that keeps the lock as it is.
enum LineTest {
    /// The finding for one line.
    struct Finding: Equatable {
        /// The line's key, `lock`.
        var name: String
        /// As it is configured.
        var reference: String
        /// Its state in a word or two, or the fault.
        var state: Result<String, ReaderdError>
    }

    /// The outcome for all lines.
    static func outcome(_ findings: [Finding], isLockSimulated: Bool) -> SelfTestOutcome {
        guard !findings.isEmpty else { return .notConfigured("no line is named: the lock is simulated") }
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
        gpio.lines.map { line, text in
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
                    return .failure(.failed("GPIO line \(reference): \(found.holder) holds it; end that"))
                }
                return .success("free")
            }
            let bias: InputLine.Bias =
                gpio.pulledUp.contains(input) ? .pullUp : gpio.pulledDown.contains(input) ? .pullDown : .asIs
            let taken = try InputLine(reference, activeLow: gpio.isActiveLow(input), bias: bias)
            return .success(try taken.get() ? "active" : "at rest")
        } catch {
            return .failure(.failed("\(error)"))
        }
    }
}
