// SPDX-License-Identifier: Apache-2.0

import CardPolling
import Configuration
import NFC

extension ReaderSettings {
    /// The settings of the NFC front end. The frame has been checked.
    var polling: PollSettings {
        var polling = PollSettings()
        polling.role =
            switch nfc.role {
            case .target: .target
            case .poll: .poll
            case .both: .both
            }
        polling.pollingFrame = pollingFrame ?? []
        polling.roundInterval = .milliseconds(nfc.roundMilliseconds)
        polling.polling = .milliseconds(nfc.pollMilliseconds)
        polling.listening = .milliseconds(nfc.listenMilliseconds)
        return polling
    }
}
