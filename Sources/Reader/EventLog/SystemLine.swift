public import AccessProtocol
import Protobuf
import Timekeeping

/// A line of the system log: what went wrong inside the reader, for whoever maintains it. It is not chained.
public struct SystemLine: Hashable, Sendable {
    /// How bad it is (access protocol, 8.3).
    public enum Severity: Int32, CaseIterable, Sendable {
        /// Something does not work.
        case error = 1
        /// Something may not work.
        case warning = 2
        /// It is worth knowing.
        case information = 3
        /// Only for finding faults.
        case debug = 4
    }

    /// How many lines are kept; a phone reads 50 at most.
    public static let limit = 200
    static let fileLimit = 32
    static let messageLimit = 128

    /// Its number, ascending from 1; 0 before it is stored.
    public var sequence: UInt64 = 0
    /// When.
    public var time: AuditTime
    /// How bad.
    public var severity: Severity
    /// The source file that it comes from, or what takes its place.
    public var file: String
    /// The line there.
    public var line: UInt32
    /// What there is to say. Never a key, a token or a whole credential.
    public var message: String

    /// A line with these parts.
    public init(time: AuditTime, severity: Severity, file: String, line: UInt32, message: String) {
        self.time = time
        self.severity = severity
        self.file = file
        self.line = line
        self.message = message
    }

    /// The line as a phone reads it; what is too long is cut, and what is not ASCII is a question mark.
    public var phoneEntry: SystemLogEntry {
        SystemLogEntry(
            sequenceId: UInt32(truncatingIfNeeded: sequence),
            time: LocalTimestamp(time.local ?? CivilTime(year: 0, month: 0, day: 0)),
            severity: LogSeverity(rawValue: severity.rawValue), line: line,
            file: SystemLine.bounded(file, to: SystemLine.fileLimit),
            message: SystemLine.bounded(message, to: SystemLine.messageLimit))
    }

    private static func bounded<let count: Int>(_ text: String, to limit: Int) -> BoundedBytes<count> {
        let octets = text.unicodeScalars.prefix(limit).map { 0x20...0x7E ~= $0.value ? UInt8($0.value) : 0x3F }
        return BoundedBytes(copying: octets.span) ?? BoundedBytes()
    }
}

/// Which lines of the system log are asked for.
public struct SystemLineQuery: Equatable, Sendable {
    /// The lowest number.
    public var first: UInt64 = 0
    /// The most lines to answer with.
    public var limit: Int
    /// Whether the newest come first; else the oldest.
    public var isNewestFirst = false

    /// The oldest lines, this many at most.
    public init(limit: Int) { self.limit = limit }

    /// What a phone asks for by `SL_QUERY`; never more than fit its answer. Without a start, the oldest.
    public init(_ query: SystemLogQuery) {
        limit = Int(min(query.maxCount, UInt32(SystemLogResult.entriesLimit)))
        switch query.start {
        case .sequenceId(let first): self.first = UInt64(first)
        case .fromHead(let isNewestFirst): self.isNewestFirst = isNewestFirst
        case nil: break
        }
    }
}
