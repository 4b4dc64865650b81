// SPDX-License-Identifier: Apache-2.0

import Emulation
import AccessProtocol
import CBOR
import Octets
import Phone
import Protobuf
import Timekeeping

/// The answers of a reader for people.
enum AnswerText {
    /// The lines of an answer; empty for an answer without content.
    static func lines(_ answer: ReaderAnswer) -> [String] {
        switch answer {
        case .done: []
        case .version(let version): [row("firmware", text(version))]
        case .status(let status): lines(status)
        case .events(let events): table(events)
        case .systemLog(let entries): entries.map(line)
        case .time(let epoch): [row("clock", "\(time(CivilTime(epochSeconds: Int64(epoch)))) UTC")]
        case .battery(let information): [row("battery", text(information.batteryLevel))]
        case .map(let value): lines(value, "")
        case .access(let result, let events): lines(result) + (events.isEmpty ? [] : table(events))
        case .octets(let data): [row("data", Hexadecimal.text(data))]
        }
    }

    /// The reader's clock as reported in STATUS.
    static func clock(_ status: SystemStatus) -> String {
        let clock = time(CivilTime(status.localTime))
        return row("clock", status.settings.timeWasSet ? "\(clock), the reader's local time" : "not set")
    }

    private static func lines(_ status: SystemStatus) -> [String] {
        let settings = status.settings
        var lines = [
            row("reader", "\(shown(status.deviceId)), serial number \(shown(status.serialNumber))"),
            row("hardware", hardware(status.hardwareType)), row("firmware", version(status.applicationVersion)),
            row("settings", status.configId.isEmpty ? "its own" : "configuration \(shown(status.configId))"),
            clock(status), row("battery", text(status.batteryLevel)),
        ]
        if let lock = status.lock { lines.append(row("door", "\(door(lock.state)), \(lock.openings) openings")) }
        return lines + [
            row("blacklist", "\(settings.blacklistEntriesCount) of \(settings.blacklistMaxEntriesCount) entries"),
            row(
                "event log",
                "\(settings.eventLogEntriesCount) of \(settings.eventLogMaxEntriesCount), the newest is number "
                    + "\(settings.eventLogSequenceId)"),
            row(
                "system log",
                "\(settings.systemLogEntriesCount) of \(settings.systemLogMaxEntriesCount), the newest is number "
                    + "\(settings.systemLogSequenceId)"),
        ]
    }

    private static func lines(_ result: OssAccessResult) -> [String] {
        guard result.accessGranted else { return [row("access", "denied")] }
        let how =
            switch result.accessType {
            case .defaultTime: "for the default time"
            case .extendedTime: "for the extended time"
            case .toggle: "toggled"
            default: "type \(result.accessType.rawValue)"
            }
        let end = CivilTime(result.scheduleEndTime)
        return [row("access", "granted, \(how)" + (end.year == 0 ? "" : ", until \(time(end))"))]
    }

    private static func line(_ entry: SystemLogEntry) -> String {
        let place = "\(shown(entry.file)):\(entry.line)"
        return row("\(entry.sequenceId)", "\(time(CivilTime(entry.time)))  \(shown(entry.message))  \(place)")
    }

    private static func lines(_ value: CBORValue, _ path: String) -> [String] {
        switch value {
        case .map(let members):
            return members.map { (key: plain($0.key), value: $0.value) }.sorted { $0.key < $1.key }
                .flatMap { lines($0.value, path.isEmpty ? $0.key : "\(path).\($0.key)") }
        case .array(let elements) where !elements.isEmpty:
            return elements.enumerated().flatMap { lines($0.element, "\(path)[\($0.offset)]") }
        default: return ["  " + TextColumn.padded(path, 36, gap: 1) + plain(value)]
        }
    }

    private static func plain(_ value: CBORValue) -> String {
        switch value {
        case .integer(let number): "\(number)"
        case .octets(let octets): Hexadecimal.text(octets)
        case .text(let text): printable(text)
        case .boolean(let flag): "\(flag)"
        case .null: "none"
        case .array, .map: "none"
        }
    }

    private static func row(_ name: String, _ text: String) -> String {
        "  " + TextColumn.padded(name, 12, gap: 1) + text
    }

    // MARK: Words

    /// `2026-11-22 13:00:07`.
    static func time(_ time: CivilTime) -> String {
        let minute = LocalMinute.text(time).split(separator: "T").joined(separator: " ")
        return "\(minute):\(time.second.padded(to: 2))"
    }

    static func text(_ version: VersionInfo) -> String {
        let test = version.testVersion == 0 ? "" : ", test version \(version.testVersion)"
        return "\(self.version(version.version))\(test), built "
            + "\(time(CivilTime(epochSeconds: Int64(version.buildTime)))) UTC"
    }

    /// A version such as `1.2`; the major number is in the high octet.
    static func version(_ number: UInt32) -> String { "\(number >> 8).\(number & 0xFF)" }

    static func text(_ level: BatteryLevel) -> String {
        switch level {
        case .onPower: "mains"
        case .good: "good"
        case .low: "low"
        case .critical: "critical"
        case .almostEmpty: "almost empty"
        default: "unknown"
        }
    }

    static func hardware(_ type: HardwareType) -> String {
        type == .wallReader ? "wall reader" : "type \(type.rawValue)"
    }

    static func door(_ state: LockState) -> String {
        switch state {
        case .locked: "locked"
        case .unlocked: "unlocked"
        case .jammed: "jammed"
        default: "unknown"
        }
    }

    /// A reader's text with every octet outside printable ASCII replaced by `?`, since a terminal could execute it.
    static func shown<let capacity: Int>(_ octets: BoundedBytes<capacity>) -> String {
        var bytes: [UInt8] = []
        octets.append(to: &bytes)
        return String(decoding: bytes.map { 0x20...0x7E ~= $0 ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }

    private static func printable(_ text: String) -> String {
        String(
            String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 || 0x7F...0x9F ~= $0.value ? "?" : $0 }))
    }
}
