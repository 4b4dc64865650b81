// SPDX-License-Identifier: Apache-2.0

import Configuration
import GPIO
import Reader
import Timekeeping

/// The outputs of a door: the configured lines, and simulated ones for the others.
///
/// The reader does not start without its lock's line. An indicator or buzzer that cannot be opened fails each time it
/// is set, and is then opened again.
struct ReaderLines: ~Copyable, DoorLines {
    private var lock: OutputLine?
    private var grantedIndicator: SignalLine
    private var deniedIndicator: SignalLine
    private var buzzer: SignalLine
    /// The recent actions of all outputs, real or simulated.
    private(set) var record = SimulatedLines(capacity: 16)

    /// Opens the lines, the lock first; each has its inactive level from the beginning.
    init(_ settings: ReaderSettings) throws(ReaderdError) {
        let gpio = settings.gpio
        let green = try ReaderLines.reference(gpio, .grantedIndicator)
        let red = try ReaderLines.reference(gpio, .deniedIndicator)
        let sound = try ReaderLines.reference(gpio, .buzzer)
        lock = try ReaderLines.lock(gpio, active: settings.door.failMode.securedIsEnergised)
        grantedIndicator = SignalLine(green, activeLow: gpio.activeLow.contains(.grantedIndicator))
        deniedIndicator = SignalLine(red, activeLow: gpio.activeLow.contains(.deniedIndicator))
        buzzer = SignalLine(sound, activeLow: gpio.activeLow.contains(.buzzer))
    }

    mutating func apply(_ action: DoorAction, at now: Instant) throws(GPIOError) {
        switch action.output {
        case .lock: try lock?.set(action.level)
        case .grantedIndicator: try grantedIndicator.set(action.level)
        case .deniedIndicator: try deniedIndicator.set(action.level)
        case .buzzer: try buzzer.set(action.level)
        }
        record.apply(action, at: now)
    }

    private static func lock(_ gpio: ReaderSettings.GPIO, active: Bool) throws(ReaderdError) -> OutputLine? {
        guard let reference = try reference(gpio, .lock) else { return nil }
        do throws(GPIOError) {
            return try OutputLine(reference, activeLow: gpio.activeLow.contains(.lock), active: active)
        } catch {
            throw .failed("gpio.\(ReaderSettings.GPIO.Line.lock.rawValue): \(error)")
        }
    }

    private static func reference(
        _ gpio: ReaderSettings.GPIO, _ output: ReaderSettings.GPIO.Line
    ) throws(ReaderdError) -> LineReference? {
        guard let text = gpio.lines[output] else { return nil }
        return try LineReference(text, key: "gpio.\(output.rawValue)")
    }
}

/// The line of a light or the buzzer; a simulated one without a reference.
private struct SignalLine: ~Copyable {
    private let reference: LineReference?
    private let isActiveLow: Bool
    /// Nil while it cannot be opened.
    private var line: OutputLine?

    /// Opens the line at its inactive level. A failure is reported when the door first sets the line.
    init(_ reference: LineReference?, activeLow: Bool) {
        self.reference = reference
        isActiveLow = activeLow
        line = SignalLine.open(reference, activeLow)
    }

    private static func open(_ reference: LineReference?, _ isActiveLow: Bool) -> OutputLine? {
        guard let reference else { return nil }
        return try? OutputLine(reference, activeLow: isActiveLow, active: false)
    }

    mutating func set(_ level: Bool) throws(GPIOError) {
        guard let reference else { return }
        guard line != nil else {
            line = try OutputLine(reference, activeLow: isActiveLow, active: level)
            return
        }
        try line?.set(level)
    }
}
