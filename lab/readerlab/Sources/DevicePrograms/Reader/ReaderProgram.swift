// SPDX-License-Identifier: Apache-2.0

import Commands
import Console
package import ContactlessAir
import Credentials
import Crypto
import Emulation
import Glibc
public import HostLoop
import JSON
import Octets
import Peripheral
package import Reader
public import ReaderEmulation
import System
import Timekeeping

/// The program around an emulated reader: files, loop, commands, transcript.
package struct ReaderProgram {
    private let options: EmulationRunOptions
    private let modes: [AdvertisingMode]
    private let state: String?
    private let field: (plan: FieldPlan, settings: ReaderFieldSettings)?
    private let view: EmulationView

    /// - Parameter modes: the modes that it advertises.
    /// - Parameter state: the state directory of a provisioned reader; nil for the demo identity.
    /// - Parameter field: the NFC field with the cards that it reads; nil for none.
    package init(
        _ options: EmulationRunOptions, modes: [AdvertisingMode], state: String?,
        field: (plan: FieldPlan, settings: ReaderFieldSettings)?
    ) {
        self.options = options
        self.modes = modes
        self.state = state
        self.field = field
        view = EmulationView(options.output)
    }

    /// Runs until a signal or `quit`. The transcript and the summary are written in any case.
    package func run() throws {
        let scenario = try scenario()
        try view.check()
        let identity = try ReaderIdentityFiles.load(state)
        let reader = try reader(identity, scenario)
        do {
            let loop = try options.radio.loop(reader)
            reader.quit = { loop.stop() }
            defer { reader.quit = {} }
            let field = try field.map { try ReaderFieldLine($0.plan, loop) }
            defer { field?.close() }
            view.begin(facts(identity, reader), lines(identity, reader))
            loop.watchLines { _, now, line in
                view.answer { () throws(CommandFault) in
                    if let field, let order = try ReaderProgram.fieldOrder(line) { return try field.execute(order) }
                    return reader.receive(try ReaderOrder(line: line), at: now)
                }
            }
            var states = ObservedStateLog()
            let outcome = Result {
                try loop.run { _ in
                    view.show(&reader.timeline)
                    view.show(&states) { reader.observed }
                    field?.settled(reader)
                }
            }
            try view.end(&reader.timeline, at: reader.now, [facts(identity, reader)], outcome)
        } catch {
            throw CommandError(error)
        }
    }

    private func scenario() throws(CommandError) -> ReaderScenario {
        guard let path = options.scenario else { return ReaderScenario() }
        return try InputFile.load(
            path, maximum: ReaderScenario.maximumFileCount, "a scenario (docs/emulators/emulated-reader.md)"
        ) { octets throws(JSONPlaceFault) in try ReaderScenario(json: octets) }
    }

    private func reader(_ identity: ReaderIdentity, _ scenario: ReaderScenario) throws -> EmulatedReader {
        let address = options.radio.firstAddress
        var settings = EmulatedReader.Settings(address: address?.value ?? UInt64.random(in: .min ... .max))
        settings.modes = modes
        settings.field = field?.settings
        if let links = options.links { settings.links = links }
        do throws(DatabaseError) {
            return try EmulatedReader(
                settings, identity: identity, scenario: scenario, at: MonotonicClock.now,
                systemSeconds: { Int64(time(nil)) })
        } catch {
            throw CommandError.failed("\(error)")
        }
    }

    /// A typed command about the place of a card; nil for one to the reader.
    private static func fieldOrder(_ line: String) throws(CommandFault) -> FieldOrder? {
        let words = line.split { " \t\r\n".contains($0) }.map(String.init)
        // `near` alone is a distance.
        return words.count > 1 || words == ["cards"] ? try FieldOrder(words) : nil
    }

    // MARK: - Description

    private func facts(_ identity: ReaderIdentity, _ reader: EmulatedReader) -> JSONObject {
        var facts: JSONObject = [
            "device": 1, "name": identity.deviceID, "address": reader.advertised.first.map { "\($0.address)" },
            "modes": reader.advertised.map { "\($0.mode.rawValue) \($0.address)" }, "demo-identity": identity.isDemo,
        ]
        guard let field else { return facts }
        facts.add("field", "unix:\(field.plan.socket)")
        facts.add("card-kinds", field.settings.kinds.map(\.rawValue))
        facts.add("aliro-point", Hexadecimal.text(field.settings.aliroPoint))
        facts.add("aliro-group", Hexadecimal.text(field.settings.aliro.identifier.group))
        if let place = field.settings.desfire {
            facts.add("desfire-application", Hexadecimal.text(place.application))
            facts.add("desfire-file", Int(place.file))
        }
        return facts
    }

    private var fieldLines: [String] {
        guard let field else { return [] }
        var lines = [
            "  a field at unix:\(field.plan.socket) for cards: \(field.settings.kinds.map(\.rawValue).joined(separator: ", "))"
        ]
        if field.settings.kinds.contains(.aliro) {
            lines.append("  Aliro reader \(Hexadecimal.text(field.settings.aliroPoint))")
            lines.append("  Aliro group \(Hexadecimal.text(field.settings.aliro.identifier.group))")
        }
        if let place = field.settings.desfire {
            lines.append(
                "  DESFire application \(Hexadecimal.text(place.application)), file \(place.file), "
                    + "octets \(place.offset) to \(place.offset + place.count - 1), \(place.communication.rawValue)")
        }
        return lines
    }

    private func lines(_ identity: ReaderIdentity, _ reader: EmulatedReader) -> [String] {
        let about = identity.isDemo ? "the published demo identity" : "its own identity"
        return ["\(identity.deviceID.debugDescription), a reader with \(about)"]
            + reader.advertised.map { "  \($0.mode.rawValue) at \($0.address)" } + fieldLines
            + ["type help for the commands; Ctrl-C ends it"]
    }
}

// The reader meets the requirements of the loop; the conformance is here so that their libraries stay independent.
extension EmulatedReader: @retroactive HostedDevice {}
