// SPDX-License-Identifier: Apache-2.0

import Configuration
import OSDP
import Reader
import System
import Timekeeping

/// Reports for the polls of the panel: states, answers, cards.
extension PanelService {
    /// Reports the states of the door to the panel.
    func report(_ states: PanelStates) {
        let output = settings.obeysOutputs ? states.isUnlockedByPanel : states.isUnlocked
        // An order that the door has refused leaves the states as they were.
        guard states != self.states || device.outputStates != [output] else { return }
        self.states = states
        _ = device.setInput(0, isActive: states.isOpen)
        _ = device.setInput(1, isActive: states.isExitRequested)
        _ = device.setInput(2, isActive: states.isFire)
        device.setTampered(states.isTampered)
        device.setReaderConnected(states.isServing)
        _ = device.setInput(3, isActive: states.isUnlocked)
        device.refusesSwitchingOn = states.isShut
        _ = device.setOutput(0, isOn: output)
        settle()
    }

    /// Answers a question.
    func answer(_ data: [UInt8]) {
        let now = reactor.now
        act { device, _, effects in _ = device.report(manufacturer: data, at: now, effects: &effects) }
    }

    /// Queues the card of a credential that was shown at this time; false if it is no card, or too late.
    func present(_ credential: ShownCredential, since: Instant) -> Bool {
        guard let card = cards?.card(of: credential) else { return false }
        var isQueued = false
        let now = reactor.now
        // First, since the device drops a card at once if too many wait.
        waiting.append((card, credential.id))
        act { device, _, effects in isQueued = device.present(card, of: since, at: now, effects: &effects) }
        if !isQueued { waiting.removeLast() }
        return isQueued
    }

    func removeWaiting(_ card: OSDPCardData) -> String {
        guard let place = waiting.firstIndex(where: { $0.card == card }) else { return "" }
        return waiting.remove(at: place).credential
    }
}
