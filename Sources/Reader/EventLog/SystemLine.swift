// SPDX-License-Identifier: Apache-2.0

public import AccessProtocol
import Protobuf
import Timekeeping

/// A line of the system log: an internal fault, for maintenance. Not part of the chain.
public struct SystemLine: Hashable, Sendable {
    /// The severity (access protocol, 8.3).
    public enum Severity: Int32, CaseIterable, Sendable {
        /// A function does not work.
        case error = 1
        /// A function may not work.
        case warning = 2
        /// For information.
        case information = 3
        /// For diagnosis only.
        case debug = 4
    }

    /// The number of lines kept; a phone reads 50 at most.
    public static let limit = 200
    static let fileLimit = 32
    static let messageLimit = 128

    /// The sequence number, ascending from 1; 0 before the line is stored.
    public var sequence: UInt64 = 0
    /// The time.
    public var time: AuditTime
    /// The severity.
    public var severity: Severity
    /// The source file, or a substitute.
    public var file: String
    /// The line number in the file.
    public var line: UInt32
    /// The message. Never contains a key, a token or a whole credential.
    public var message: String

    /// Creates a line with these parts.
    public init(time: AuditTime, severity: Severity, file: String, line: UInt32, message: String) {
        self.time = time
        self.severity = severity
        self.file = file
        self.line = line
        self.message = message
    }

    /// The line as an entry for phones. Texts that are too long are cut, and characters other than ASCII become
    /// question marks.
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

/// A query for lines of the system log.
public struct SystemLineQuery: Equatable, Sendable {
    /// The lowest sequence number.
    public var first: UInt64 = 0
    /// The maximum number of lines.
    public var limit: Int
    /// True for the newest first, false for the oldest first.
    public var isNewestFirst = false

    /// Creates a query for the oldest lines.
    public init(limit: Int) { self.limit = limit }

    /// Creates the query from a phone's `SL_QUERY`, limited to the size of an answer. Without a start, the oldest
    /// first.
    public init(_ query: SystemLogQuery) {
        limit = Int(min(query.maxCount, UInt32(SystemLogResult.entriesLimit)))
        switch query.start {
        case .sequenceId(let first): self.first = UInt64(first)
        case .fromHead(let isNewestFirst): self.isNewestFirst = isNewestFirst
        case nil: break
        }
    }
}
