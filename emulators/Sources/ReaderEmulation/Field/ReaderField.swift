// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import CardPolling
import Contactless
import Credentials
import Emulation
import Reader
import Timekeeping

/// The NFC front end of an emulated reader, as a value: the firmware's poll loop, the fault to come, and the touch.
struct ReaderField {
    /// The delay of a late command: less than the second that the poll loop waits for the reader.
    static let lateTime = Duration.milliseconds(800)

    private(set) var settings: ReaderFieldSettings
    var poller: PN532Poller
    /// The octets for the chip.
    var chipOctets: [UInt8] = []
    /// The fault to come, and whether it stays.
    var fault: (fault: ReaderCardFault, stays: Bool)?
    /// The command that a fault delays.
    var late: (due: Instant, command: [UInt8])?
    /// The card in the field.
    var touch: CardTouch?
    /// The right commands of earlier touches that faults need, by the names of the faults.
    private var remembered: [String: [UInt8]] = [:]
    /// The card that was refused last for not being listed.
    var lastUnlisted: CardEvidence?

    init(_ settings: ReaderFieldSettings) {
        self.settings = settings
        var polling = PollSettings()
        polling.role = .poll
        if settings.kinds.contains(.aliro) { polling.pollingFrame = AliroECP.frame(settings.aliro.identifier) }
        poller = PN532Poller(polling)
    }

    /// The next time with something to do.
    var nextDeadline: Instant? { Instant.earlier(poller.nextDeadline, late?.due) }

    /// The listed cards, named in the log by their digests.
    var list: CardList {
        CardList(
            settings.cards.compactMap { card in
                OSSCredentialID(unlisted: card.identity).map { ListedCard(card, $0) }
            })
    }

    /// The fault to come, for a page.
    var observed: [ObservedState.ActiveFault] {
        guard let (fault, stays) = fault else { return [] }
        let text = "\(fault.name): the reader \(fault.action), \(stays ? "every time" : "the next time")"
        return [ObservedState.ActiveFault(fault.name, at: ReaderCardFault.step, text)]
    }

    /// Lists a card; false if it is listed already.
    mutating func enrol(_ card: CardEvidence) -> Bool {
        guard !settings.cards.contains(card) else { return false }
        settings.cards.append(card)
        return true
    }

    /// Removes all cards from the list.
    mutating func unenrol() { settings.cards.removeAll() }

    /// True if the fault needs a touch before it.
    func isEarly(_ fault: ReaderCardFault) -> Bool {
        if case .replay = fault.change { remembered[fault.name] == nil } else { false }
    }

    /// The fault of this command, if it is its turn, and the command that is sent instead.
    mutating func takeFault(of command: [UInt8]) -> (fault: ReaderCardFault, command: [UInt8])? {
        guard let (fault, stays) = fault, let touch, touch.meets(fault, command) else { return nil }
        let changed: [UInt8]
        switch fault.change {
        case .command(let change): changed = change(command)
        case .late, .leave: changed = command
        case .unproven:
            guard let place = settings.desfire else { return nil }
            changed = ReaderCardFault.reading(place)
        case .place:
            guard touch.otherPlace == fault.name else { return nil }
            changed = command
        case .replay:
            guard let earlier = remembered[fault.name] else { return nil }
            changed = earlier
        case .reflection(let change):
            guard !touch.message.isEmpty else { return nil }
            changed = ReaderCardFault.changed(command) { _ in change(touch.message) }
        case .twice: return nil
        }
        // A fault of selections is over with its touch.
        if !stays, fault.isOfOneCommand { self.fault = nil }
        return (fault, changed)
    }

    /// The fault that repeats a command at the end of the touch, and that command, once.
    mutating func takeRepetition() -> (fault: ReaderCardFault, command: [UInt8])? {
        guard let (fault, stays) = fault, case .twice = fault.change, let touch, touch.fault == nil,
            let command = touch.remembered[fault.name]
        else { return nil }
        if !stays { self.fault = nil }
        return (fault, command)
    }

    /// The place of the number that the reader reads in the touch that begins: another one for a fault of the place.
    mutating func preparedPlace() -> DESFireCredential? {
        guard let place = settings.desfire, let fault = fault?.fault, case .place(let change) = fault.change,
            let other = change(place)
        else { return settings.desfire }
        touch?.otherPlace = fault.name
        return other
    }

    /// A touch begins.
    mutating func begin() {
        end()
        touch = CardTouch()
    }

    /// The touch is over, if there is one.
    mutating func end() {
        if touch?.fault?.isOfOneCommand == false, fault?.stays == false { fault = nil }
        if let touch { remembered.merge(touch.remembered) { $1 } }
        (touch, late) = (nil, nil)
    }
}

extension ReaderCardFault {
    /// False for a fault of each SELECT of a touch.
    var isOfOneCommand: Bool { if case .selections = place { false } else { true } }
}
