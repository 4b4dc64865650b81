// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Timekeeping

/// The user of the device: observes what a pairing displays, and answers its questions.
struct DevicePairing {
    let answers: EmulationSettings.Answers

    /// Handles an event of pairing; false if the event concerns something else.
    func receive(_ event: HostEvent, _ host: inout Host, _ notices: inout DeviceNotices, at now: Instant) -> Bool {
        switch event {
        case .displayPasskey(let link, let passkey): notices.report(.passkeyDisplayed(link, passkey))
        case .requestPasskey(let link):
            notices.report(.passkeyWanted(link))
            if let passkey = answers.passkey { _ = host.enterPasskey(link, passkey, at: now) }
        case .compare(let link, let number):
            notices.report(.compared(link, number))
            if let isSame = answers.comparison { _ = host.answerComparison(link, isSame, at: now) }
        case .securityChanged(let link, let level):
            notices.report(.securityChanged(link, level, peer: host.provenPeer(link)))
        case .bondRemoved(let link, let identity): notices.report(.bondRemoved(link, identity))
        case .paired(let link, let error): notices.report(.paired(link, storeError: error))
        case .pairingFailed(let link, let failure): notices.report(.pairingFailed(link, failure))
        default: return false
        }
        return true
    }
}
