// SPDX-License-Identifier: Apache-2.0

import Configuration
import NFC

extension ReaderSettings.NFC {
    /// The settings of the front end. The frame has been checked.
    var polling: PollSettings {
        var polling = PollSettings()
        polling.role =
            switch role {
            case .target: .target
            case .poll: .poll
            case .both: .both
            }
        polling.pollingFrame = pollingFrame.flatMap { PollingFrame($0) }?.octets ?? []
        polling.roundInterval = .milliseconds(roundMilliseconds)
        polling.polling = .milliseconds(pollMilliseconds)
        polling.listening = .milliseconds(listenMilliseconds)
        return polling
    }
}
