import AccessProtocol
import Protobuf

/// What of the logs fits one answer to a phone (access protocol, 8.3 and 9).
enum PhoneAnswer {
    /// The most events in an answer to `EV_QUERY`; a phone asks for as many.
    static let eventLimit = 40
    /// The most lines in an answer to `SL_QUERY`.
    static let lineLimit = 10
    /// The most octets of a result, its length included.
    static let octetLimit = 1792
    /// A message of this size has two octets of length.
    private static let bodyLimit = octetLimit - 2

    /// Appends as many of the records as fit, from the first on: a phone goes on with the number after the last that
    /// it received.
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

    /// Appends as many of the lines as fit, from the first on.
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

    /// How many octets a list of one element has, which is what the element adds to a longer one.
    private static func size(of list: some ProtobufMessage, _ scratch: inout [UInt8]) -> Int {
        scratch.removeAll(keepingCapacity: true)
        list.encode(into: &scratch)
        return scratch.count
    }
}
