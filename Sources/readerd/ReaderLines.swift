import GPIO
import Reader
import Timekeeping

/// The outputs of a door: the lines that the configuration names, and simulated ones for the rest.
struct ReaderLines: ~Copyable, DoorLines {
    private var lock: OutputLine?
    private var grantedIndicator: OutputLine?
    private var deniedIndicator: OutputLine?
    private var buzzer: OutputLine?
    /// What became of every output, real or not.
    private(set) var record = SimulatedLines()

    /// Takes the lines, the lock first; each has its level of rest from the first moment on.
    init(_ settings: ReaderSettings) throws(ReaderdError) {
        let gpio = settings.gpio
        func open(_ output: ReaderSettings.GPIO.Line, _ text: String?, active: Bool) throws(ReaderdError)
            -> OutputLine?
        {
            guard let text else { return nil }
            return try ReaderLines.open(text, activeLow: gpio.activeLow.contains(output), active: active, output)
        }
        lock = try open(.lock, gpio.lock, active: settings.door.failMode.securedIsEnergised)
        grantedIndicator = try open(.grantedIndicator, gpio.grantedIndicator, active: false)
        deniedIndicator = try open(.deniedIndicator, gpio.deniedIndicator, active: false)
        buzzer = try open(.buzzer, gpio.buzzer, active: false)
    }

    mutating func apply(_ action: DoorAction, at now: Instant) throws(GPIOError) {
        switch action.output {
        case .lock: try lock?.set(action.level)
        case .grantedIndicator: try grantedIndicator?.set(action.level)
        case .deniedIndicator: try deniedIndicator?.set(action.level)
        case .buzzer: try buzzer?.set(action.level)
        }
        record.apply(action, at: now)
    }

    private static func open(
        _ text: String, activeLow: Bool, active: Bool, _ output: ReaderSettings.GPIO.Line
    ) throws(ReaderdError) -> OutputLine {
        let reference: LineReference
        do throws(LineReferenceError) { reference = try LineReference(text) } catch {
            throw .failed("gpio.\(output.rawValue): \(error)")
        }
        do throws(GPIOError) {
            return try OutputLine(reference, activeLow: activeLow, active: active)
        } catch {
            throw .failed("gpio.\(output.rawValue): \(error)")
        }
    }
}
