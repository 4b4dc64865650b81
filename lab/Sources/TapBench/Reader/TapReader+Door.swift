// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Crypto
public import Reader
import Peripheral
import Timekeeping

/// From the proof of a card to the lock: the same for each kind, measured with a listed PKOC card.
extension TapReader {
    /// Decides about a proven card, and opens. `record` stores the event, and returns the time until it is on the disk,
    /// in nanoseconds.
    public mutating func door(record: (AuditEvent) throws -> Int) throws -> TapDoor {
        let card = try PKOCTapCard()
        var reader = try TapReader.reader(isAudited: true)
        var (port, random) = (NoPort(), SystemRandomSource())
        let moment = Moment(instant: .origin, epochSeconds: TapReader.noon)
        guard let id = OSSCredentialID("CARD000001") else { throw TapFault("no credential identifier") }
        reader.cardList = CardList([ListedCard(card.evidence, id)])
        // A card that has proven itself waits for the policy; then only the decision is left.
        reader.holdRequests()
        reader.cardEntered(random: &random, at: moment)
        while case .transmit(let command) = reader.nextCardAction() {
            let response = try card.response(to: command)
            reader.receive(cardResponse: response.span, random: &random, at: moment)
        }
        _ = reader.restore([], at: moment)
        var began = processor()
        reader.resumeRequests(port: &port, random: &random, at: moment)
        let decision = processor() - began
        guard let submission = reader.ledger.nextSubmission(at: .origin) else { throw TapFault("nothing to record") }
        let stored = try record(submission.event)
        var effects: [ReaderEffect] = []
        began = processor()
        reader.ledger.stored(submission.id, isFull: false, at: .origin, AuditTime(moment, zone: .utc))
        while let verdict = reader.ledger.nextVerdict() { reader.decide(verdict.opening, verdict.status, at: moment) }
        reader.takeEffects(into: &effects)
        let edge = processor() - began
        guard effects.contains(where: \.opensLock) else { throw TapFault("the door was not opened") }
        return TapDoor(decision: decision, record: stored, edge: edge)
    }
}

/// A host without links.
struct NoPort: ReaderPort {
    var eventOctets: [UInt8] { [] }
    mutating func disconnect(_ link: LinkID, _ reason: LinkEndReason, at now: Instant) {}
    mutating func readRSSI(_ link: LinkID, at now: Instant) -> Bool { false }
    mutating func readTransmitPower(_ link: LinkID, at now: Instant) {}
    mutating func notify(
        _ link: LinkID, _ attribute: AttributeHandle, _ value: Span<UInt8>, at now: Instant
    ) -> NotificationOutcome { .accepted }
    func attMTU(_ link: LinkID) -> Int { 23 }
    mutating func send(
        _ link: LinkID, _ channel: ChannelID, _ unit: Span<UInt8>, at now: Instant
    ) -> ChannelSendOutcome { .gone }
    mutating func closeChannel(_ link: LinkID, _ channel: ChannelID, at now: Instant) {}
    mutating func setAdvertising(enabled: Bool, at now: Instant) {}
}
