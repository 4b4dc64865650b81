// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Protobuf

/// The limits of an answer with log entries (access protocol, 8.3 and 9).
enum PhoneAnswer {
    /// The maximum number of events in an answer to `EV_QUERY`, which is also what a phone requests.
    static let eventLimit = 40
    /// The maximum number of lines in an answer to `SL_QUERY`.
    static let lineLimit = 10
    /// The maximum length of a result in octets, including its length prefix.
    static let octetLimit = 1792
    /// The maximum length without the prefix, which has two octets at this size.
    private static let bodyLimit = octetLimit - 2

    /// Appends as many records as fit, from the first on. A phone continues after the last number received.
    static func append(_ records: [AuditRecord], to octets: inout [UInt8]) {
        var answer = EventLogResult()
        var used = 0
        var scratch: [UInt8] = []
        for record in records.prefix(eventLimit) {
            let event = record.phoneEvent
            used += size(of: EventLogResult(events: [event]), &scratch)
            guard used <= bodyLimit else { break }
            answer.events.append(event)
        }
        answer.encodeDelimited(into: &octets)
    }

    /// Appends as many lines as fit, from the first on.
    static func append(_ lines: [SystemLine], to octets: inout [UInt8]) {
        var answer = SystemLogResult()
        var used = 0
        var scratch: [UInt8] = []
        for line in lines.prefix(lineLimit) {
            let entry = line.phoneEntry
            used += size(of: SystemLogResult(entries: [entry]), &scratch)
            guard used <= bodyLimit else { break }
            answer.entries.append(entry)
        }
        answer.encodeDelimited(into: &octets)
    }

    /// The length of a list with one element, which is what the element adds to a longer list.
    private static func size(of list: some ProtobufMessage, _ scratch: inout [UInt8]) -> Int {
        scratch.removeAll(keepingCapacity: true)
        list.encode(into: &scratch)
        return scratch.count
    }
}
