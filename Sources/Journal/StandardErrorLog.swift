// SPDX-License-Identifier: Apache-2.0

public import Glibc
public import Logging
import Octets
import Synchronization
import Timekeeping

/// Log output on standard error: with the priority for the journal, with time and level for people.
///
/// Control characters are escaped, since a phone's text may be logged: one event is one line.
public struct StandardErrorLog: LogHandler {
    /// The destination of the lines.
    public enum Reader: Equatable, Sendable {
        /// systemd's journal, which adds the time and parses `<6>` as the priority (sd-daemon(3)).
        case journal
        /// A terminal or a file.
        case person
    }

    /// The logger's own level if it has one, else the program's.
    public var logLevel: Logger.Level {
        get { ownLevel ?? threshold.level }
        set { ownLevel = newValue }
    }
    private var ownLevel: Logger.Level?
    private let threshold: LogThreshold
    /// Fields of every line.
    public var metadata: Logger.Metadata = [:]
    /// The provider of further fields.
    public var metadataProvider: Logger.MetadataProvider?
    private let reader: Reader
    private let write: @Sendable (String) -> Void
    private let now: @Sendable () -> timespec

    /// Creates a handler that passes lines with their line feeds to `write`. The level can change while it runs.
    public init(
        threshold: LogThreshold, reader: Reader, now: @escaping @Sendable () -> timespec = StandardErrorLog.systemTime,
        write: @escaping @Sendable (String) -> Void
    ) {
        self.threshold = threshold
        self.reader = reader
        self.now = now
        self.write = write
    }

    /// Returns the logger of the program with this name.
    public static func logger(_ threshold: LogThreshold, label: String) -> Logger {
        let reader: Reader = isJournal(getenv("JOURNAL_STREAM").map { String(cString: $0) }) ? .journal : .person
        return Logger(label: label) { _ in
            let stream = LogStream(STDERR_FILENO)
            return StandardErrorLog(threshold: threshold, reader: reader) { stream.write($0) }
        }
    }

    /// True if standard error is the stream named by JOURNAL_STREAM as `device:inode` (systemd.exec(5)). The variable
    /// alone is not enough: child processes inherit it with other streams.
    static func isJournal(_ variable: String?, descriptor: Int32 = STDERR_FILENO) -> Bool {
        var status = stat()
        guard let variable, fstat(descriptor, &status) == 0 else { return false }
        return variable == "\(status.st_dev):\(status.st_ino)"
    }

    /// A field of every line.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes a line.
    public func log(event: LogEvent) {
        var fields = metadata
        if let provided = metadataProvider?.get() { fields.merge(provided) { $1 } }
        if let own = event.metadata { fields.merge(own) { $1 } }
        var line = prefix(event.level)
        line += event.message.description.printable
        if let error = event.error { line += ": \(error)".printable }
        for (key, value) in fields.sorted(by: { $0.key < $1.key }) { line += " \(key)=\(value)".printable }
        write(line + "\n")
    }

    private func prefix(_ level: Logger.Level) -> String {
        switch reader {
        case .journal: return "<\(StandardErrorLog.priority(level))>"
        case .person:
            let time = now()
            let civil = CivilTime(epochSeconds: Int64(time.tv_sec))
            let date = "\(civil.year)-\(civil.month.padded(to: 2))-\(civil.day.padded(to: 2))"
            let clock = "\(civil.hour.padded(to: 2)):\(civil.minute.padded(to: 2)):\(civil.second.padded(to: 2))"
            return "\(date)T\(clock).\((Int(time.tv_nsec) / 1_000_000).padded(to: 3))Z \(level) "
        }
    }

    /// Returns the priority of syslog(3) for a level.
    static func priority(_ level: Logger.Level) -> Int {
        switch level {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }

    /// The system clock.
    public static func systemTime() -> timespec {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return time
    }
}

/// The lowest logged level; may change at any time.
public final class LogThreshold: Sendable {
    private let place: Atomic<Int>

    /// Creates the threshold: lines of this level and above are logged.
    public init(_ level: Logger.Level) { place = Atomic(LogThreshold.place(level)) }

    /// The present level.
    public var level: Logger.Level {
        get { Logger.Level.allCases[place.load(ordering: .relaxed)] }
        set { place.store(LogThreshold.place(newValue), ordering: .relaxed) }
    }

    private static func place(_ level: Logger.Level) -> Int { Logger.Level.allCases.firstIndex(of: level) ?? 0 }
}
