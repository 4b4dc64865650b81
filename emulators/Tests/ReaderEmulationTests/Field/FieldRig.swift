// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Contactless
import Crypto
import Emulation
import Phone
import Reader
import Timekeeping

@testable import ReaderEmulation

/// An emulated reader, a PN532 and a card, on virtual time without a radio.
final class FieldRig {
    let reader: EmulatedReader
    private var chip = PN532Chip()
    private var now = Instant.origin
    private var random = SystemRandomSource()
    /// The time between two turns of the reader.
    var step = Duration.milliseconds(5)
    /// The card's answers; nil for silence.
    var card: (_ command: [UInt8], _ random: inout SystemRandomSource) -> [UInt8]? = { _, _ in nil }
    /// Called at each activation.
    var activate: () -> Void = {}

    init(_ orders: [String] = [], _ change: (inout ReaderFieldSettings) -> Void = { _ in }) throws {
        var settings = EmulatedReader.Settings(address: 0x0123_4567_89AB)
        var field = try ReaderFieldSettings()
        change(&field)
        settings.field = field
        reader = try EmulatedReader(
            settings, identity: .demo(), at: .origin, systemSeconds: { ReaderRig.epoch })
        reader.start(at: now)
        run(.milliseconds(50))
        for order in orders { try type(order) }
    }

    @discardableResult
    func type(_ line: String) throws -> [String] { reader.receive(try ReaderOrder(line: line), at: now) }

    /// Puts a card into the field for this time, and takes it away for a second.
    @discardableResult
    func touch(_ card: some ContactlessCard, _ duration: Duration = .seconds(2)) -> FieldRig {
        var held = card
        self.card = { command, random in held.respond(to: command, random: &random) }
        activate = { held.activate() }
        return touch(duration)
    }

    @discardableResult
    func touch(_ duration: Duration = .seconds(2)) -> FieldRig {
        _ = chip.enter("card", CardActivation(random: (1, 2, 3)))
        run(duration)
        chip.leave("card")
        run(.seconds(1))
        return self
    }

    func run(_ duration: Duration) {
        let end = now + duration
        while now < end {
            chip.advance(to: now)
            reader.advance(to: now)
            exchange()
            now = now + step
        }
    }

    private func exchange() {
        while true {
            let octets = reader.takeChipOctets()
            chip.receive(octets.span, at: now)
            var isIdle = octets.isEmpty
            for output in chip.takeOutputs() {
                isIdle = false
                switch output {
                case .host(let octets): reader.receive(chip: octets.span, at: now)
                case .activated: activate()
                case .command(let name, let command, let number):
                    guard let response = card(command, &random) else { continue }
                    _ = chip.respond(name, response, number: number, at: now)
                case .violation(let text): violations.append(text)
                case .released, .pollingFrame: break
                }
            }
            if isIdle { return }
        }
    }

    // MARK: - Results

    private(set) var violations: [String] = []
    /// The rules of the findings.
    var rules: [String] { reader.timeline.findings.map(\.rule) }
    /// The sentences of the findings.
    var sentences: [String] { reader.timeline.findings.map(\.sentence) }
    /// The texts of the entries of this name.
    func texts(_ name: String) -> [String] {
        reader.timeline.entries.compactMap {
            if case .happened(name, let text) = $0.event { text } else { nil }
        }
    }
    /// The number of times that the door was unlocked.
    var openings: Int { texts("door").count { $0.hasPrefix("door: unlocked") } }
    /// The faults that have shown.
    var faults: [String] {
        reader.timeline.entries.compactMap { if case .fault(_, let text) = $0.event { text } else { nil } }
    }
}

/// A phone that plays the card of the access session, with a token of the demo site.
final class RigPhone {
    private var card: PhoneCard<SystemRandomSource>
    private var now = Instant.origin

    init() throws {
        let validity = TokenValidity(
            from: CivilTime(year: 2026, month: 1, day: 1), through: CivilTime(year: 2027, month: 1, day: 1))
        let token = try TokenIssuer.demo().commandToken(
            credentialID: "CRED000001", command: .open, validity: validity)
        let identity = try ReaderIdentity.demo()
        let held = try PhoneCredential(
            deviceID: identity.deviceID, readerName: identity.deviceID, terminal: identity.terminalKey.publicKey,
            token: token)
        card = PhoneCard(
            PhoneVisitPlan(.token, credentials: [held]), number: 1, clock: PhoneClock(ReaderRig.epoch, at: .origin),
            random: SystemRandomSource(), at: .origin)
    }

    /// Touches the field of the rig.
    func touch(_ rig: FieldRig) {
        rig.card = { command, _ in self.card.respond(to: command, at: self.now) }
        rig.activate = { self.card.activated(at: self.now) }
        rig.touch()
        card.released(at: now)
    }
}
