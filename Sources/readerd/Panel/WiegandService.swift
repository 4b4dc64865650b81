// SPDX-License-Identifier: Apache-2.0

import GPIO
import OSDP
import PanelLine
import Reader
import System
import Timekeeping

/// The reader at the two lines of a panel that takes cards only: one card after the other, each by a thread of its own.
/// To be used on the reactor's thread.
final class WiegandService {
    /// The end of a card.
    enum Outcome: Sendable {
        /// Sent, with its delays; `isPunctual` if the thread ran before all others.
        case sent(WiegandTiming.Delays, isPunctual: Bool)
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

        func take(_ isTaken: Bool) {
            mailbox.locked {
                self.isTaken = isTaken
                mailbox.signalChange()
            }
        }
    }

    /// The maximum of cards that wait. Each takes 0.3 s and more, and none may be late by more than a person waits.
    static let waitingLimit = 4
    /// The time at the end for the card that is being sent: half of the unit's `TimeoutStopSec=`; 37 bits at the
    /// slowest take 1 s.
    private static let closeTimeout = Duration.seconds(5)

    let settings: ReaderSettings.Wiegand
    private let card: PanelCard
    private let timing: WiegandTiming
    private let wire: Wire
    private let reactor: Reactor
    private var waiting: [[Bool]] = []
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

    /// Calls `tell` with the outcome of each card from then on.
    func start(_ tell: @escaping (Outcome) -> Void) { self.tell = tell }

    /// Sends no further card, and waits for the end of the present one: part of it could be another, and a line that is
    /// pulled down may stay so after the process.
    func close() {
        tell = { _ in }
        waiting = []
        wire.mailbox.locked { _ = wire.mailbox.wait(WiegandService.closeTimeout) { !wire.isTaken } }
    }

    /// Sends a card after those before it. False if too many wait.
    private func send(_ bits: [Bool]) -> Bool {
        guard waiting.count < WiegandService.waitingLimit else { return false }
        waiting.append(bits)
        if !isSending { next() }
        return true
    }

    private func next() {
        guard !waiting.isEmpty else { return }
        isSending = true
        let bits = waiting.removeFirst()
        let (wire, timing, reactor) = (wire, timing, reactor)
        nonisolated(unsafe) let service = self
        wire.take(true)
        let isStarted = DetachedThread.start {
            let isPunctual = WiegandLines.hasteThread()
            let outcome: Outcome
            do throws(GPIOError) {
                outcome = .sent(try timing.send(bits, on: &wire.lines), isPunctual: isPunctual)
            } catch {
                outcome = .failed(error)
            }
            wire.take(false)
            reactor.perform { service.ended(outcome) }
        }
        guard !isStarted else { return }
        wire.take(false)
        reactor.perform { service.ended(.noThread) }
    }

    private func ended(_ outcome: Outcome) {
        isSending = false
        if case .sent = outcome { sent += 1 }
        tell(outcome)
        next()
    }
}

extension WiegandService: CardPanel {
    var mode: ReaderSettings.PanelMode { settings.mode }
    var decisions: ReaderSettings.PanelCards.Decisions { settings.cards.decisions }
    /// The lines go one way: nobody knows.
    var isSilent: Bool { false }

    func present(_ credential: String) -> Bool { card.card(of: credential).map { send($0.bits) } ?? false }
}
