// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import CardPolling
import Contactless
import Credentials
import Emulation
import Octets
import Reader
public import Timekeeping

/// The cards in the reader's field: the chip's line, and the touches in the timeline.
extension EmulatedReader {
    // MARK: - The chip

    /// Handles octets of the chip.
    public func receive(chip octets: Span<UInt8>, at now: Instant) {
        catchUp(now)
        field?.poller.receive(octets)
        settle()
    }

    /// True if octets for the chip are to be taken.
    public var hasChipOctets: Bool { field?.chipOctets.isEmpty == false }

    /// Removes and returns the octets for the chip.
    public func takeChipOctets() -> [UInt8] {
        defer { field?.chipOctets.removeAll(keepingCapacity: true) }
        return field?.chipOctets ?? []
    }

    /// Records an event of the field around the reader, such as a card that comes near.
    public func observe(_ name: String, _ text: String, at now: Instant) {
        catchUp(now)
        add(name, text)
    }

    /// Starts the front end, with the lists and keys of its reader.
    func startField() {
        guard let present = field else { return }
        var contactless = ContactlessConfiguration()
        contactless.deviceID = identity.deviceID
        device.reader.configureContactless(contactless)
        forgetPhones(present.settings.aliro)
        device.reader.desfire = present.settings.desfire
        device.reader.cardList = present.list
        field?.end()
        field?.poller.start(at: now)
    }

    /// Serves the card until the front end waits for the chip, the reader or time; false if it waited already.
    func serveField() -> Bool {
        var hasServed = false
        while field != nil {
            if let late = field?.late, late.due <= now {
                field?.late = nil
                field?.poller.receive(order: .transmit(late.command))
            }
            if field?.poller.awaitsOrder == true, field?.late == nil, let action = device.nextCardAction() {
                execute(action)
            }
            guard let output = field?.poller.next(at: now) else { return hasServed }
            hasServed = true
            switch output {
            case .command(_, let frame): field?.chipOctets += frame
            case .question(.card(let card)): begin(card)
            case .question(.response(let response)): receive(response)
            case .event(let event): follow(event)
            case .failed(let why):
                timeline.add(.device("NFC: \(why)"), device: 0, at: now)
                field?.poller.start(at: now)
            }
        }
        return hasServed
    }

    // MARK: - A touch

    /// Forgets the keys of phones' fast phase.
    private func forgetPhones(_ reader: AliroReader) {
        device.reader.aliro = AliroDoor(reader: reader, store: AliroStore(binding: reader.binding))
    }

    private func begin(_ card: FoundCard) {
        field?.begin()
        if let field, field.fault?.fault.isOfStandardPhase == true { forgetPhones(field.settings.aliro) }
        device.reader.desfire = field?.preparedPlace()
        let identifier = "\(card.hasRandomIdentifier ? "a random" : "an") identifier of \(card.identifierCount) octets"
        add("card", "a card of type \(card.technology.rawValue), \(identifier)")
        device.cardEntered(at: moment)
    }

    private func execute(_ action: CardAction) {
        switch action {
        case .transmit(let command): transmit(command)
        case .tryNext: field?.poller.receive(order: CardOrder(action))
        case .finish: finish()
        }
    }

    /// Ends the touch, after the command that a fault repeats.
    private func finish() {
        guard let (fault, command) = field?.takeRepetition() else {
            field?.poller.receive(order: .release)
            return
        }
        send(command, fault)
    }

    private func transmit(_ command: [UInt8]) {
        field?.touch?.begin(command)
        if let (fault, changed) = field?.takeFault(of: command) { send(changed, fault) } else { send(command, nil) }
    }

    private func send(_ command: [UInt8], _ fault: ReaderCardFault?) {
        if let fault {
            timeline.add(.fault(step: ReaderCardFault.step, "\(fault.name): \(fault.action)"), device: 0, at: now)
        }
        switch fault?.change {
        case nil, .command, .unproven, .place, .replay, .reflection, .twice:
            field?.touch?.send(command, fault)
            field?.poller.receive(order: .transmit(command))
        case .late:
            field?.touch?.send(command, fault)
            field?.late = (now + ReaderField.lateTime, command)
        case .leave:
            field?.poller.receive(order: .release)
            end()
        }
    }

    private func receive(_ response: [UInt8]) {
        guard let touch = field?.touch else { return }
        let entry = add(
            "apdu", "\(touch.name): \(Hexadecimal.text(touch.command)) -> \(Hexadecimal.text(response))")
        found(field?.touch?.receive(response), entry)
        // The reader's transaction was over before the repetition.
        if touch.isOver { return execute(.finish) }
        device.receive(cardResponse: response.span, at: moment)
    }

    private func follow(_ event: NFCFrontEndEvent) {
        switch event {
        case .cardLost(let loss):
            let place = field?.touch.map { $0.command.isEmpty ? "" : " at \($0.name)" } ?? ""
            let entry = add("card-lost", "card lost: \(loss.rawValue)\(place)")
            if loss == .slow, field?.touch?.fault == nil {
                found(
                    ReaderMistake(
                        "card-slow", "its answers took more than 3 s together: the reader ends the touch"), entry)
            }
            end()
        case .cardRejected(_, let why):
            add("card-refused", "card refused: \(why.rawValue)")
            end()
        case .fieldEmpty: add("field-empty", "the field is empty: the next card is served")
        case .opened, .failed, .activated, .command, .released, .card, .response: break
        }
    }

    private func end() {
        field?.end()
        device.cardLeft()
    }

    // MARK: - Notices

    /// Reports a notice about a card.
    func reportCard(_ notice: ReaderNotice) {
        let text = words(notice)
        switch notice {
        case .cardRefused(_, let kind, let refusal):
            let entry = add("card-refused", text)
            found(field?.touch?.mistake(refusal, kind), entry)
        case .messageRefused(_, let code, _):
            let entry = add("message-refused", text)
            if field?.touch?.fault == nil, ReaderReview.unusable.contains(code) {
                found(
                    ReaderMistake(
                        "malformed-message",
                        "sent a message that the reader cannot use, status \(code.explained): "
                            + "docs/protocol/access-profile.md, 4 and 5"), entry)
            }
        case .decided(_, let decision, _):
            add("decided", text)
            guard case .denied(.notListed) = decision.outcome, let card = decision.card else { return }
            field?.lastUnlisted = card
            add("card-unlisted", "\(card.kind.rawValue) \(Hexadecimal.text(card.identity)): enrol last lists it")
        case .executed: add("decided", text)
        case .blacklisted, .repeated: add("credential", text)
        case .refused: add("refused", text)
        default: timeline.add(.device("\(notice)"), device: 0, at: now)
        }
    }

    @discardableResult
    private func add(_ name: String, _ text: String) -> Int {
        timeline.add(.happened(name, text: text), device: 0, at: now)
    }

    private func found(_ mistake: ReaderMistake?, _ entry: Int) {
        guard let mistake else { return }
        timeline.mistake(mistake.rule, mistake.sentence, entry: entry, device: 0, link: nil, at: now)
    }

    // MARK: - Orders

    /// Lists a card, all but none, or the last that was refused.
    func execute(_ order: CardFieldOrder) -> String {
        guard field != nil else { return "this reader has no field: start it with --field unix:PATH" }
        switch order {
        case .enrol(let named):
            guard let card = named ?? field?.lastUnlisted else { return "no card was refused for not being listed" }
            let isNew = field?.enrol(card) ?? false
            equip()
            let id = OSSCredentialID(unlisted: card.identity)?.text ?? ""
            return isNew ? "the \(card.kind.rawValue) card is listed as credential \(id)" : "the card is listed already"
        case .unenrol:
            field?.unenrol()
            equip()
            return "no card is listed"
        case .fault(let name, let stays):
            guard let fault = ReaderCardFault.named(name) else { return "there is no fault \(name) with a card" }
            field?.fault = (fault, stays)
            let which = field?.isEarly(fault) == true ? "the first touch is right; " : ""
            return "\(which)\(stays ? "each" : "the next") touch: the reader \(fault.action)"
        case .release(let name):
            guard field?.fault?.fault.name == name else { return "there is no fault \(name) with a card to come" }
            field?.fault = nil
            return "the reader treats cards rightly"
        }
    }

    private func equip() { if let list = field?.list { device.reader.cardList = list } }
}
