import Reader
import Timekeeping

/// The zone of the local time, as the configuration names it.
enum LocalZone {
    /// Where the system keeps its zones (tzdata).
    static let directory = "/usr/share/zoneinfo"

    /// The zone's rule. A name has letters, digits and `_+-/` only, so it stays in the directory.
    static func load(
        _ settings: ReaderSettings, from directory: String = LocalZone.directory
    ) throws(ReaderdError) -> TimeZoneRule {
        guard let name = settings.reader.timeZone else {
            return TimeZoneRule(utcOffsetMinutes: settings.reader.utcOffsetMinutes)
        }
        let path = "\(directory)/\(name)"
        guard let contents = try FileContents.read(path, maximumCount: TimeZoneRule.maximumFileCount) else {
            throw .failed(
                "reader.time-zone: there is no \(path): is the name right, and tzdata installed? "
                    + "reader.utc-offset-minutes does without")
        }
        do throws(TimeZoneError) { return try TimeZoneRule(file: contents.octets) } catch {
            throw .failed("reader.time-zone: \(path) is no zone with a rule for the present (\(error))")
        }
    }

    /// The error as a remark on the key, whose name stands there anyway.
    static func remark(_ error: ReaderdError) -> String {
        let text = "\(error)"
        let key = "reader.time-zone: "
        return text.hasPrefix(key) ? String(text.dropFirst(key.count)) : text
    }
}
