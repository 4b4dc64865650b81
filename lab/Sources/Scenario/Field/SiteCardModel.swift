// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Contactless
import Octets
import Phone
import SeededNumbers
import Timekeeping

/// The card's side of a kind: command APDUs in, responses out.
protocol SiteCardModel {
    /// True once the reader has what identifies the card, in the present activation.
    var isRead: Bool { get }
    /// The rules that readers have broken, a sentence each.
    var findings: [String] { get }

    /// The card comes into a field.
    mutating func enter(at now: Instant)
    mutating func activated(at now: Instant)
    /// Released, or out of the field; what a phone displays.
    mutating func released(at now: Instant) -> [String]
    mutating func response(to command: [UInt8], random: inout SeededGenerator, at now: Instant) -> [UInt8]?
}

/// A card without a display.
struct PlainCardModel: SiteCardModel {
    private var card: any ContactlessCard

    init(_ card: any ContactlessCard) { self.card = card }

    var isRead: Bool { card.isRead }
    var findings: [String] { [] }

    mutating func enter(at now: Instant) {}
    mutating func activated(at now: Instant) { card.activate() }
    mutating func released(at now: Instant) -> [String] { [] }

    mutating func response(to command: [UInt8], random: inout SeededGenerator, at now: Instant) -> [UInt8]? {
        card.respond(to: command, random: &random)
    }
}

/// A card with an identifier only (ISO/IEC 14443-3): it takes no APDUs.
struct IdentifierCardModel: SiteCardModel {
    var isRead: Bool { false }
    var findings: [String] { [] }

    mutating func enter(at now: Instant) {}
    mutating func activated(at now: Instant) {}
    mutating func released(at now: Instant) -> [String] { [] }
    mutating func response(to command: [UInt8], random: inout SeededGenerator, at now: Instant) -> [UInt8]? { nil }
}

/// A phone with an Aliro credential.
struct AliroCardModel: SiteCardModel {
    private var phone: AliroPhone
    private(set) var findings: [String] = []
    private var isActive = false

    init(_ phone: AliroPhone) { self.phone = phone }

    var isRead: Bool { phone.isRead }

    mutating func enter(at now: Instant) {}

    mutating func activated(at now: Instant) {
        phone.activate()
        isActive = true
    }

    mutating func released(at now: Instant) -> [String] {
        guard isActive else { return [] }
        isActive = false
        for finding in phone.findings where !findings.contains(finding) { findings.append(finding) }
        guard let status = phone.tap.status else { return [] }
        let text = Hexadecimal.text(status)
        return [
            "shows: \(phone.tap.isGranted ? "opened" : "refused"), \(phone.tap.phase.rawValue) phase, status \(text)"
        ]
    }

    mutating func response(to command: [UInt8], random: inout SeededGenerator, at now: Instant) -> [UInt8]? {
        phone.respond(to: command, random: &random)
    }
}

/// A phone with a token of the access protocol, which plays the card (docs/protocol/nfc-profile.md, 7).
struct PhoneCardModel: SiteCardModel {
    private let touch: Touch
    var isRead: Bool { touch.phone?.isOver ?? false }
    var findings: [String] { [] }

    /// One presence is one touch.
    private final class Touch {
        let plan: PhoneVisitPlan
        let clock: PhoneClock
        var random: SeededGenerator
        var phone: PhoneCard<SeededGenerator>?
        var number = 0

        init(_ plan: PhoneVisitPlan, _ clock: PhoneClock, _ random: SeededGenerator) {
            (self.plan, self.clock, self.random) = (plan, clock, random)
        }
    }

    init(_ plan: PhoneVisitPlan, clock: PhoneClock, random: SeededGenerator) {
        touch = Touch(plan, clock, random)
    }

    mutating func enter(at now: Instant) {
        touch.number += 1
        // Another sequence for each touch.
        let random = SeededGenerator(seed: touch.random.next())
        touch.phone = PhoneCard(touch.plan, number: touch.number, clock: touch.clock, random: random, at: now)
    }

    mutating func activated(at now: Instant) { touch.phone?.activated(at: now) }

    mutating func released(at now: Instant) -> [String] {
        touch.phone?.released(at: now)
        let notices = touch.phone?.takeNotices() ?? []
        return notices.compactMap { notice in
            guard case .ended(let failure, _) = notice else { return nil }
            guard let failure else { return "shows: opened" }
            return "shows: not opened, \(PhoneCardModel.text(failure.cause))"
        }
    }

    mutating func response(to command: [UInt8], random: inout SeededGenerator, at now: Instant) -> [UInt8]? {
        touch.phone?.respond(to: command, at: now)
    }

    private static func text(_ cause: VisitFailure.Cause) -> String {
        switch cause {
        case .cardLost: "it has left"
        case .otherReader(let id): "another reader, \(id)"
        case .session(let failure): "status \((failure.terminal ?? failure.code).explained)"
        case .unusable(let why): why
        default: "\(cause)"
        }
    }
}
