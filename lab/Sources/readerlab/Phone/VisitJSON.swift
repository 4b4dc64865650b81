// SPDX-License-Identifier: Apache-2.0

import Statistics
import AccessProtocol
import CBOR
import JSON
import Octets
import Peripheral
import Phone
import Timekeeping

/// The steps of a visit as objects of JSON (docs/phone.md).
enum VisitJSON {
    static func step(_ step: VisitStep, _ visit: Int, _ sinceStart: Duration, _ took: Duration) -> String {
        var object = event(step.kind.rawValue, visit, sinceStart)
        object.add("took-ms", json: milliseconds(took))
        switch step {
        case .found(let sighting): object.add(contentsOf: self.sighting(sighting))
        case .connected(let peer, let interval):
            object.add("address", "\(peer)")
            object.add("interval-ms", json: milliseconds(interval))
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
        var object = JSONObject()
        object.add("event", "events")
        object.add("events", events.map { AnswerJSON.object($0) })
        return object.text
    }

    static func table(_ statistics: VisitStatistics) -> String {
        var object = JSONObject()
        object.add("event", "times")
        object.add("done", statistics.doneCount)
        object.add("failed", statistics.failedCount)
        let rows = statistics.rows.map { row in
            var object = JSONObject()
            object.add("step", row.step?.rawValue ?? "visit")
            object.add("n", row.count)
            object.add("min-ms", json: milliseconds(row.minimum))
            object.add("median-ms", json: milliseconds(row.median))
            if let p90 = row.p90 { object.add("p90-ms", json: milliseconds(p90)) }
            if let p99 = row.p99 { object.add("p99-ms", json: milliseconds(p99)) }
            object.add("max-ms", json: milliseconds(row.maximum))
            return object
        }
        object.add("steps", rows)
        return object.text
    }

    /// The members of a sighting.
    static func sighting(_ sighting: ReaderSighting) -> JSONObject {
        var object = JSONObject()
        object.add("address", "\(sighting.address)")
        if let mode = sighting.mode { object.add("mode", mode.rawValue) }
        if let name = sighting.name { object.add(sighting.mode == nil ? "name" : "reader", name) }
        if let rssi = sighting.rssi { object.add("rssi", rssi) }
        if let isFactory = sighting.isFactory { object.add("demo-keys", isFactory) }
        return object
    }

    private static func event(_ name: String, _ visit: Int, _ sinceStart: Duration) -> JSONObject {
        var object = JSONObject()
        object.add("event", name)
        object.add("visit", visit)
        object.add("at-ms", json: milliseconds(sinceStart))
        return object
    }

    /// A number with three decimals.
    static func milliseconds(_ duration: Duration) -> String {
        DecimalText.of(Double(duration.wholeNanoseconds) / 1_000_000, 3)
    }
}

/// The answers of a reader as JSON.
enum AnswerJSON {
    /// The result; nil where there is none.
    static func result(_ answer: ReaderAnswer) -> String? {
        switch answer {
        case .done: nil
        case .version(let version): object(version).text
        case .status(let status): object(status).text
        case .events(let events): list(events.map { object($0) })
        case .systemLog(let entries): list(entries.map { object($0) })
        case .time(let epoch): one("epoch-seconds", "\(epoch)")
        case .battery(let information): one("battery", JSONObject.quoted(AnswerText.text(information.batteryLevel)))
        case .map(let value): text(value)
        case .access(let result, let events): access(result, events)
        case .octets(let data): one("data", JSONObject.quoted(Hexadecimal.text(data)))
        }
    }

    private static func list(_ objects: [JSONObject]) -> String {
        "[" + objects.map(\.text).joined(separator: ",") + "]"
    }

    static func object(_ event: Event) -> JSONObject {
        var object = JSONObject()
        object.add("number", event.sequenceId)
        object.add("time", time(event.eventTime))
        object.add("id", event.eventId.rawValue)
        object.add("information", event.eventInfo)
        object.add("text", AnswerText.what(event))
        if let id = event.credentialId { object.add("credential", AnswerText.shown(id.id)) }
        if let command = event.command { object.add("command", AnswerText.shown(command)) }
        return object
    }

    private static func object(_ entry: SystemLogEntry) -> JSONObject {
        var object = JSONObject()
        object.add("number", entry.sequenceId)
        object.add("time", time(entry.time))
        object.add("severity", entry.severity.rawValue)
        object.add("message", AnswerText.shown(entry.message))
        object.add("file", AnswerText.shown(entry.file))
        object.add("line", entry.line)
        return object
    }

    private static func object(_ version: VersionInfo) -> JSONObject {
        var object = JSONObject()
        object.add("version", AnswerText.version(version.version))
        object.add("test-version", version.testVersion)
        object.add("build-time", version.buildTime)
        return object
    }

    private static func object(_ status: SystemStatus) -> JSONObject {
        var object = JSONObject()
        object.add("reader", AnswerText.shown(status.deviceId))
        object.add("serial-number", AnswerText.shown(status.serialNumber))
        object.add("configuration", AnswerText.shown(status.configId))
        object.add("hardware", status.hardwareType.rawValue)
        object.add("version", AnswerText.version(status.applicationVersion))
        object.add("clock", time(status.localTime))
        object.add("clock-set", status.settings.timeWasSet)
        object.add("battery", AnswerText.text(status.batteryLevel))
        if let lock = status.lock {
            object.add("door", AnswerText.door(lock.state))
            object.add("openings", lock.openings)
        }
        let settings = status.settings
        object.add("blacklist", json: log(settings.blacklistEntriesCount, settings.blacklistMaxEntriesCount, nil))
        object.add(
            "event-log",
            json: log(settings.eventLogEntriesCount, settings.eventLogMaxEntriesCount, settings.eventLogSequenceId))
        object.add(
            "system-log",
            json: log(settings.systemLogEntriesCount, settings.systemLogMaxEntriesCount, settings.systemLogSequenceId))
        return object
    }

    private static func log(_ count: UInt32, _ limit: UInt32, _ newest: UInt32?) -> String {
        var object = JSONObject()
        object.add("entries", count)
        object.add("limit", limit)
        if let newest { object.add("newest", newest) }
        return object.text
    }

    private static func access(_ result: OssAccessResult, _ events: [Event]) -> String {
        var object = JSONObject()
        object.add("granted", result.accessGranted)
        object.add("access-type", result.accessType.rawValue)
        object.add("door", AnswerText.door(LockState(rawValue: Int32(clamping: result.accessInfo))))
        if result.scheduleEndTime.year > 0 { object.add("until", time(result.scheduleEndTime)) }
        object.add("schedule-mismatch", result.scheduleMissmatch)
        object.add("events", events.map { self.object($0) })
        return object.text
    }

    private static func text(_ value: CBORValue) -> String {
        switch value {
        case .integer(let number): return "\(number)"
        case .octets(let octets): return JSONObject.quoted(Hexadecimal.text(octets))
        case .text(let text): return JSONObject.quoted(text)
        case .array(let elements): return "[" + elements.map(text).joined(separator: ",") + "]"
        case .map(let members):
            // A key that is no text has its JSON as a name.
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

    private static func one(_ name: String, _ json: String) -> String {
        var object = JSONObject()
        object.add(name, json: json)
        return object.text
    }

    private static func time(_ timestamp: LocalTimestamp) -> String {
        AnswerText.time(CivilTime(timestamp)).split(separator: " ").joined(separator: "T")
    }
}
