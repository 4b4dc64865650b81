// SPDX-License-Identifier: Apache-2.0

import Reader
import Testing

@testable import Configuration

/// `[lights]`: the standing signs.
@Suite struct LightSettingsTests {
    private func decoded(_ values: [(String, SettingsEntry.Value)]) -> DecodedSettings {
        DecodedSettings(
            values.enumerated().map { SettingsEntry(path: $1.0, value: $1.1, line: $0 + 1, column: 1) })
    }

    private func lights(_ settings: ReaderSettings) -> [SignLight?] {
        DoorSign.allCases.map { settings.doorConfiguration.signals.signs[$0] }
    }

    private let withPanel: [SignLight] = [.off, .green, .green, .red, .off]

    @Test func redIsLockedAndGreenIsOpen() {
        #expect(lights(ReaderSettings()) == [.red, .green, .greenBlinking, .redBlinking, .amber])
        var plain = ReaderSettings().doorConfiguration
        plain.signals.signs = DoorSignals.signs(\.lightWithPanel)
        #expect(plain == ReaderSettings().door.configuration)
    }

    /// The lights are a panel's, or the lock is not the reader's to observe.
    @Test func withAPanelTheyAreOff() {
        var line = ReaderSettings()
        line.osdp.line = "/dev/ttyS2"
        #expect(lights(line) == withPanel)
        var cards = ReaderSettings()
        cards.wiegand.lines = ["D0", "D1"]
        #expect(lights(cards) == lights(ReaderSettings()), "the reader decides")
        cards.wiegand.mode = .panel
        #expect(lights(cards) == withPanel)
    }

    @Test func eachSignHasItsKey() {
        let decoded = decoded([
            ("lights.locked", .string("off")), ("lights.open", .string("amber")),
            ("lights.held-open", .string("green")), ("lights.lockdown", .string("amber-blinking")),
            ("lights.fault", .string("red-blinking")), ("osdp.line", .string("/dev/ttyS2")),
        ])
        #expect(decoded.diagnostics == [])
        #expect(lights(decoded.settings) == [.off, .amber, .green, .amberBlinking, .redBlinking])
    }

    @Test func anUnknownLightIsAFault() {
        #expect(
            decoded([("lights.locked", .string("blue"))]).diagnostics.map(\.text) == [
                "\"blue\" is unknown: needs \"off\", \"red\", \"green\", \"amber\", \"red-blinking\", "
                    + "\"green-blinking\" or \"amber-blinking\""
            ])
    }

    /// Green alone would say that the door is open.
    @Test func aGreenLightAloneShowsNoAmber() {
        var settings = ReaderSettings()
        settings.gpio.lines[.grantedIndicator] = "GREEN"
        #expect(lights(settings).last == .off)
        settings.gpio.lines[.deniedIndicator] = "RED"
        #expect(lights(settings).last == .amber)
        let decoded = decoded([
            ("gpio.led-granted", .string("GREEN")), ("lights.fault", .string("amber")),
            ("lights.locked", .string("red")),
        ])
        #expect(lights(decoded.settings).last == .off)
        #expect(decoded.diagnostics.map(\.severity) == [.warning])
        #expect(decoded.diagnostics.map(\.key) == ["lights.fault"])
    }

    /// The value that `check-config --print` shows for a key that is not written.
    @Test func theImpliedLightIsInForce() throws {
        let key = try #require(SettingKey.all.first { $0.name == "lights.fault" })
        var settings = ReaderSettings()
        #expect(key.written(settings) == nil && key.implied(settings) == "\"amber\"")
        settings.osdp.line = "/dev/ttyS2"
        #expect(key.implied(settings) == "\"off\"")
    }
}
