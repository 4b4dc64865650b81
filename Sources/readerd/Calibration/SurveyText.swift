// SPDX-License-Identifier: Apache-2.0

import GateTrial
import JSON
import Octets
import Proximity
import Reader
import Timekeeping

/// A survey's result for people and for programs.
enum SurveyText {
    /// The rates in a table, what they are worth, and the lines for the configuration.
    ///
    /// - Parameter ownGates: the modes that the lines do not change.
    static func lines(_ survey: SiteSurvey, ownGates: [String] = []) -> [String] {
        var rows = [["gate", "at the door", "95 % interval", "away", "95 % interval"]]
        rows.append(["in use: \(text(survey.present.gate))"] + cells(survey.present))
        if let proposed = survey.proposed { rows.append(["proposed: \(text(proposed.gate))"] + cells(proposed)) }
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        var lines = rows.map { row in
            let padded = row.enumerated().map { index, cell in
                let space = String(repeating: " ", count: widths[index] - cell.count)
                return index == 0 ? cell + space : space + cell
            }
            return padded.joined(separator: "  ")
        }
        lines += [""] + notes(survey)
        guard let proposed = survey.proposed else { return lines }
        lines += ["", "For readerd.toml, then reload the reader:", ""] + toml(proposed.gate)
        for mode in ownGates { lines.append("# [proximity.\(mode)] has its own values; change them there.") }
        return lines
    }

    /// The lines of the configuration.
    static func toml(_ gate: ProximityGate.Configuration) -> [String] {
        [
            "[proximity]", "threshold-dbm = \(gate.threshold)",
            "window-ms = \(gate.window.wholeMilliseconds)", "samples = \(gate.samples)",
        ]
    }

    private static func notes(_ survey: SiteSurvey) -> [String] {
        let door = survey.present.door, away = survey.present.away
        var lines = [
            "Windows of \(door?.traces ?? 0) walks at the door (\(door?.windows ?? 0)) and \(away?.traces ?? 0) away "
                + "(\(away?.windows ?? 0)); an interval counts walks.",
            "The proposed gate's rate at the door is of walks that it was not chosen by.",
        ]
        if door?.traces ?? 0 < reliable {
            lines.append(
                "Few walks: even \(reliable) without a failure show no more than 90 %. Add some: run it again.")
        }
        guard let proposed = survey.proposed else { return lines }
        guard let rate = proposed.away else {
            return lines + ["Nothing was measured away from the door: that it stays shut there is not known."]
        }
        if rate.share * 2 >= proposed.door?.share ?? 0 {
            lines.append("Signal strength does not tell the two places apart: it opens away nearly as often.")
        } else if rate.opened > 0 {
            lines.append("It also opens in \(percent(rate.share)) % of windows away.")
        }
        if rate.opened > 0 { lines.append("If that is too often: the phone in the hand, a lower --share, or NFC.") }
        return lines
    }

    /// The walks without a failure whose interval begins at 90 %.
    private static let reliable = 36

    private static func cells(_ outcome: SiteSurvey.Outcome) -> [String] {
        [outcome.door, outcome.away].flatMap { rate in
            guard let rate else { return ["-", "-"] }
            guard let interval = rate.interval else { return [percent(rate.share) + " %", "too few walks"] }
            return [
                percent(rate.share) + " %",
                "\(percent(interval.lowerBound))-\(percent(interval.upperBound)) %",
            ]
        }
    }

    private static func text(_ gate: ProximityGate.Configuration) -> String {
        "median of \(gate.samples) >= \(gate.threshold) dBm in \(gate.window.wholeMilliseconds) ms"
    }

    /// A share as per cent with a tenth.
    static func percent(_ share: Double) -> String {
        let tenths = Int((share * 1000).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    /// The result as JSON; docs/operate/gate.md describes it.
    static func json(_ survey: SiteSurvey, _ file: SurveyFile) -> JSONObject {
        ["traces": file.path, "present": outcome(survey.present), "proposed": survey.proposed.map(outcome).orNull]
    }

    private static func outcome(_ outcome: SiteSurvey.Outcome) -> JSONObject {
        [
            "threshold-dbm": outcome.gate.threshold, "window-ms": outcome.gate.window.wholeMilliseconds,
            "samples": outcome.gate.samples, "door": outcome.door.map(member), "away": outcome.away.map(member),
        ]
    }

    private static func member(_ rate: AcceptRate) -> JSONObject {
        [
            "walks": rate.traces, "windows": rate.windows, "opened": rate.opened, "share": number(rate.share),
            "interval": rate.interval.map { [number($0.lowerBound), number($0.upperBound)] },
        ]
    }

    /// A share from 0 to 1 with four digits, which every parser reads as the same.
    private static func number(_ share: Double) -> JSONLiteral {
        let digits = Int((share * 10_000).rounded())
        return JSONLiteral("\(digits / 10_000).\((digits % 10_000).padded(to: 4))")
    }
}
