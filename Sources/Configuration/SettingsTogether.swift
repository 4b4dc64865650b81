// SPDX-License-Identifier: Apache-2.0

import Reader

extension DecodedSettings {
    /// Finds faults and warnings in combinations of keys.
    mutating func checkTogether() {
        checkClock()
        checkModes()
        checkGates()
        checkGroups()
        checkDoor()
        checkInputs()
        checkNFC()
        checkDESFire()
        checkAliro()
        checkPKOC()
        checkMatterAliro()
        checkMatterPINs()
        checkLock()
        checkLights()
        checkOSDP()
        checkWiegand()
        checkPanel()
        checkOwners()
    }

    private mutating func checkClock() {
        guard isWritten("reader.time-zone"), isWritten("reader.utc-offset-minutes") else { return }
        let line = max(lines["reader.time-zone"] ?? 0, lines["reader.utc-offset-minutes"] ?? 0)
        diagnostic(
            SettingsDiagnostic(
                .fault, line: line, key: "reader.time-zone", "conflicts with reader.utc-offset-minutes: remove one"
            ))
    }

    private mutating func checkModes() {
        guard areSound(["advertising.modes", "proximity.gate"]) else { return }
        if settings.advertising.modes.isEmpty {
            report(.warning, "advertising.modes", "is empty: phones cannot find this reader")
        }
        // Phones open in mode classic by manual operation, so it needs no gate.
        checkPKOCMode()
        for mode in settings.advertising.modes
        where mode.isOfAccessProfile && mode != .classic && settings.proximity.gate(of: mode) == nil {
            report(
                .warning, "proximity.gate", or: "advertising.modes",
                "lacks the advertised mode \(SettingKey.quoted(mode.rawValue)): its phones are served at any distance")
        }
        for mode in ReaderSettings.Mode.allCases where settings.proximity.gate(of: mode) == nil {
            for key in lines.keys.filter({ $0.hasPrefix("proximity.\(mode.rawValue).") }).sorted() {
                report(.warning, key, "has no effect: proximity.gate lacks \(SettingKey.quoted(mode.rawValue))")
            }
        }
    }

    /// A phone of PKOC opens as soon as it is connected, so its links need a gate, and a list of keys.
    private mutating func checkPKOCMode() {
        guard settings.advertising.modes.contains(.pkoc) else { return }
        if settings.proximity.gate(of: .pkoc) == nil {
            report(
                .fault, "proximity.gate", or: "advertising.modes",
                "lacks \"pkoc\", whose phones open as they connect: add it, or remove the mode")
        }
        if areSound(["credentials.cards"]), settings.credentials.cards == nil {
            report(.warning, "advertising.modes", "mode \"pkoc\" refuses every phone: set credentials.cards")
        }
        if areSound(["credentials.pkoc-issuers"]), !settings.credentials.pkocIssuers.isEmpty {
            report(
                .fault, "advertising.modes", or: "credentials.pkoc-issuers",
                "mode \"pkoc\" shows no certificates of the issuers in credentials.pkoc-issuers: remove one of them")
        }
    }

    /// A gate that needs more measurements than fit its window never opens. A measurement due at the end of the window
    /// is not taken.
    private mutating func checkGates() {
        var faults: [(diagnostic: SettingsDiagnostic, modes: [String])] = []
        for mode in settings.proximity.gatedModes {
            let names = ["interval-ms", "samples", "window-ms"]
            let keys = names.flatMap { ["proximity.\($0)", "proximity.\(mode.rawValue).\($0)"] }
            let gate = settings.proximity.values(of: mode)
            guard areSound(keys), gate.samples * gate.intervalMilliseconds >= gate.windowMilliseconds else { continue }
            // The key on the last line is named, as it probably was added last.
            let written = keys.compactMap { key in lines[key].map { (line: $0, key: key) } }
            let last = written.max { $0.line < $1.line }
            let diagnostic = SettingsDiagnostic(
                .fault, line: last?.line, key: last?.key ?? "proximity",
                "would never open: \(gate.samples) samples, one every \(gate.intervalMilliseconds) ms, exceed the "
                    + "window of \(gate.windowMilliseconds) ms")
            if let same = faults.firstIndex(where: { $0.diagnostic == diagnostic }) {
                faults[same].modes.append(mode.rawValue)
            } else {
                faults.append((diagnostic, [mode.rawValue]))
            }
        }
        for var fault in faults {
            fault.diagnostic.text = "the gate of \(fault.modes.joined(separator: ", ")) \(fault.diagnostic.text)"
            diagnostic(fault.diagnostic)
        }
    }

    private mutating func checkLock() {
        guard areSound(["gpio.lock", "gpio.hardware-safe-state"]), settings.gpio.lines[.lock] != nil,
            !settings.gpio.hasHardwareSafeState
        else { return }
        report(
            .warning, "gpio.lock",
            "the level after an unexpected end of readerd depends on the chip's driver: have the wiring put the "
                + "lock in its fail mode, then set gpio.hardware-safe-state = true")
    }
}
