// SPDX-License-Identifier: Apache-2.0

import Configuration
import GPIO
import Peripheral

/// The place of a key.
struct SettingPlace: Equatable {
    /// The path of the file.
    var file: String
    /// The line, from 1.
    var line: Int
}

/// A configuration file.
enum SettingsFile {
    /// The maximum size in octets, far above any configuration's.
    static let maximumCount = 64 * 1024

    /// Loads the configuration at `path` with its fragments; the defaults if the file is missing and may be.
    static func load(_ path: String, mayBeMissing: Bool = false) throws(ReaderdError) -> DecodedSettings {
        try loadWithPlaces(path, mayBeMissing: mayBeMissing).decoded
    }

    /// Loads the configuration like `load`, with the place of each key that a file has.
    static func loadWithPlaces(
        _ path: String, mayBeMissing: Bool = false
    ) throws(ReaderdError) -> (decoded: DecodedSettings, places: [String: SettingPlace]) {
        let contents = try FileContents.read(path, maximumCount: maximumCount)
        guard contents != nil || mayBeMissing else {
            throw .failed("\(path): no such file; start from docs/readerd.toml")
        }
        let octets = contents?.octets ?? []
        let fragments = SettingsFragments(beside: path, own: octets.span)
        var decoded = decode(octets.span, fragments)
        checkZone(&decoded)
        decoded.diagnostics = decoded.diagnostics.map(fragments.place) + fragments.diagnostics
        var places: [String: SettingPlace] = [:]
        for (key, line) in decoded.lines {
            let placed = fragments.place(SettingsDiagnostic(.notice, line: line, key: key, ""))
            places[key] = SettingPlace(file: placed.file ?? path, line: placed.line ?? line)
        }
        return (decoded, places)
    }

    /// Checks that the system has the time zone.
    private static func checkZone(_ decoded: inout DecodedSettings) {
        guard decoded.settings.reader.timeZone != nil else { return }
        do throws(ReaderdError) { _ = try LocalZone.load(decoded.settings) } catch {
            decoded.addFault("reader.time-zone", LocalZone.diagnostic(error))
        }
    }

    /// Decodes the octets of a file, and of its fragments.
    static func decode(
        _ octets: Span<UInt8>, _ fragments: SettingsFragments = SettingsFragments()
    ) -> DecodedSettings {
        switch TOMLDocument.entries(of: octets) {
        case .failure(let fault):
            return DecodedSettings(
                unreadable: SettingsDiagnostic(.fault, line: fault.line, key: "", "not valid TOML: \(fault.message)"))
        case .success(let entries):
            var decoded = DecodedSettings(fragments.adding(to: entries))
            checkTransport(&decoded)
            checkLines(&decoded)
            return decoded
        }
    }

    /// Returns a diagnostic with its file, for people.
    static func line(_ diagnostic: SettingsDiagnostic, of path: String) -> String {
        (diagnostic.file ?? path) + (diagnostic.line == nil ? ": " : ":") + diagnostic.description
    }

    /// The controller's name: `named` of the command line, else the configuration's.
    static func transport(
        _ settings: ReaderSettings, named: TransportName?
    ) throws(ReaderdError) -> TransportName {
        if let named { return named }
        do throws(TransportNameError) { return try TransportName(settings.hci) } catch {
            throw .failed("hci: \(error)")
        }
    }

    private static func checkTransport(_ decoded: inout DecodedSettings) {
        do throws(TransportNameError) { _ = try TransportName(decoded.settings.hci) } catch {
            decoded.addFault("hci", error.description)
        }
    }

    /// Checks what only the GPIO layer can: the syntax of references, and lines with two uses.
    private static func checkLines(_ decoded: inout DecodedSettings) {
        var users: [LineReference: String] = [:]
        for (key, text) in lines(of: decoded.settings) {
            do throws(LineReferenceError) {
                let reference = try LineReference(text)
                if let other = users.updateValue(key, forKey: reference) {
                    decoded.addFault(key, other == key ? "has the same line twice" : "is the same line as \(other)")
                }
            } catch {
                decoded.addFault(key, error.description)
            }
        }
    }

    /// The lines of all keys that take one, each with its key.
    private static func lines(of settings: ReaderSettings) -> [(key: String, text: String)] {
        settings.gpio.linesInOrder.map { ("gpio.\($0.rawValue)", $1) }
            + (settings.provisioning.button.map { [("provisioning.button", $0)] } ?? [])
            + settings.wiegand.lines.map { ("wiegand.lines", $0) }
    }
}
