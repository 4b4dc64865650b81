// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Configuration
import EventStore
import Glibc
import JSON
import Octets
import Reader
import Remote
import Timekeeping

/// `readerd check-config`: checks a configuration file, and compares it with the configuration pushed by a backend.
struct CheckConfigCommand {
    let options: CheckConfigOptions
    let console: Console

    /// Prints the findings. Returns the exit status: 1 for a fault in the file or in the pushed configuration.
    func perform() throws(ReaderdError) -> Int32 {
        let loaded = try SettingsFile.loadWithPlaces(options.path)
        var decoded = loaded.decoded
        decoded.checkFiles()
        if let directory = options.stateDirectory { try compare(&decoded, withIdentityIn: directory) }
        let pushed = try options.stateDirectory.map { directory throws(ReaderdError) in
            try PushedSettings.load(from: directory, over: decoded.settings)
        }
        let isSound = !decoded.hasFaults && pushed?.fault == nil
        let effective =
            try options.isPrinting && !decoded.hasFaults ? inForce(decoded.settings, loaded.places, pushed) : nil
        if options.isJSON {
            console.print(report(decoded, pushed, effective, isSound: isSound))
            return isSound ? 0 : 1
        }
        for diagnostic in decoded.diagnostics { console.complain(SettingsFile.line(diagnostic, of: options.path)) }
        if let fault = pushed?.fault { console.complain(fault) }
        if let effective {
            for line in effective.lines { console.print(line) }
        } else {
            if !decoded.hasFaults { console.print("\(options.path): ok") }
            for line in pushed?.lines ?? [] { console.print(line) }
        }
        for (day, name) in holidays(decoded) { console.print("\(day)  \(name.printable)") }
        return isSound ? 0 : 1
    }

    /// The configuration in force: of the file, and what the state directory puts over it.
    private func inForce(
        _ settings: ReaderSettings, _ places: [String: SettingPlace], _ pushed: PushedSettings?
    ) throws(ReaderdError) -> EffectiveSettings {
        var effective = EffectiveSettings(settings, path: options.path, places: places)
        guard let directory = options.stateDirectory else { return effective }
        let state = try StateDirectory(existing: directory)
        var settings = settings
        if let door = try UsableIdentity.load(from: state).door {
            try door.apply(to: &settings)
            effective.replace(by: settings, .identity)
        }
        if let pushed { effective.replace(by: pushed) }
        if let key = try EventLogKey.existing(in: state),
            let kept = try StoredPolicy(in: state, key: key).document()?.settings[DesiredState.setting]
        {
            guard let (version, desired) = DesiredState.kept(kept) else {
                throw .failed("\(directory): the desired state is unreadable: its settings are not in use")
            }
            let permitted = settings.link.maySet
            effective.replace(
                by: desired.applied(to: settings, permitted: permitted), keys: desired.keys(permitted),
                .desired(version: version))
        }
        return effective
    }

    /// The days of `--holidays`, as `2027-03-26 fri`, with their names.
    private func holidays(_ decoded: DecodedSettings) -> [(day: String, name: String)] {
        guard let year = options.holidays, !decoded.hasFaults else { return [] }
        return decoded.settings.credentialPolicy.holidays.days(of: year).map { day, name in
            (day: "\(LocalMinute.text(day).prefix(10)) \(GroupLine.weekdays[day.weekday])", name: name)
        }
    }

    /// Adds the faults of the identity that a start would refuse.
    private func compare(_ decoded: inout DecodedSettings, withIdentityIn directory: String) throws(ReaderdError) {
        let state = try StateDirectory(existing: directory)
        func addFault(_ text: String) {
            var fault = SettingsDiagnostic(.fault, line: nil, key: "", text)
            fault.file = state.path
            decoded.diagnostics.append(fault)
        }
        do throws(ReaderdError) {
            let usable = try UsableIdentity.load(from: state)
            if let fault = usable.fault { addFault(fault) }
            for (key, text) in usable.door?.differences(from: decoded.settings) ?? [] { decoded.addFault(key, text) }
            try IdentityFiles.check(usable.identity, mayDrive: decoded.settings)
        } catch {
            addFault(error.description)
        }
    }

    private func report(
        _ decoded: DecodedSettings, _ pushed: PushedSettings?, _ effective: EffectiveSettings?, isSound: Bool
    ) -> String {
        let remarks = decoded.diagnostics.map { diagnostic -> JSONObject in
            [
                "severity": diagnostic.severity.rawValue, "file": diagnostic.file, "line": diagnostic.line,
                "key": diagnostic.key, "text": diagnostic.text,
            ]
        }
        let report: JSONObject = [
            "ok": isSound, "file": options.path, "remarks": remarks, "pushed": pushed.map { $0.report.orNull },
            "configuration": effective?.objects,
            "holidays": options.holidays.map { _ in
                holidays(decoded).map { day, name -> JSONObject in ["date": String(day.prefix(10)), "name": name] }
            },
        ]
        return report.text
    }
}

/// The configuration pushed by a backend, as stored in a state directory, compared with the file's.
struct PushedSettings {
    /// One pushed value.
    struct Entry: Equatable {
        /// The value, its field in the message and the keys that it overrides.
        var written: PushedConfiguration.Written
        /// The file's values, given or by default, by key.
        var file: [(key: String, value: String)]
        /// True if `reader.phones-may-set` permits it.
        var holds: Bool

        static func == (a: Entry, b: Entry) -> Bool {
            a.written == b.written && a.holds == b.holds && a.file.map(\.key) == b.file.map(\.key)
                && a.file.map(\.value) == b.file.map(\.value)
        }

        var isSame: Bool { file.count == 1 && file[0].value == written.value }
    }

    /// The state directory.
    let directory: String
    /// The name of the pushed configuration; nil for none.
    private(set) var name: String?
    private(set) var entries: [Entry] = []
    /// The fault in one line; nil for none.
    private(set) var fault: String?

    /// Reads the stored policy; a running reader may be writing it.
    static func load(from directory: String, over settings: ReaderSettings) throws(ReaderdError) -> PushedSettings {
        let state = try StateDirectory(existing: directory)
        var pushed = PushedSettings(directory: directory)
        // Without a key the reader has never run, so nothing was pushed.
        guard let key = try EventLogKey.existing(in: state) else { return pushed }
        let kept = try StoredPolicy(in: state, key: key).document()?.settings[PushedConfiguration.setting]
        if let kept { pushed.decode(kept, over: settings) }
        return pushed
    }

    private init(directory: String) { self.directory = directory }

    private mutating func decode(_ kept: [UInt8], over settings: ReaderSettings) {
        do throws(StatusCode) {
            let configuration = try PushedConfiguration(kept: kept)
            name = configuration.name
            entries = configuration.written.map { written in
                let file = SettingKey.all.filter { written.keys.contains($0.name) }.compactMap { key in
                    key.written(settings).map { (key.name, $0) }
                }
                return Entry(written: written, file: file, holds: written.holds(with: settings))
            }
        } catch {
            fault =
                "\(directory): the pushed configuration is unusable (status \(error.rawValue)), the file's applies; "
                + "have the backend push it again"
        }
    }

    /// The findings for people: a line for each value.
    var lines: [String] {
        guard fault == nil else { return [] }
        guard let name else { return ["\(directory): no pushed configuration"] }
        let shown = name.printable
        return ["\(directory): pushed \"\(shown)\", with precedence over the file:"]
            + entries.map { entry in
                let file = entry.file.map { "\($0.key) = \($0.value)" }.joined(separator: ", ")
                let instead =
                    entry.isSame
                    ? "as in the file"
                    : entry.holds ? "instead of \(file)" : "ignored: not in reader.phones-may-set; \(file)"
                return "  \(entry.written.keys[0]) = \(entry.written.value), \(instead) (\(entry.written.field))"
            }
    }

    /// The findings as JSON; nil if nothing was pushed.
    var report: JSONObject? {
        if let fault { return ["fault": fault] }
        guard let name else { return nil }
        let values = entries.map { entry -> JSONObject in
            var file = JSONObject()
            for (key, value) in entry.file { file.add(key, json: value) }
            // The values are numbers, texts and lists of texts, which TOML and JSON write alike.
            return [
                "field": entry.written.field, "key": entry.written.keys[0], "holds": entry.holds,
                "value": JSONLiteral(entry.written.value), "file": file,
            ]
        }
        return ["config-id": name, "values": values]
    }
}
