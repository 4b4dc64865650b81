// SPDX-License-Identifier: Apache-2.0

import Credentials
import Crypto
import Peripheral
import Proximity
import TestSupport
import Timekeeping

@testable import Reader
@testable import ReaderTestSupport

/// A PKOC card with its key (PKOC NFC 1.1). It answers as a card does, without a radio.
struct ModelCard {
    let key: P256PrivateKey
    var selectResponse = octets("5c0201009000")
    /// True for a card whose signature is over something else.
    var signsWrongly = false

    var identity: [UInt8] { [UInt8](key.publicKey.point.octets) }
    var evidence: CardEvidence { CardEvidence(kind: .pkoc, identity: identity) }

    init(_ scalar: UInt8) throws {
        let scalar = [UInt8](repeating: 0, count: 31) + [scalar]
        key = try P256PrivateKey(scalar: scalar.span)
    }

    /// The response to a command APDU.
    func response(_ command: [UInt8]) throws -> [UInt8] {
        switch command[1] {
        case 0xA4: return selectResponse
        case 0x80:
            // 80 80 00 01 38, 5C 02 and the version, 4C 10 and the transaction's identifier.
            var message = Array(command[11..<27])
            if signsWrongly { message[0] ^= 1 }
            let signature = try key.rawSignature(message.span)
            return [0x5A, 0x41] + identity + [0x9E, 0x40] + signature + [0x90, 0x00]
        default: return [0x6D, 0x00]
        }
    }
}

/// A reader that polls, on a fake host; the time is the test's.
struct CardBench: ~Copyable {
    var reader: AccessReader
    var port = FakePort()
    var random = CountingRandom()
    var now = Instant.origin
    /// 2026-11-21 12:00:00 UTC, a Saturday.
    var epochSeconds: Int64? = 1_795_262_400

    init(_ cards: [ListedCard] = [], _ change: (inout AccessConfiguration) -> Void = { _ in }) throws {
        var configuration = AccessConfiguration(modes: [
            .init(mode: .access, address: .randomStatic(from: 1), gate: .init())
        ])
        configuration.cards.kinds = [.pkoc]
        change(&configuration)
        reader = AccessReader(
            configuration: configuration, identity: try .demo(), table: try .demo(configuration),
            door: DoorConfiguration())
        reader.startDoor(at: now)
        reader.effects = []
        reader.cardList = CardList(cards)
    }

    var moment: Moment { Moment(instant: now, epochSeconds: epochSeconds) }

    /// A card enters, and answers until the reader transmits no more: the last action, nil if the reader waits.
    mutating func touch(_ card: ModelCard) throws -> CardAction? {
        reader.cardEntered(random: &random, at: moment)
        var action = reader.nextCardAction()
        while case .transmit(let command) = action {
            let response = try card.response(command)
            reader.receive(cardResponse: response.span, random: &random, at: moment)
            action = reader.nextCardAction()
        }
        return action
    }

    /// The card leaves, after some time.
    mutating func leave(after duration: Duration = .seconds(10)) {
        reader.cardLeft()
        now = now + duration
        epochSeconds = epochSeconds.map { $0 + duration.components.seconds }
        reader.advance(to: moment, port: &port)
    }

    var opened: Bool { reader.doorActions.contains { $0.output == .lock && $0.level } }

    /// The effects so far, which are removed.
    mutating func takeEffects() -> [ReaderEffect] { exchange(&reader.effects, with: []) }
}

extension [ReaderEffect] {
    var decisions: [CredentialDecision] {
        compactMap { if case .notice(.decided(_, let decision, _)) = $0 { decision } else { nil } }
    }
    var refusals: [CardRefusal] {
        compactMap { if case .notice(.cardRefused(_, _, let refusal)) = $0 { refusal } else { nil } }
    }
    var records: [AuditEvent] { compactMap { if case .recorded(let event) = $0 { event } else { nil } } }
    var opensLock: Bool {
        contains { if case .door(let action, _) = $0 { action.output == .lock && action.level } else { false } }
    }
    var handedOn: [ShownCredential] {
        compactMap { if case .handOn(let credential, _) = $0 { credential } else { nil } }
    }
}
