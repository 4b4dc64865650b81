// SPDX-License-Identifier: Apache-2.0

import Octets
public import Scenario
import Timekeeping

/// A run as a table: a line for each event, and a summary. Consecutive readings of one link share a line, as do edges
/// of the same instant.
public enum TimelineTable {
    private static let readingsPerLine = 10

    static func print(_ outcome: DemoOutcome) {
        for line in outcome.introduction { Swift.print(line) }
        Swift.print("")
        for line in lines(outcome.timeline) { Swift.print(line) }
        Swift.print("")
        for phone in outcome.phones { Swift.print("\(pad(phone.name, 12))\(phone.summary)") }
        let pulses = outcome.lockPulses.map { seconds($0.wholeMilliseconds) + " s" }
        let list = pulses.isEmpty ? "" : ": " + pulses.joined(separator: ", ")
        Swift.print("\(pad("lock", 12))opened \(pulses.count) time(s)\(list)")
        for violation in outcome.violations { Swift.print("a host broke a rule: \(violation)") }
        if !outcome.isAsExpected { Swift.print("\nNot as expected: only the near phone should have opened the door.") }
    }

    /// The events as lines, below a head.
    public static func lines(_ timeline: [TimelineEntry]) -> [String] {
        ["     time  who         what", "---------  ----------  " + String(repeating: "-", count: 72)]
            + groups(timeline).map(line)
    }

    /// Groups the entries that share a line.
    private static func groups(_ timeline: [TimelineEntry]) -> [[TimelineEntry]] {
        var groups: [[TimelineEntry]] = []
        for entry in timeline {
            if let last = groups.last, let first = last.first, belongs(entry, to: first, count: last.count) {
                groups[groups.count - 1].append(entry)
            } else {
                groups.append([entry])
            }
        }
        return groups
    }

    private static func belongs(_ entry: TimelineEntry, to first: TimelineEntry, count: Int) -> Bool {
        guard entry.event == first.event else { return false }
        switch entry.event {
        case .measured: return entry.link == first.link && count < readingsPerLine
        case .edge: return entry.seconds == first.seconds
        default: return false
        }
    }

    private static func line(_ group: [TimelineEntry]) -> String {
        guard let first = group.first else { return "" }
        let time = leftPad(seconds(Int64((first.seconds * 1000).rounded(.down))), 7) + " s"
        return "\(time)  \(pad(first.who, 10))  \(text(group, first))"
    }

    private static func text(_ group: [TimelineEntry], _ first: TimelineEntry) -> String {
        switch first.event {
        case .measured:
            let readings = group.compactMap(\.rssi).map(String.init).joined(separator: " ")
            return "link \(first.link ?? 0): RSSI \(readings) dBm"
        case .edge: return group.map(\.text).joined(separator: ", ")
        default: return first.text
        }
    }

    private static func seconds(_ milliseconds: Int64) -> String {
        "\(milliseconds / 1000)." + (milliseconds % 1000).padded(to: 3)
    }

    private static func pad(_ text: String, _ count: Int) -> String {
        text + String(repeating: " ", count: max(0, count - text.count))
    }

    private static func leftPad(_ text: String, _ count: Int) -> String {
        String(repeating: " ", count: max(0, count - text.count)) + text
    }
}
