// SPDX-License-Identifier: Apache-2.0

import Configuration
import OSDP
import Reader
import Testing
import Timekeeping

@testable import readerd

/// A panel's orders for light and buzzer, as signs of the door (docs/operate/osdp.md).
@Suite struct PanelSignalsTests {
    private func at(_ milliseconds: Int) -> Instant { .origin + .milliseconds(milliseconds) }

    private let red = OSDPLightOrder(
        setsPermanent: true, permanentBlinking: OSDPLightOrder.Blinking(onColor: .red))
    private let green = OSDPLightOrder(
        temporary: .start, temporaryBlinking: OSDPLightOrder.Blinking(onColor: .green), temporaryTenths: 10)

    @Test func nothingBeforeAnOrderAndAfterTheEnd() {
        var signals = PanelSignals(.panel)
        #expect(signals.signs(at: at(0)) == PanelSigns())
        signals.apply(red, at: at(0))
        signals.apply(OSDPBuzzerOrder(tone: .usual, onTenths: 1, offTenths: 1, count: 0), at: at(0))
        #expect(signals.change(at: at(0)) == signals.signs(at: at(0)))
        #expect(signals.change(at: at(50)) == nil)
        signals.end()
        #expect(signals.change(at: at(50)) == PanelSigns())
        #expect(signals.signs(at: at(0)) == PanelSigns() && signals.nextChange(after: at(0)) == nil)
    }

    @Test func ranksOfAPanelThatDecides() {
        var signals = PanelSignals(.panel)
        signals.apply(red, at: at(0))
        #expect(signals.signs(at: at(0)).light == PanelSigns.Light(granted: false, denied: true, .middle))
        signals.apply(green, at: at(0))
        #expect(signals.signs(at: at(0)).light == PanelSigns.Light(granted: true, denied: false, .first))
        #expect(signals.nextChange(after: at(0)) == at(1000))
        #expect(signals.signs(at: at(1000)).light?.rank == .middle)
        signals.apply(OSDPBuzzerOrder(tone: .usual, onTenths: 1, offTenths: 1, count: 2), at: at(0))
        #expect(signals.signs(at: at(100)).sound == PanelSigns.Sound(isOn: false, .first))
        #expect(signals.nextChange(after: at(0)) == at(100))
        #expect(signals.signs(at: at(300)).sound == nil)
        signals.apply(OSDPBuzzerOrder(tone: .usual, onTenths: 1, offTenths: 1, count: 0), at: at(0))
        #expect(signals.signs(at: at(0)).sound == PanelSigns.Sound(isOn: true, .middle))
    }

    @Test func aPanelThatIsToldComesLast() {
        var signals = PanelSignals(.report)
        signals.apply(green, at: at(0))
        signals.apply(OSDPBuzzerOrder(tone: .usual, onTenths: 1, offTenths: 0, count: 1), at: at(0))
        #expect(signals.signs(at: at(0)).light?.rank == .last && signals.signs(at: at(0)).sound?.rank == .last)
    }

    @Test func colours() {
        for (color, granted, denied) in [
            (OSDPLightOrder.Color.off, false, false), (.red, false, true), (.green, true, false), (.amber, true, true),
            (.blue, false, false), (.magenta, false, true), (.cyan, true, false), (.white, true, true),
        ] {
            var signals = PanelSignals(.panel)
            var order = red
            order.permanentBlinking.onColor = color
            signals.apply(order, at: at(0))
            #expect(signals.signs(at: at(0)).light == PanelSigns.Light(granted: granted, denied: denied, .middle))
        }
    }

    @Test(arguments: [
        (nil, nil, nil, 0, OSDPConfiguration.LightColors.two, false), ("A", nil, nil, 1, .one, false),
        (nil, "B", nil, 1, .one, false), ("A", "B", "C", 1, .two, true), (nil, nil, "C", 0, .two, true),
    ])
    func theEquipmentIsThatOfTheConfiguredLines(
        _ green: String?, _ red: String?, _ buzzer: String?, _ lights: Int, _ colors: OSDPConfiguration.LightColors,
        _ hasBuzzer: Bool
    ) {
        var settings = ReaderSettings()
        (settings.gpio.lines[.grantedIndicator], settings.gpio.lines[.deniedIndicator]) = (green, red)
        settings.gpio.lines[.buzzer] = buzzer
        let device = settings.osdp.device(serial: 1, keptLine: nil, settings.gpio)
        #expect(device.lights == lights && device.hasBuzzer == hasBuzzer && !device.hasDisplay)
        #expect(lights == 0 || device.lightColors == colors)
    }
}
