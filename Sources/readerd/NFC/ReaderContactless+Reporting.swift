// SPDX-License-Identifier: Apache-2.0

import JSON
import NFC

extension ReaderContactless {
    /// The member of the status, in its own place.
    var report: JSONObject {
        let polled = contactless.pollCounts
        return [
            "connection": contactless.connection, "role": contactless.role.rawValue,
            "state": contactless.state.name, "failures": contactless.failures,
            "activations": contactless.activations, "rounds": polled.rounds, "cards": polled.cards,
            "rejected": polled.rejected, "lost": polled.lost, "recoveries": polled.recoveries,
        ]
    }
}
