// SPDX-License-Identifier: Apache-2.0

import Devices
import Emulation
import MatterNode
import System
import Timekeeping

/// The entries of the timeline.
extension MatterEmulation {
    /// Records a step of the node, and the app's mistakes that it shows.
    func receive(_ notice: MatterNotice) {
        let entry: Int
        switch MatterWords.entry(notice) {
        case .request(let step, let text, let result): entry = report(.requested(step: step, text, result: result))
        case .event(let text):
            // Any host on the network can cause any number of these.
            switch notice {
            case .refused, .passcodeAttempt: guard repeats.admits(text, at: MonotonicClock.now) else { return }
            default: break
            }
            entry = report(.device(text))
        }
        for mistake in review.receive(notice) {
            timeline.mistake(
                mistake.rule, mistake.sentence, entry: entry, device: 0, link: nil, at: MonotonicClock.now)
        }
    }

    @discardableResult
    func report(_ event: TimelineEntry.Event, link: UInt32? = nil) -> Int {
        timeline.add(event, device: 0, link: link, at: MonotonicClock.now)
    }
}
