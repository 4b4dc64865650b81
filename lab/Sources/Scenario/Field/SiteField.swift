// SPDX-License-Identifier: Apache-2.0

import CardPolling
import Contactless
import Octets
import Reader
import SeededNumbers
import Timekeeping

/// The front end of a reader at a site: the firmware's poll loop, the model of its chip, and the cards in the field.
///
/// The chip's line and the air take no time; cards take theirs.
final class SiteField: ReaderField {
    private let desk: SiteCardDesk
    private let reader: String
    private var poller: PN532Poller
    private var chip = PN532Chip()
    /// The response that a card is preparing.
    private var answer: Answer?
    /// The cards in the field, in the order in which they came.
    private var near: [SiteCard] = []
    /// The card that was activated last.
    private var active: SiteCard?
    /// The cards that the reader was asked about since its start, in the order of its taps.
    private var asked: [SiteCard] = []
    /// The entries for the timeline since the last call of `removeEntries`.
    private var entries: [TimelineEntry] = []
    /// Rules of the chip that the poll loop has broken.
    private(set) var violations: [String] = []

    /// A response that is due.
    private struct Answer {
        let at: Instant
        let card: SiteCard
        let command: [UInt8]
        let response: [UInt8]
        let number: UInt64
    }

    /// The field of the reader of this name.
    init(_ settings: PollSettings, _ desk: SiteCardDesk, of reader: String) {
        (self.desk, self.reader, poller) = (desk, reader, PN532Poller(settings))
    }

    func start(_ reader: inout AccessReader, last: AliroDoor?, at now: Instant) {
        desk.equip(&reader, last: last)
        chip.powerUp()
        (answer, asked, active) = (nil, [], nil)
        poller.start(at: now)
        if case .command(let command, let frame)? = poller.next(at: now) { send(command, frame, at: now) }
    }

    func stop(at now: Instant) {
        answer = nil
        chip.powerUp()
        collect(at: now)
        poller.stop()
    }

    var nextDeadline: Instant? {
        guard let deadline = poller.nextDeadline else { return nil }
        return [deadline, chip.deadline, answer?.at].compactMap(\.self).min()
    }

    func receive(_ notice: ReaderNotice, at now: Instant) {
        // Taps are numbered from 1 since the reader's start.
        guard let tap = notice.phone, asked.indices.contains(Int(tap.number) - 1) else { return }
        asked[Int(tap.number) - 1].receive(notice, of: reader, at: now)
    }

    func removeEntries() -> [TimelineEntry] {
        defer { entries = [] }
        return entries
    }

    // MARK: Cards

    /// A card comes into the field.
    func enter(_ card: SiteCard, _ stay: SiteScenario.Card.Stay, at now: Instant) {
        guard !near.contains(where: { $0 === card }) else { return }
        add(card, .walks, "in the field of \(reader)", at: now)
        near.append(card)
        card.enter(stay, at: now)
        if !card.plan.waitsForFrame { show(card, at: now) }
    }

    /// A card leaves the field, if it is in it.
    func leave(_ card: SiteCard, at now: Instant) {
        guard near.contains(where: { $0 === card }) else { return }
        near.removeAll { $0 === card }
        if let due = answer, due.card === card {
            add(card, .note, SiteCard.text(due.command, nil), at: now)
            answer = nil
        }
        chip.leave(card.name)
        collect(at: now)
        add(card, .walks, "out of the field of \(reader)", at: now)
    }

    /// All cards leave.
    func clear(at now: Instant) { for card in near { leave(card, at: now) } }

    /// The card answers requests of the reader.
    private func show(_ card: SiteCard, at now: Instant) {
        guard !chip.enter(card.name, card.activation) else { return }
        add(card, .note, "is not seen: the field is full", at: now)
    }

    // MARK: The loop

    func serve(_ device: inout ReaderDevice<SeededGenerator>, at moment: Moment) {
        let now = moment.instant
        chip.advance(to: now)
        if let due = answer, due.at <= now {
            answer = nil
            let isInTime = chip.respond(due.card.name, due.response, number: due.number, at: now)
            let text = SiteCard.text(due.command, due.response) + (isInTime ? "" : ", too late")
            add(due.card, .note, text, at: now)
            if due.card.hasLeft { leave(due.card, at: now) }
        }
        collect(at: now)
        while true {
            if poller.awaitsOrder, let action = device.nextCardAction() { poller.receive(order: CardOrder(action)) }
            guard let output = poller.next(at: now) else { return }
            switch output {
            case .command(let command, let frame): send(command, frame, at: now)
            case .question(let question): ask(question, &device, at: moment)
            case .event(let event): follow(event, &device, at: now)
            case .failed(let why): violations.append("NFC: \(why)")
            }
        }
    }

    private func send(_ command: [UInt8], _ frame: [UInt8], at now: Instant) {
        listen(command, at: now)
        chip.receive(frame.span, at: now)
        collect(at: now)
    }

    private func ask(_ question: PollQuestion, _ device: inout ReaderDevice<SeededGenerator>, at moment: Moment) {
        switch question {
        case .card:
            if let active { asked.append(active) }
            device.cardEntered(at: moment)
        case .response(let response): device.receive(cardResponse: response.span, at: moment)
        }
    }

    /// Follows an event of the front end, as the firmware does.
    private func follow(_ event: NFCFrontEndEvent, _ device: inout ReaderDevice<SeededGenerator>, at now: Instant) {
        switch event {
        case .cardLost(let loss): end("card lost: \(loss.rawValue)", loss.rawValue, &device, at: now)
        case .cardRejected(_, let why): end("card refused: \(why.rawValue)", why.rawValue, &device, at: now)
        case .fieldEmpty: entries.append(TimelineEntry(now, reader, .note, "NFC: the field is empty"))
        case .opened, .failed, .activated, .command, .released, .card, .response: break
        }
    }

    private func end(
        _ text: String, _ reason: String, _ device: inout ReaderDevice<SeededGenerator>, at now: Instant
    ) {
        device.cardLeft()
        var entry = TimelineEntry(now, reader, .refused, "NFC: \(text)")
        entry.reason = reason
        entries.append(entry)
        active?.lost(reason, at: reader, now)
    }

    // MARK: The air

    /// The request of a listing command, which each card in the field receives (PN532 user manual, 7.3.5).
    private func listen(_ command: [UInt8], at now: Instant) {
        guard command.first == 0x4A, command.count > 2 else { return }
        let request = command[2] == 0 ? "REQA" : "REQB"
        for card in near where card.receives(request) { add(card, .note, "receives \(request)", at: now) }
    }

    private func collect(at now: Instant) {
        for output in chip.takeOutputs() {
            switch output {
            case .host(let octets): poller.receive(octets.span)
            case .activated(let name):
                guard let card = card(name) else { continue }
                active = card
                card.activated(at: now)
                if card.receives("activation") { showActivation(card, at: now) }
            case .command(let name, let command, let number):
                if let card = card(name) { pass(command, number, to: card, at: now) }
            case .released(let name):
                guard let card = card(name) ?? (active?.name == name ? active : nil) else { continue }
                if card.conceal() { add(card, .disconnected, "released", at: now) }
                for text in card.released(at: now) { add(card, .result, text, at: now) }
            case .pollingFrame(let frame):
                for card in near where card.receives(frame) { receive(frame, card, at: now) }
            case .violation(let text): violations.append("NFC: \(text)")
            }
        }
    }

    /// Shows an activation; without a command once for each presence.
    private func showActivation(_ card: SiteCard, at now: Instant) {
        if card.reveal() { add(card, .connected, "activated", at: now) }
    }

    private func receive(_ frame: [UInt8], _ card: SiteCard, at now: Instant) {
        add(card, .note, "receives the polling frame \(Hexadecimal.text(frame))", at: now)
        if card.plan.waitsForFrame { show(card, at: now) }
    }

    /// Passes a command to a card, which may leave instead of responding.
    private func pass(_ command: [UInt8], _ number: UInt64, to card: SiteCard, at now: Instant) {
        showActivation(card, at: now)
        guard let response = card.response(to: command, at: now) else {
            add(card, .note, SiteCard.text(command, nil), at: now)
            return card.hasLeft ? leave(card, at: now) : ()
        }
        answer = Answer(
            at: now + card.plan.answerTime, card: card, command: command, response: response, number: number)
    }

    private func card(_ name: String) -> SiteCard? { near.first { $0.name == name } }

    private func add(_ card: SiteCard, _ event: TimelineEntry.Event, _ text: String, at now: Instant) {
        entries.append(TimelineEntry(now, card.name, event, text))
    }
}
