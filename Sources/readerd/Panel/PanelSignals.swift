// SPDX-License-Identifier: Apache-2.0

import Configuration
import OSDP
import Reader
import Timekeeping

/// The light and the buzzer as a panel has ordered them, and their place among the reader's own signs.
///
/// With mode `report` they are behind all of those. With mode `panel` orders for a time are before the signs of grants
/// and refusals, and lasting ones behind these, so that a person sees a refusal of the reader, of which the panel does
/// not know.
struct PanelSignals {
    private let mode: ReaderSettings.PanelMode
    private var light = OSDPLight()
    private var buzzer = OSDPBuzzer()
    private var told = PanelSigns()

    init(_ mode: ReaderSettings.PanelMode) { self.mode = mode }

    mutating func apply(_ order: OSDPLightOrder, at now: Instant) { light.execute(order, at: now) }

    mutating func apply(_ order: OSDPBuzzerOrder, at now: Instant) { buzzer.execute(order, at: now) }

    /// The end of all orders.
    mutating func end() { (light, buzzer) = (OSDPLight(), OSDPBuzzer()) }

    /// The time of the next change without an order.
    func nextChange(after now: Instant) -> Instant? {
        Instant.earlier(light.nextChange(after: now), buzzer.nextChange(after: now))
    }

    /// The signs, if they have changed since the last call.
    mutating func change(at now: Instant) -> PanelSigns? {
        let signs = signs(at: now)
        defer { told = signs }
        return signs == told ? nil : signs
    }

    /// The signs. A colour lights the indicators that it is made of: amber both, blue neither.
    func signs(at now: Instant) -> PanelSigns {
        var signs = PanelSigns()
        if let color = light.color(at: now) {
            signs.light = PanelSigns.Light(
                granted: color.hasGreen, denied: color.hasRed, rank(isTimed: light.isTimed(at: now)))
        }
        if buzzer.isPlaying(at: now) {
            signs.sound = PanelSigns.Sound(isOn: buzzer.isSounding(at: now), rank(isTimed: !buzzer.isEndless))
        }
        return signs
    }

    private func rank(isTimed: Bool) -> PanelSigns.Rank {
        switch mode {
        case .report: .last
        case .panel: isTimed ? .first : .middle
        }
    }
}
