// SPDX-License-Identifier: Apache-2.0

import Scenario
import Timekeeping

/// A run as JSON: one object per line, the last one a summary.
enum TimelineJSON {
    private struct Summary: Encodable {
        let event = "summary"
        let phones: [DemoOutcome.PhoneResult]
        let lockPulsesMilliseconds: [Int64]
        let asExpected: Bool

        enum CodingKeys: String, CodingKey {
            case event, phones
            case lockPulsesMilliseconds = "lock-pulses-ms"
            case asExpected = "as-expected"
        }
    }

    static func print(_ outcome: DemoOutcome) throws {
        for entry in outcome.timeline { Swift.print(try JSONText.line(entry)) }
        let summary = Summary(
            phones: outcome.phones, lockPulsesMilliseconds: outcome.lockPulses.map(\.wholeMilliseconds),
            asExpected: outcome.isAsExpected)
        Swift.print(try JSONText.line(summary))
    }
}
