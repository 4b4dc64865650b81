// SPDX-License-Identifier: Apache-2.0

import CardPolling
import Configuration
import Logging
import NFC
import System
import Reader
import Timekeeping

/// Contactless phones and cards: events from the front end to the device, responses and orders back.
final class ReaderContactless: ReaderService {
    unowned let process: ReaderProcess
    let contactless: NFCService
    private var watch: Watch?
    /// The card in the field of the poll role.
    private(set) var presence = CardPresence()
    private lazy var presenceTimer = reactor.timer { [weak self] in self?.reportLeftCard() }

    init(_ process: ReaderProcess, _ contactless: NFCService) {
        (self.process, self.contactless) = (process, contactless)
    }

    /// Watches the front end, if there is one.
    func start() throws(SystemError) {
        process.device.reader.configureContactless(settings.nfc.configuration(deviceID: process.setup.deviceID))
        watch = try reactor.watch(contactless.descriptor, .readable) { [weak self] _ in self?.receive() }
    }

    /// Releases the chip.
    func release() {
        watch?.cancel()
        watch = nil
        presenceTimer.cancel()
        if !contactless.close() { log.debug("nfc: the chip did not answer in time") }
    }

    private func receive() {
        for event in contactless.takeEvents() {
            report(contactless.receive(event))
            follow(event)
            switch event {
            case .opened, .failed, .activated, .released:
                process.device.reader.contactlessReset()
                contactless.awaitResponse(to: nil)
                endCard()
            case .command(let octets, let number):
                let moment = moment
                contactless.awaitResponse(to: number)
                process.device.receive(command: octets.span, at: moment)
                flush()
            case .card(let card, let number):
                log.debug("nfc: \(card)")
                contactless.awaitOrder(number)
                process.device.cardEntered(at: moment)
                flush()
            case .response(let octets, let number):
                contactless.awaitOrder(number)
                process.device.receive(cardResponse: octets.span, at: moment)
                flush()
            case .cardLost(let loss):
                log.info("nfc: card lost: \(loss.rawValue)")
                endCard()
            case .cardRejected(let card, let reason):
                log.notice("nfc: card refused: \(reason.rawValue)")
                log.debug("nfc: \(card)")
                endCard()
            case .fieldEmpty: break
            }
        }
        flush()
    }

    /// Follows whether the field is empty.
    private func follow(_ event: NFCFrontEndEvent) {
        let now = reactor.now
        switch event {
        case .card, .cardLost, .cardRejected: presence.occupied(at: now)
        case .fieldEmpty, .opened, .failed:
            if let duration = presence.emptied(at: now) {
                log.notice("nfc: the card on the reader is gone after \(duration.wholeMilliseconds / 1000) s")
            }
        case .activated, .command, .released, .response: break
        }
        presenceTimer.set(presence.nextDeadline)
    }

    private func reportLeftCard() {
        guard presence.advance(to: reactor.now) else { return presenceTimer.set(presence.nextDeadline) }
        let seconds = CardPresence.leftTime.wholeMilliseconds / 1000
        log.notice("nfc: a card has been on the reader for \(seconds) s; until it is removed no other card is served")
    }

    private func endCard() {
        contactless.awaitOrder(nil)
        process.device.cardLeft()
    }

    /// Sends the device's response to the phone, if a command awaits one, and the order to the card.
    func settle() {
        contactless.respond(process.device.reader.contactlessResponse)
        contactless.give(process.device.nextCardAction().map(CardOrder.init))
    }

    /// Reports a failure or recovery of the chip.
    private func report(_ change: NFCService.Change?) {
        switch change {
        case .ready(let name, let isBack):
            log.notice("nfc: \(name) is \(isBack ? "ready again" : "ready")")
            clear(.nfcFailed)
            if isBack { record(AuditEvent(.nfcRestored, at: auditTime)) }
        case .failed(let why):
            log.debug("nfc: lost, \(why)")
            raise(.nfcFailed, "nfc: \(why); retrying; phones are served over Bluetooth")
            record(AuditEvent(.nfcFailed, at: auditTime, detail: why))
        case nil: break
        }
    }
}
