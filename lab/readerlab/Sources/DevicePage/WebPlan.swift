// SPDX-License-Identifier: Apache-2.0

import DevicePrograms

/// A command of `readerlab` with a page: the program that runs, and the parts of its page.
package struct WebPlan {
    /// The commands that run until they are ended.
    private static let shown = ["demo", "scenario", "emulate", "air", "pins", "watch", "fleet"]

    private let command: [String]

    /// Nil for a command without a page.
    package init?(_ command: [String]) {
        guard let first = command.first, WebPlan.shown.contains(first),
            first != "fleet" || command.dropFirst().first == "collect"
        else { return nil }
        self.command = command
    }

    /// The command of a kind of device, or of the collector.
    private var kind: String? { command.dropFirst().first }

    /// The view of the page.
    var view: WebPage.View {
        switch command.first {
        case "air", "scenario", "demo": .site
        case "watch": .reader
        case "fleet": .fleet
        default: .device
        }
    }

    /// False for programs that are only watched.
    var takesLines: Bool { view != .reader && view != .fleet }

    /// The faults that the page offers; nil for none.
    var faults: [FaultTable.Row]? { takesLines ? FaultTable.rows(of: kind ?? "") : nil }

    /// The pins that the page serves; nil for none.
    var pins: WebPins? {
        switch command.first {
        case "pins": .bench
        case "emulate" where kind == "reader": .door
        default: nil
        }
    }

    /// The arguments of the program: a scenario is played, and its page begins it.
    var arguments: [String] {
        let program =
            switch command.first {
            case "scenario": ["play", "--paused"] + command.dropFirst()
            case "demo": ["play"] + command.dropFirst()
            case "air": command + ["--plan"]
            default: command
            }
        return program + (command.contains("--json") ? [] : ["--json"])
            + (command.prefix(2) == ["emulate", "bandit"] ? ["--pictures"] : [])
    }
}
