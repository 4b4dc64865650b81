import Scenario
import Timekeeping

/// A run for people: a line for each thing that happened, the strengths also as bars, and what it came to.
enum TimelineTable {
    /// Bars cover this range, in dBm; the gate's threshold is somewhere in the middle.
    private static let weakest = -100
    private static let strongest = -30
    private static let barCount = 24

    static func print(_ outcome: DemoOutcome) {
        for line in outcome.introduction { Swift.print(line) }
        Swift.print("")
        Swift.print("     time  who         what")
        Swift.print("---------  ----------  " + String(repeating: "-", count: 60))
        for entry in outcome.timeline { Swift.print(line(entry, threshold: outcome.threshold)) }
        Swift.print("")
        for phone in outcome.phones { Swift.print("\(pad(phone.name, 12))\(phone.summary)") }
        let pulses = outcome.lockPulses.map { seconds($0.wholeNanoseconds / 1_000_000) + " s" }
        Swift.print(
            "\(pad("lock", 12))opened \(pulses.count) time(s)"
                + (pulses.isEmpty ? "" : ": " + pulses.joined(separator: ", ")))
        if !outcome.isAsExpected { Swift.print("\nNot as expected: only the near phone should have opened the door.") }
    }

    private static func line(_ entry: TimelineEntry, threshold: Int) -> String {
        let time = leftPad(seconds(Int64(entry.seconds * 1000)), 7) + " s"
        var text = entry.text
        if entry.event == .measured, let rssi = entry.rssi { text = pad(text, 26) + bar(rssi, threshold: threshold) }
        return "\(time)  \(pad(entry.who, 10))  \(text)"
    }

    /// `▮▮▮▮▮▮▮▮┊▯▯▯▯`: the strength, and where the threshold is.
    private static func bar(_ dBm: Int, threshold: Int) -> String {
        let filled = cells(dBm)
        let mark = cells(threshold)
        return (0..<barCount).map { $0 == mark ? "┊" : $0 < filled ? "▮" : "·" }.joined()
    }

    private static func cells(_ dBm: Int) -> Int {
        min(max((dBm - weakest) * barCount / (strongest - weakest), 0), barCount)
    }

    private static func seconds(_ milliseconds: Int64) -> String {
        let fraction = String(milliseconds % 1000)
        return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
    }

    private static func pad(_ text: String, _ count: Int) -> String {
        text + String(repeating: " ", count: max(0, count - text.count))
    }

    private static func leftPad(_ text: String, _ count: Int) -> String {
        String(repeating: " ", count: max(0, count - text.count)) + text
    }
}
