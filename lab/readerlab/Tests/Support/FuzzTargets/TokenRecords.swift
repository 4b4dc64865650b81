// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Protobuf
import Reader
import Timekeeping

/// The event store of a reader under test: its answers, and its checks of the requests.
enum TokenRecords {
    /// A sound answer, of as many and as long records as the input says.
    static func answer(to work: StorageWork, _ input: inout FuzzInput) -> StorageAnswer {
        let choice = input.octet()
        switch work {
        case .counters:
            var counters = LogCounters()
            (counters.eventLimit, counters.events) = (UInt32(choice), .max)
            (counters.lastEvent, counters.lastLine) = (choice & 1 == 0 ? 0 : .max, UInt64(choice))
            return .counters(counters)
        case .events(let query):
            return .events((0..<min(Int(choice), query.limit)).map { record(UInt64($0), choice) })
        case .systemLines(let query):
            return .systemLines((0..<min(Int(choice), query.limit)).map { line($0, choice) })
        case .clock: finding("the disk is asked for the time")
        case .clearEvents, .clearSystemLines, .blacklist, .setting: return .done
        }
    }

    private static func record(_ number: UInt64, _ choice: UInt8) -> AuditRecord {
        var event = AuditEvent(
            AuditKind(rawValue: UInt16(choice)), at: time, info: .min, channel: .bluetooth, credential: "CRED000001",
            command: choice & 1 == 0 ? "EV_QUERY" : "\u{1F511}\u{1F511}", actor: "uid 1000", detail: "")
        event.mark = .max
        return AuditRecord(sequence: .max - number, event: event)
    }

    private static func line(_ number: Int, _ choice: UInt8) -> SystemLine {
        var line = SystemLine(
            time: time, severity: .error, file: String(repeating: "f", count: Int(choice)), line: .max,
            message: String(repeating: choice & 1 == 0 ? "m" : "\u{1F511}", count: Int(choice)))
        line.sequence = .max - UInt64(number)
        return line
    }

    private static let time = AuditTime(
        epochSeconds: 253_402_300_799, utcOffsetMinutes: 840, quality: .phone, uptimeMilliseconds: .max)

    /// Requires that an event has a record, within the size limit.
    static func check(_ event: AuditEvent) {
        var octets: [UInt8] = []
        AuditRecord(sequence: .max, event: event).encode(into: &octets)
        require(octets.count <= AuditRecord.octetLimit, "a record of \(octets.count) octets")
    }

    /// Requires that kept data can be read again.
    static func check(_ request: StorageRequest) {
        switch request.work {
        case .setting(PushedConfiguration.setting, let octets?):
            do throws(StatusCode) { _ = try PushedConfiguration(kept: octets) } catch {
                finding("a configuration that is kept and cannot be read: \(error.rawValue)")
            }
        case .clearEvents(let event): check(event)
        case .blacklist(.put(let rows)), .blacklist(.replace(let rows)):
            require(rows.allSatisfy { OSSCredentialID($0.credential) != nil }, "a row without a name")
        default: break
        }
    }
}
