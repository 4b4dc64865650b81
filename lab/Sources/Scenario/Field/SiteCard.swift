// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Contactless
import Credentials
import Octets
import Reader
import SeededNumbers
import Timekeeping

/// A card, or a phone that plays one, in a running scenario.
final class SiteCard {
    let plan: SiteScenario.Card
    let activation: CardActivation
    private var model: any SiteCardModel
    private var random: SeededGenerator

    /// The requests and frames that it has received in this presence.
    private var received: Set<String> = []
    private var stay = SiteScenario.Card.Stay.lasting
    /// The number of commands since it came into the field.
    private var commands = 0
    /// True once it has to leave by the number of its commands.
    private(set) var hasLeft = false
    /// The response with the proof of the last presence, and whether the present one has had its own.
    private var lastProof: [UInt8]?
    private var isProven = false
    /// The first time in a field.
    private var firstSeen: Instant?

    /// True while an activation is in the timeline.
    private var isRevealed = false
    /// The number of activations in the timeline.
    private(set) var activations = 0
    /// Its first success, else the last decision of a reader.
    private(set) var verdict: Verdict?

    /// A reader's decision about the card.
    struct Verdict {
        var result: SiteScenario.Result
        var reader: String
        /// The time since the card was in a field first.
        var after: Duration
        var status: Int?
        var reason: String?
    }

    /// A card of the plan, whose model was made for this site.
    init(_ plan: SiteScenario.Card, _ model: any SiteCardModel, activation: CardActivation, random: SeededGenerator) {
        (self.plan, self.model, self.activation, self.random) = (plan, model, activation, random)
    }

    var name: String { plan.name }

    /// The rules that readers have broken.
    var findings: [String] { model.findings }

    // MARK: In the field

    func enter(_ stay: SiteScenario.Card.Stay, at now: Instant) {
        (self.stay, commands, hasLeft, received) = (stay, 0, false, [])
        firstSeen = firstSeen ?? now
        model.enter(at: now)
    }

    /// True if the card receives a request for the first time in this presence.
    func receives(_ request: String) -> Bool { received.insert(request).inserted }

    /// True if the card receives a polling frame for the first time in this presence.
    func receives(_ frame: [UInt8]) -> Bool { receives(Hexadecimal.text(frame)) }

    func activated(at now: Instant) {
        isProven = false
        model.activated(at: now)
    }

    /// True if the present activation was not in the timeline.
    func reveal() -> Bool {
        guard !isRevealed else { return false }
        (isRevealed, activations) = (true, activations + 1)
        return true
    }

    /// The activation is over; true if it was in the timeline.
    func conceal() -> Bool {
        defer { isRevealed = false }
        return isRevealed
    }

    /// Its display after a touch.
    func released(at now: Instant) -> [String] { model.released(at: now) }

    /// The response to a command; nil for silence, and for a card that leaves in it.
    func response(to command: [UInt8], at now: Instant) -> [UInt8]? {
        commands += 1
        if stay == .during(command: commands) {
            hasLeft = true
            return nil
        }
        if stay == .after(command: commands) { hasLeft = true }
        let response = model.response(to: command, random: &random, at: now)
        guard let response, model.isRead, !isProven else { return response }
        isProven = true
        defer { lastProof = response }
        return plan.fault.map { $0.changed(response, last: lastProof) } ?? response
    }

    // MARK: Decisions

    /// Handles a notice about the card.
    func receive(_ notice: ReaderNotice, of reader: String, at now: Instant) {
        switch notice {
        case .decided(_, let decision, let code):
            if case .granted = decision.outcome, code == .ok { return record(.opened, reader, at: now) }
            let reason: String? = if case .denied(let why) = decision.outcome { why.rawValue } else { nil }
            record(.denied, reader, at: now, status: code == .ok ? nil : Int(code.rawValue), reason)
        case .executed(_, _, _, let code):
            if code == .ok { return record(.opened, reader, at: now) }
            record(.denied, reader, at: now, status: Int(code.rawValue))
        case .messageRefused(_, let code, _): record(.denied, reader, at: now, status: Int(code.rawValue))
        case .cardRefused(_, _, let refusal): record(.refused, reader, at: now, refusal.rawValue)
        case .refused(_, let refusal): record(.refused, reader, at: now, refusal.name)
        default: break
        }
    }

    /// The front end has not served the card, or has lost it.
    func lost(_ reason: String, at reader: String, _ now: Instant) {
        if verdict == nil { record(.refused, reader, at: now, reason) }
    }

    private func record(
        _ result: SiteScenario.Result, _ reader: String, at now: Instant, status: Int? = nil, _ reason: String? = nil
    ) {
        guard verdict?.result != .opened else { return }
        verdict = Verdict(
            result: result, reader: reader, after: now - (firstSeen ?? now), status: status, reason: reason)
    }

    // MARK: Text

    /// A command and its response: instruction, lengths and status word. Ciphertexts differ in equal runs.
    static func text(_ command: [UInt8], _ response: [UInt8]?) -> String {
        let asked = "command \(Hexadecimal.text(command.prefix(2))), \(command.count) octets: "
        guard let response else { return asked + "no response" }
        return asked + "\(response.count) octets, \(Hexadecimal.text(response.suffix(2)))"
    }
}
