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
        switch entry.event {
        case .ready: (.dim, "the controller is ready: waiting for apps")
        case .listening(let how): (.dim, "ready \(how): waiting for apps")
        case .controllerFailed(let why): (.red, "the controller failed, and is started again: \(why)")
        case .connected(let peer): (.green, "app → connected from \(peer)")
        case .disconnected(let reason, let byDevice):
            (
                .green,
                byDevice
                    ? "app ← disconnected by the device" : "app → disconnected, reason 0x\(Hexadecimal.text([reason]))"
            )
        case .mtu(let mtu): (nil, "app → ATT_MTU \(mtu)")
        case .secured(let text, _): (nil, "app → \(text)")
        case .subscribed(let to, let notifications, let indications):
            (nil, "app → \(subscription(notifications, indications)) \(to)")
        case .read(let step, let meaning): (nil, "app → \(TextColumn.padded(step, 19))  read\(behind(meaning))")
        case .requested(let step, let text, let result):
            (
                result.first == "2" || result == "ok" ? nil : .yellow,
                "app → \(TextColumn.padded(step, 19))  \(text): \(result)"
            )
        case .wrote(let step, let count, let withResponse, let meaning):
            (
                nil,
                "app → \(TextColumn.padded(step, 19))  \(count) octets\(withResponse ? "" : ", no response wanted")\(behind(meaning))"
            )
        case .understood(let step, let meaning): (nil, "      \(TextColumn.padded(step, 19))  \(meaning)")
        case .refused(let step, let error, let why):
            (
                .yellow,
                "app ← \(TextColumn.padded(step, 19))  refused, ATT error 0x\(Hexadecimal.text([error]))\(behind(why))"
            )
        case .sent(let step, _, let isIndication, let meaning):
            (.cyan, "app ← \(TextColumn.padded(step, 19))  \(isIndication ? "indication: " : "")\(meaning)")
        case .unsent(let step, let why, _): (.yellow, "app ✗ \(TextColumn.padded(step, 19))  not sent: \(why)")
        case .confirmed(let step): (.dim, "app → \(TextColumn.padded(step, 19))  confirmed")
        case .fault(let step, let text): (.yellow, "fault \(TextColumn.padded(step, 19))  \(text)")
        case .device(let text), .happened(_, let text): (.dim, "      \(text)")
        case .command(let text, let isTyped): (.dim, "\(isTyped ? "you:  " : "scenario: ")\(text)")
        case .finding(let finding): (.red, "!     \(finding.rule) (entry \(finding.entry)): \(finding.sentence)")
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
