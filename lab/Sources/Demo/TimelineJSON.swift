// SPDX-License-Identifier: Apache-2.0

import Scenario
import Timekeeping

/// A run as JSON: one object per line, the last one a summary.
enum TimelineJSON {
    static func print(_ outcome: DemoOutcome) throws {
        for entry in outcome.timeline { Swift.print(try JSONText.line(entry)) }
        Swift.print(
            try JSONText.line([
                "event": "summary", "phones": outcome.phones,
                "lock-pulses-ms": outcome.lockPulses.map(\.wholeMilliseconds), "as-expected": outcome.isAsExpected,
            ]))
    }
}
