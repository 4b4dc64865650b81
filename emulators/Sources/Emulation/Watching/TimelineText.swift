// SPDX-License-Identifier: Apache-2.0

import Octets

/// The textual form of the timeline.
public struct TimelineText: Sendable {
    /// True if colours are used, for terminals.
    public var hasColour: Bool
    /// True if there are several devices, so that each line names its device.
    public var hasDevices: Bool

    /// A format with these properties.
    public init(hasColour: Bool, hasDevices: Bool) {
        self.hasColour = hasColour
        self.hasDevices = hasDevices
    }

    private enum Colour: String {
        case dim = "2"
        case red = "31"
        case green = "32"
        case yellow = "33"
        case cyan = "36"
    }

    /// One line: `   1.250  link 1  → wifi-failed  303 wifi-failed, 111 waiting, …`. An arrow to the right is from
    /// the app to the device.
    public func line(_ entry: TimelineEntry) -> String {
        let (colour, text) = TimelineText.words(entry)
        var line = paint(TextColumn.seconds(entry.at), .dim)
        if hasDevices { line += "  " + TextColumn.padded(entry.device.map { "device \($0 + 1)" } ?? "", 8) }
        line += "  " + TextColumn.padded(entry.link.map { "link \($0)" } ?? "", 7)
        return line + "  " + paint(text.printable, colour)
    }

    private func paint(_ text: String, _ colour: Colour?) -> String {
        guard hasColour, let colour else { return text }
        return "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m"
    }

    private static func words(_ entry: TimelineEntry) -> (Colour?, String) {
        let sentence = entry.sentence
        func step(_ mark: String, _ step: String) -> String { "\(mark) \(TextColumn.padded(step, 19))  \(sentence)" }
        return switch entry.event {
        case .ready, .listening: (.dim, sentence)
        case .controllerFailed: (.red, sentence)
        case .connected: (.green, "app → \(sentence)")
        case .disconnected(_, let byDevice): (.green, "app \(byDevice ? "←" : "→") \(sentence)")
        case .mtu, .secured, .subscribed: (nil, "app → \(sentence)")
        case .read(let name, _), .wrote(let name, _, _, _): (nil, step("app →", name))
        case .requested(let name, _, let result):
            (result.first == "2" || result == "ok" ? nil : .yellow, step("app →", name))
        case .understood(let name, _): (nil, step("     ", name))
        case .refused(let name, _, _): (.yellow, step("app ←", name))
        case .sent(let name, _, _, _): (.cyan, step("app ←", name))
        case .unsent(let name, _, _): (.yellow, step("app ✗", name))
        case .confirmed(let name): (.dim, step("app →", name))
        case .fault(let name, _): (.yellow, step("fault", name))
        case .device, .happened: (.dim, "      \(sentence)")
        case .command(_, let isTyped): (.dim, "\(isTyped ? "you:  " : "scenario: ")\(sentence)")
        case .finding(let finding): (.red, "!     \(finding.rule) (entry \(finding.entry)): \(sentence)")
        }
    }
}

extension TimelineEntry {
    /// The event in words, without its step: the text of the terminal and of a page.
    public var sentence: String {
        switch event {
        case .ready: "the controller is ready: waiting for apps"
        case .listening(let how): "ready \(how): waiting for apps"
        case .controllerFailed(let why): "the controller failed, and is started again: \(why)"
        case .connected(let peer): "connected from \(peer)"
        case .disconnected(let reason, let byDevice):
            byDevice ? "disconnected by the device" : "disconnected, reason 0x\(Hexadecimal.text([reason]))"
        case .mtu(let mtu): "ATT_MTU \(mtu)"
        case .secured(let text, _): text
        case .subscribed(let to, let notifications, let indications):
            "\(TimelineEntry.subscription(notifications, indications)) \(to)"
        case .read(_, let meaning): "read\(TimelineEntry.behind(meaning))"
        case .requested(_, let text, let result): "\(text): \(result)"
        case .wrote(_, let count, let withResponse, let meaning):
            "\(count) octets\(withResponse ? "" : ", no response wanted")\(TimelineEntry.behind(meaning))"
        case .refused(_, let error, let why):
            "refused, ATT error 0x\(Hexadecimal.text([error]))\(TimelineEntry.behind(why))"
        case .sent(_, _, let isIndication, let meaning): "\(isIndication ? "indication: " : "")\(meaning)"
        case .unsent(_, let why, _): "not sent: \(why)"
        case .confirmed: "confirmed"
        case .understood(_, let text), .fault(_, let text), .device(let text), .happened(_, let text),
            .command(let text, _):
            text
        case .finding(let finding): finding.sentence
        }
    }

    private static func subscription(_ notifications: Bool, _ indications: Bool) -> String {
        switch (notifications, indications) {
        case (true, true): "subscribed to notifications and indications of"
        case (true, false): "subscribed to notifications of"
        case (false, true): "subscribed to indications of"
        case (false, false): "unsubscribed from"
        }
    }

    private static func behind(_ text: String) -> String { text.isEmpty ? "" : ": \(text)" }
}
