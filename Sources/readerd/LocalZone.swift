import Reader
import Timekeeping

/// The configured zone of the local time.
enum LocalZone {
    /// The system's directory of zones (tzdata).
    static let directory = "/usr/share/zoneinfo"

    /// Loads the zone's rule. Names consist of letters, digits and `_+-/`, so they stay in the directory.
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

    /// Returns the error without the key's name, as a remark on that key.
    static func remark(_ error: ReaderdError) -> String {
        let text = "\(error)"
        let key = "reader.time-zone: "
        return text.hasPrefix(key) ? String(text.dropFirst(key.count)) : text
    }
}
