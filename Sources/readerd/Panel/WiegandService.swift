// SPDX-License-Identifier: Apache-2.0

import Configuration
import GPIO
import OSDP
import PanelLine
import Reader
import System
import Timekeeping

/// The reader at the two lines of a panel that takes cards only: one card after the other, each by its own thread.
/// To be used on the reactor's thread.
final class WiegandService {
    /// The end of a card.
    enum Outcome: Sendable {
        /// Sent, with its delays; `isPunctual` if the thread ran before all others.
        case sent(WiegandTiming.Delays, isPunctual: Bool)
        /// The card of this credential was not sent, or not to its end: it was late, or the lines failed.
        case unsent(String)
        /// A line could not be set.
        case failed(GPIOError)
        /// The process has no thread left.
        case noThread
    }

    /// The lines, for the thread of the present card.
    private final class Wire: @unchecked Sendable {
        var lines: WiegandLines
        let mailbox: Mailbox
        /// True while a thread has the lines; with the mailbox's lock.
        var isTaken = false

        init(_ lines: consuming WiegandLines, _ mailbox: Mailbox) {
            self.lines = lines
            self.mailbox = mailbox
        }

        func setTaken(_ isTaken: Bool) {
            mailbox.locked {
                self.isTaken = isTaken
                mailbox.signalChange()
            }
        }
    }

    /// A card that waits for its turn.
    private struct Waiting: Sendable {
        var bits: [Bool]
        var credential: String
        var end: Instant
    }

    /// The maximum number of waiting cards. Each takes 0.3 s and more.
    static let waitingLimit = 4
    /// The time from a request to the start of its card, as with OSDP: a door that opens for a card of some time ago
    /// opens for another person.
    static let lifetime = OSDPDevice.reportLifetime
    /// The time at the end for the card that is being sent: half of the unit's `TimeoutStopSec=`; 37 bits at the
    /// slowest take 1 s.
    private static let closeTimeout = Duration.seconds(5)

    let settings: ReaderSettings.Wiegand
    private let card: PanelCard
    private let timing: WiegandTiming
    private let wire: Wire
    private let reactor: Reactor
    private var waiting: [Waiting] = []
    private var isSending = false
    private var tell: (Outcome) -> Void = { _ in }
    /// The number of cards sent.
    private(set) var sent: UInt64 = 0

    /// Requests the lines; nil if none are configured.
    init?(_ settings: ReaderSettings.Wiegand, _ reactor: Reactor) throws(ReaderdError) {
        guard settings.lines.count == 2, let card = PanelCard(settings.cards) else { return nil }
        self.settings = settings
        self.card = card
        self.reactor = reactor
        timing = WiegandTiming(
            pulse: .microseconds(Int64(settings.pulseMicroseconds)),
            interval: .microseconds(Int64(settings.intervalMicroseconds)))
        let zero = try LineReference(settings.lines[0], key: "wiegand.lines")
        let one = try LineReference(settings.lines[1], key: "wiegand.lines")
        guard let mailbox = Mailbox() else { throw .failed("wiegand: the process has no descriptors left") }
        do throws(GPIOError) {
            wire = Wire(try WiegandLines(data0: zero, data1: one, activeLow: settings.isActiveLow), mailbox)
        } catch {
            throw .failed("wiegand: \(error)")
        }
    }

    /// Passes the outcome of each card to the handler.
    func start(_ tell: @escaping (Outcome) -> Void) { self.tell = tell }

    /// Sends no further card, and waits for the end of the present one: part of it could be another, and a line that is
    /// pulled down may stay so after the process.
    func close() {
        for card in waiting { tell(.unsent(card.credential)) }
        tell = { _ in }
        waiting = []
        wire.mailbox.locked { _ = wire.mailbox.wait(WiegandService.closeTimeout) { !wire.isTaken } }
    }

    private func next() {
        guard !waiting.isEmpty else { return }
        isSending = true
        let card = waiting.removeFirst()
        let (wire, timing, reactor) = (wire, timing, reactor)
        nonisolated(unsafe) let service = self
        wire.setTaken(true)
        let isStarted = DetachedThread.start {
            let isPunctual = WiegandLines.hasteThread()
            var outcome: Outcome?
            do throws(GPIOError) {
                let delays = try timing.send(card.bits, before: card.end, on: &wire.lines)
                if let delays, !delays.isCut { outcome = .sent(delays, isPunctual: isPunctual) }
            } catch {
                outcome = .failed(error)
            }
            let result = outcome
            wire.setTaken(false)
            reactor.perform { service.ended(card.credential, result) }
        }
        guard !isStarted else { return }
        wire.setTaken(false)
        reactor.perform { service.ended(card.credential, .noThread) }
    }

    /// The end of a card; `outcome` is nil if it was late.
    private func ended(_ credential: String, _ outcome: Outcome?) {
        isSending = false
        if case .sent = outcome { sent += 1 } else { tell(.unsent(credential)) }
        if let outcome { tell(outcome) }
        next()
    }
}

extension WiegandService: CardPanel {
    var mode: ReaderSettings.PanelMode { settings.mode }
    var decisions: ReaderSettings.PanelCards.Decisions { settings.cards.decisions }
    /// The lines go one way, so that silence is unknown.
    var isSilent: Bool { false }

    /// Sends a card after those before it.
    func present(_ credential: ShownCredential, since: Instant) -> Bool {
        let end = since + WiegandService.lifetime
        guard let card = card.card(of: credential), waiting.count < WiegandService.waitingLimit, end > reactor.now
        else {
            return false
        }
        waiting.append(Waiting(bits: card.bits, credential: credential.id, end: end))
        if !isSending { next() }
        return true
    }
}
