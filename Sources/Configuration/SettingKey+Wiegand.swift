// SPDX-License-Identifier: Apache-2.0

extension SettingKey {
    static let wiegand: [SettingKey] =
        [
            list(
                "wiegand.lines", \.wiegand.lines,
                takes: "a list of two lines, each a name or gpiochipN:LINE",
                "The lines DATA0 and DATA1 of an access panel by Wiegand: docs/operate/wiegand.md. Empty: none.",
                write: \.self, read: { $0.isEmpty ? nil : $0 }, problem: "is no line"),
            boolean(
                "wiegand.active-low", \.wiegand.isActiveLow,
                "The low level of the GPIO lines pulls those of the panel down. By default the high one does, by a "
                    + "transistor each."),
            choice(
                "wiegand.mode", \.wiegand.mode,
                "The side that decides. \"report\": the reader, which reports to the panel. \"panel\": the reader "
                    + "verifies the phone, hands its number on, and the panel moves its own lock."),
        ]
        + cards(
            "wiegand", \.wiegand.cards.decisions, \.wiegand.cards.format, facility: \.wiegand.cards.facility,
            pattern: \.wiegand.cards.pattern, fascN: \.wiegand.cards.fascN,
            pkoc: \.wiegand.cards.pkocBits, desfire: \.wiegand.cards.desfireBits) + [
            integer("wiegand.pulse-us", \.wiegand.pulseMicroseconds, 20...100, "The duration of a pulse."),
            integer(
                "wiegand.interval-us", \.wiegand.intervalMicroseconds, 200...20_000,
                "The time from the start of a pulse to the next."),
        ]
}

extension DecodedSettings {
    /// Finds contradictions in `[wiegand]`.
    mutating func checkWiegand() {
        let wiegand = settings.wiegand
        checkCards("wiegand", wiegand.cards)
        guard wiegand.isConnected, areSound(["wiegand.lines"]) else { return }
        guard wiegand.lines.count == 2 else { return addFault("wiegand.lines", "needs two lines, DATA0 and DATA1") }
        if settings.osdp.line != nil, isWritten("osdp.line") {
            addFault("wiegand.lines", "conflicts with osdp.line: a reader has one panel; remove one")
        }
        if wiegand.mode == .panel, settings.gpio.lines[.lock] != nil, isWritten("gpio.lock") {
            addFault(
                "wiegand.mode",
                "\"panel\" conflicts with gpio.lock: a panel by Wiegand moves its own lock; remove one")
        }
    }
}
