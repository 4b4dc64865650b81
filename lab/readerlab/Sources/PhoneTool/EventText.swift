// SPDX-License-Identifier: Apache-2.0

import Commands
import AccessProtocol
import Emulation
import Phone
import Reader
import Timekeeping

extension AnswerText {
    /// Events as a table with a head, in the given order.
    static func table(_ events: [Event]) -> [String] {
        guard !events.isEmpty else { return ["no events"] }
        let rows = [["number", "time", "event", "credential", "command"]] + events.map(cells)
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = row.enumerated()
                .map {
                    $0.offset == 0
                        ? VisitText.right($0.element, widths[0])
                        : TextColumn.padded($0.element, widths[$0.offset] + 2, gap: 1)
                }
            let line = cells[0] + "  " + cells.dropFirst().joined()
            return TextTable.trimmed(line)
        }
    }

    private static func cells(_ event: Event) -> [String] {
        [
            "\(event.sequenceId)", time(CivilTime(event.eventTime)), what(event),
            event.credentialId.map { shown($0.id) } ?? "", event.command.map { shown($0) } ?? "",
        ]
    }

    /// The event in words (docs/operate/events.md).
    static func what(_ event: Event) -> String {
        switch event.eventId {
        case .batteryLow: "battery low"
        case .batteryReplaced: "battery replaced"
        case .jammed: "lock jammed"
        case .system: system(event.eventInfo)
        case .internalError: "internal error \(event.eventInfo)"
        case .failedToUnlock: "failed to unlock"
        case .tampering: "tampering"
        case .blacklistedCredential: "called back"
        case .blacklistFull: "blacklist full"
        case .accessGranted: "granted" + access(EventAccessInfo(rawValue: event.eventInfo))
        case .accessDenied: "denied" + access(EventAccessInfo(rawValue: event.eventInfo))
        case .crcError: "damaged data"
        case .terminalCommand: "command" + status(event.eventInfo)
        case .terminalOss: "credential" + status(event.eventInfo)
        default: "event \(event.eventId.rawValue), \(event.eventInfo)"
        }
    }

    private static func system(_ information: Int32) -> String {
        switch information {
        case 1: "restart"
        case 2: "new configuration"
        // The project's own profile: a kind of the reader's log.
        case 1000...1999: AuditKind(rawValue: UInt16(information - 1000)).name
        default: "system \(information)"
        }
    }

    private static func access(_ information: EventAccessInfo) -> String {
        switch information {
        case .granted, .grantedDefault, .denied: ""
        case .grantedExtended: ", extended"
        case .toggleUnlock: ", held open"
        case .toggleLock: ", secured"
        case .deniedBlacklisted: ", called back"
        case .deniedValidity: ", validity"
        case .deniedSchedule: ", schedule"
        default: ", \(information.rawValue)"
        }
    }

    private static func status(_ code: Int32) -> String {
        guard code != 0 else { return "" }
        guard let code = Int16(exactly: code) else { return ", \(code)" }
        return ", status \(StatusCode(rawValue: code).explained)"
    }
}
