// SPDX-License-Identifier: Apache-2.0

import Configuration
import Reader
import Timekeeping

/// The configured zone of the local time.
enum LocalZone {
    /// The system's directory of zones (tzdata).
    static let directory = "/usr/share/zoneinfo"

    /// Loads the zone's rule. Names consist of letters, digits and `_+-/`, so they stay in the directory.
    ///
    /// - Throws: An error for a file that is missing, invalid, or without local times since this build.
    static func load(
        _ settings: ReaderSettings, from directory: String = LocalZone.directory
    ) throws(ReaderdError) -> TimeZoneRule {
        guard let name = settings.reader.timeZone else {
            return TimeZoneRule(utcOffsetMinutes: settings.reader.utcOffsetMinutes)
        }
        let path = "\(directory)/\(name)"
        guard let contents = try FileContents.read(path, maximumCount: TimeZoneRule.maximumFileCount) else {
            throw .failed(
                "reader.time-zone: no \(path); check the name, install tzdata, or use reader.utc-offset-minutes")
        }
        let zone: TimeZoneRule
        do throws(TimeZoneError) { zone = try TimeZoneRule(file: contents.octets) } catch {
            throw .failed("reader.time-zone: \(path): \(error); reinstall tzdata, or use reader.utc-offset-minutes")
        }
        if let end = zone.knownUntil, end < Int64(FirmwareVersion.current.buildTime) {
            let day = LocalMinute.text(CivilTime(epochSeconds: end)).prefix(10)
            throw .failed("reader.time-zone: \(path) has no rule for times after \(day); name the zone another way")
        }
        return zone
    }

    /// Returns the error without the key's name, as a diagnostic on that key.
    static func diagnostic(_ error: ReaderdError) -> String {
        let text = "\(error)"
        let key = "reader.time-zone: "
        return text.hasPrefix(key) ? String(text.dropFirst(key.count)) : text
    }
}
