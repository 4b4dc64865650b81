import FoundationEssentials
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
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        for entry in outcome.timeline { Swift.print(try text(entry, encoder)) }
        let summary = Summary(
            phones: outcome.phones, lockPulsesMilliseconds: outcome.lockPulses.map(\.wholeMilliseconds),
            asExpected: outcome.isAsExpected)
        Swift.print(try text(summary, encoder))
    }

    private static func text(_ value: some Encodable, _ encoder: JSONEncoder) throws -> String {
        String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
