// SPDX-License-Identifier: Apache-2.0

import Reader

extension SettingKey {
    static let gpio: [SettingKey] =
        [
            line(.lock, "The relay of the lock.", example: "RELAY"),
            line(.grantedIndicator, "The indicator of a grant.", example: "LED_GREEN"),
            line(.deniedIndicator, "The indicator of a refusal.", example: "LED_RED"),
            line(.buzzer, "The buzzer.", example: "gpiochip0:18"),
            boolean(
                "gpio.hardware-safe-state", \.gpio.hasHardwareSafeState,
                "The wiring (the relay's contact, a pull resistor) puts the lock in its fail mode when nothing drives "
                    + "the line. Suppresses a warning, no more."),
            input(
                .contact, "The door's contact, an input; active while the door is open.",
                example: "DOOR"),
            input(.requestToExit, "The request-to-exit button or motion sensor, an input.", example: "REX"),
            input(.fire, "The building's fire alarm, an input.", example: "FIRE"),
            input(
                .tamper, "The housing's contact, an input; active while it is open.", example: "TAMPER"),
            choices("gpio.active-low", \.gpio.activeLow, "The lines that are active at the low level."),
            choices("gpio.pull-up", \.gpio.pulledUp, "The inputs with the chip's pull-up."),
            choices("gpio.pull-down", \.gpio.pulledDown, "The inputs with the chip's pull-down."),
            integer(
                "gpio.debounce-ms", \.gpio.debounceMilliseconds, debounces,
                "The minimum duration of an input's level. The range stays below the 400 ms of IEC 60839-11-1, from "
                    + "which no level may be missed."),
        ] + ownDebounces

    private static let debounces = 0...200

    private static let ownDebounces = DoorInput.allCases.map { input in
        integer(
            "gpio.\(input.rawValue)-debounce-ms", \.gpio.ownDebounceMilliseconds[input], debounces,
            "The same for gpio.\(input.rawValue) alone.", example: 20)
    }

    private static func input(_ line: ReaderSettings.GPIO.Line, _ meaning: String, example: String) -> SettingKey {
        self.line(line, meaning, absent: "Absent: none.", example: example)
    }

    private static func line(
        _ line: ReaderSettings.GPIO.Line, _ meaning: String, absent: String = "Absent: simulated.", example: String
    ) -> SettingKey {
        text(
            "gpio.\(line.rawValue)", \.gpio.lines[line], takes: "text: a line's name, or gpiochipN:LINE",
            "\(meaning) \(absent)",
            example: example, check: SettingChecks.notEmpty)
    }
}

extension DecodedSettings {
    /// Finds inputs that are pulled both up and down.
    mutating func checkInputs() {
        guard areSound(["gpio.pull-up", "gpio.pull-down"]) else { return }
        for input in settings.gpio.pulledUp where settings.gpio.pulledDown.contains(input) {
            addFault("gpio.pull-down", "\(SettingKey.quoted(input.rawValue)) is also in pull-up: remove one")
        }
    }
}
