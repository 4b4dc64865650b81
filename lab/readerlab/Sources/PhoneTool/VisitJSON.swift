// SPDX-License-Identifier: Apache-2.0

import Emulation
import Statistics
import AccessProtocol
import CBOR
import JSON
import Octets
import Peripheral
import Phone
import Timekeeping

/// The steps of a visit as objects of JSON (docs/emulators/phone.md).
enum VisitJSON {
    static func step(_ step: VisitStep, _ visit: Int, _ sinceStart: Duration, _ took: Duration) -> String {
        var object = event(step.kind.rawValue, visit, sinceStart)
        object.add("took-ms", json: milliseconds(took))
        switch step {
        case .found(let sighting): object.add(contentsOf: self.sighting(sighting))
        case .connected(let peer, let interval):
            object.add(contentsOf: ["address": "\(peer)", "interval-ms": JSONLiteral(milliseconds(interval))])
        case .mtu(let mtu): object.add("mtu", mtu)
        case .selected(let id): object.add("reader", id)
        case .services, .touched, .handshake: break
        case .token(let request): object.add("request", request.name)
        case .answer(let request, let answer):
            object.add("request", request.name)
            if let result = AnswerJSON.result(answer) { object.add("result", json: result) }
        }
        return object.text
    }

    static func end(_ failure: VisitFailure?, _ visit: Int, _ sinceStart: Duration) -> String {
        guard let failure else { return event("done", visit, sinceStart).text }
        var object = event("failed", visit, sinceStart)
        object.add("stage", failure.stage.rawValue)
        switch failure.cause {
        case .ended(let reason): object.add("reason", reason.rawValue)
        case .notConnected(let status): object.add("reason", status.rawValue)
        case .refusedByCard(let status):
            object.add("status-word", status.padded(to: 4, radix: 16, uppercase: true))
        case .session(let session):
            if let status = session.terminal { object.add("status", status.rawValue) }
            object.add("code", session.code.rawValue)
        case .denied(let result): object.add("access-type", result.accessType.rawValue)
        default: break
        }
        let explanation = failure.explanation
        object.add("text", explanation.what)
        object.add("remedy", explanation.remedy)
        return object.text
    }

    static func events(_ events: [Event]) -> String {
        (["event": "events", "events": events.map { AnswerJSON.object($0) }] as JSONObject).text
    }

    static func table(_ statistics: VisitStatistics) -> String {
        let rows = statistics.rows.map { row -> JSONObject in
            [
                "step": row.step?.rawValue ?? "visit", "n": row.count,
                "min-ms": JSONLiteral(milliseconds(row.minimum)), "median-ms": JSONLiteral(milliseconds(row.median)),
                "p90-ms": row.p90.map { JSONLiteral(milliseconds($0)) },
                "p99-ms": row.p99.map { JSONLiteral(milliseconds($0)) },
                "max-ms": JSONLiteral(milliseconds(row.maximum)),
            ]
        }
        let object: JSONObject = [
            "event": "times", "done": statistics.doneCount, "failed": statistics.failedCount, "steps": rows,
        ]
        return object.text
    }

    /// The members of a sighting.
    static func sighting(_ sighting: ReaderSighting) -> JSONObject {
        [
            "address": "\(sighting.address)", "mode": sighting.mode?.rawValue,
            sighting.mode == nil ? "name" : "reader": sighting.name, "rssi": sighting.rssi,
            "demo-keys": sighting.isFactory,
        ]
    }

    private static func event(_ name: String, _ visit: Int, _ sinceStart: Duration) -> JSONObject {
        ["event": name, "visit": visit, "at-ms": JSONLiteral(milliseconds(sinceStart))]
    }

    /// A number with three decimals.
    static func milliseconds(_ duration: Duration) -> String {
        DecimalText.of(Double(duration.wholeNanoseconds) / 1_000_000, 3)
    }
}

/// The answers of a reader as JSON.
enum AnswerJSON {
    /// The result, or nil.
    static func result(_ answer: ReaderAnswer) -> String? {
        switch answer {
        case .done: nil
        case .version(let version): object(version).text
        case .status(let status): object(status).text
        case .events(let events): events.map { object($0) }.json
        case .systemLog(let entries): entries.map { object($0) }.json
        case .time(let epoch): one("epoch-seconds", epoch)
        case .battery(let information): one("battery", AnswerText.text(information.batteryLevel))
        case .map(let value): text(value)
        case .access(let result, let events): access(result, events).text
        case .octets(let data): one("data", Hexadecimal.text(data))
        }
    }

    static func object(_ event: Event) -> JSONObject {
        [
            "number": event.sequenceId, "time": time(event.eventTime), "id": event.eventId.rawValue,
            "information": event.eventInfo, "text": AnswerText.what(event),
            "credential": event.credentialId.map { AnswerText.shown($0.id) },
            "command": event.command.map { AnswerText.shown($0) },
        ]
    }

    private static func object(_ entry: SystemLogEntry) -> JSONObject {
        [
            "number": entry.sequenceId, "time": time(entry.time), "severity": entry.severity.rawValue,
            "message": AnswerText.shown(entry.message), "file": AnswerText.shown(entry.file), "line": entry.line,
        ]
    }

    private static func object(_ version: VersionInfo) -> JSONObject {
        [
            "version": AnswerText.version(version.version), "test-version": version.testVersion,
            "build-time": version.buildTime,
        ]
    }

    private static func object(_ status: SystemStatus) -> JSONObject {
        let settings = status.settings
        return [
            "reader": AnswerText.shown(status.deviceId), "serial-number": AnswerText.shown(status.serialNumber),
            "configuration": AnswerText.shown(status.configId), "hardware": status.hardwareType.rawValue,
            "version": AnswerText.version(status.applicationVersion), "clock": time(status.localTime),
            "clock-set": status.settings.timeWasSet, "battery": AnswerText.text(status.batteryLevel),
            "door": status.lock.map { AnswerText.door($0.state) }, "openings": status.lock?.openings,
            "blacklist": log(settings.blacklistEntriesCount, settings.blacklistMaxEntriesCount, nil),
            "event-log": log(
                settings.eventLogEntriesCount, settings.eventLogMaxEntriesCount, settings.eventLogSequenceId),
            "system-log": log(
                settings.systemLogEntriesCount, settings.systemLogMaxEntriesCount, settings.systemLogSequenceId),
        ]
    }

    private static func log(_ count: UInt32, _ limit: UInt32, _ newest: UInt32?) -> JSONObject {
        ["entries": count, "limit": limit, "newest": newest]
    }

    private static func access(_ result: OssAccessResult, _ events: [Event]) -> JSONObject {
        [
            "granted": result.accessGranted, "access-type": result.accessType.rawValue,
            "door": AnswerText.door(LockState(rawValue: Int32(clamping: result.accessInfo))),
            "until": result.scheduleEndTime.year > 0 ? time(result.scheduleEndTime) : nil,
            "schedule-mismatch": result.scheduleMissmatch, "events": events.map { object($0) },
        ]
    }

    private static func text(_ value: CBORValue) -> String {
        switch value {
        case .integer(let number): return "\(number)"
        case .octets(let octets): return JSONObject.quoted(Hexadecimal.text(octets))
        case .text(let text): return JSONObject.quoted(text)
        case .array(let elements): return "[" + elements.map(text).joined(separator: ",") + "]"
        case .map(let members):
            // A key that is not text is named by its JSON.
            let named = members.map { key, value -> (name: String, value: CBORValue) in
                if case .text(let name) = key { return (name, value) }
                return (text(key), value)
            }
            var object = JSONObject()
            for member in named.sorted(by: { $0.name < $1.name }) { object.add(member.name, json: text(member.value)) }
            return object.text
        case .boolean(let flag): return "\(flag)"
        case .null: return "null"
        }
    }

    private static func one(_ name: String, _ value: some JSONWritable) -> String { ([name: value] as JSONObject).text }

    private static func time(_ timestamp: LocalTimestamp) -> String {
        AnswerText.time(CivilTime(timestamp)).split(separator: " ").joined(separator: "T")
    }
}
